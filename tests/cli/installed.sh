#!/usr/bin/env bash
# installed.sh BUILD KERNELS: what cmake --install gives runs where it lies: a lone kernel, by the command and all
# that it starts.
set -euo pipefail
build=$1 kernels=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for component in api hipsight; do
  cmake --install "$build" --component "$component" --prefix "$work" >"$work/log"
done
"$work/bin/hipsight" run --gpu mi300x --kernel triad --grid 4 --block 256 --arg u32:1024 --arg f32:2 \
  --arg buffer:4k:f32 --arg buffer:4k:f32 "$kernels" 2>&1 | tee "$work/out"
grep -q '^triad: .*, 1 launch, ' "$work/out"
