#!/usr/bin/env bash
# outside.sh BUILD PROJECT KERNELS COMPILER: installs the API, builds a project that knows only where, by CMake's
# package and by pkg-config, and runs it.
set -euo pipefail
build=$1 project=$2 kernels=$3 compiler=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --component api --prefix "$work/prefix" >"$work/log"
cp -r "$project" "$work/project"
cmake -S "$work/project" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  >>"$work/log" 2>&1 && cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
run() {
  local out
  out=$("$@" "$kernels")
  echo "$out"
  # 2^20 elements, an FMA each: the same on both GPUs. Both have a time.
  [[ $(grep -c '2097152 FLOP; predicted [0-9.]* us, bound by ' <<<"$out") == 2 ]]
}
run "$work/build/two_gpus"

file=$(find "$work/prefix" -name hipsight.pc)
if command -v pkg-config >/dev/null; then
  flags=$(PKG_CONFIG_PATH=$(dirname "$file") pkg-config --cflags --libs hipsight)
else # what it would make of the file
  flags=$(sed -n 's/^Cflags: //p; s/^Libs: //p' "$file" |
    sed "s#\${includedir}#$work/prefix/include#; s#\${libdir}#$work/prefix/lib#" | tr '\n' ' ')
fi
"$compiler" $work/project/two_gpus.cpp -o "$work/by_flags" $flags -Wl,-rpath,"$work/prefix/lib"
run "$work/by_flags" >/dev/null
