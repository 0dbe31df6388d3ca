#!/usr/bin/env bash
# nvcc.sh INCLUDE SOURCE: compiles it for sm_80 and sm_90, without warnings. 77: there is no nvcc.
set -euo pipefail
if ! command -v nvcc >/dev/null; then
  echo "NOT RUN: there is no nvcc"
  exit 77
fi
object=$(mktemp --suffix=.o)
trap 'rm -f "$object"' EXIT
for target in sm_80 sm_90; do
  # What is found is found before kernels are made fast: -O1 takes half of the time.
  nvcc -std=c++20 -arch=$target -Xcicc -O1 -Xptxas -O0 -Werror all-warnings -I "$1" -c "$2" -o "$object"
done
