#!/usr/bin/env bash
# nvidia.sh FOLDER: runs what `./dev nvidia` built there, tests and then times, on this machine's NVIDIA GPU.
set -uo pipefail
status=0
for program in "$1"/kernels_*; do
  echo "== ${program##*/}"
  "$program" --gtest_brief=1 || status=1
done
echo "== bench_kernels"
"$1/bench_kernels" || status=1
exit $status
