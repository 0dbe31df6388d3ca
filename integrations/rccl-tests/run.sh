#!/usr/bin/env bash
# run.sh TESTS RCCL: builds ROCm's rccl-tests with our hipcc and our librccl.so.1, and runs them on eight emulated MI300X:
# of one process, and of two and four processes on as many hosts (hosts.sh; needs root). TESTS and RCCL are clones of
# github.com/ROCm/rccl-tests and github.com/ROCm/rccl (its header). Fails if a program fails, or counts a wrong value.
set -euo pipefail
(($# == 2)) || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
tests=$(cd "$1" && pwd) rccl=$(cd "$2" && pwd)
[[ -e $root/build/lib/librccl.so.1 ]] || { echo "run.sh: build hipsight first (./dev build)" >&2; exit 2; }
mkdir -p "$root/build/rccl-tests"
cd "$root/build/rccl-tests"
rm -rf src verifiable include
cp -r "$tests/src" "$tests/verifiable" .
mkdir -p include/rccl objects
# What RCCL's own build makes of its header: version 2.22.3, which our library answers.
sed 's/${NCCL_MAJOR}/2/; s/${NCCL_MINOR}/22/; s/${NCCL_PATCH}/3/; s/${NCCL_SUFFIX}//; s/${NCCL_VERSION}/22203/' \
  "$rccl/src/nccl.h.in" >include/rccl/rccl.h
# CUDA's names, as hipify would have them.
sed -i -E 's/\bcudaDeviceProp\b/hipDeviceProp_t/g; s/\bcuda([A-Z][A-Za-z_0-9]*)/hip\1/g;
  s/["<]cuda(_runtime)?\.h[">]/<hip\/hip_runtime.h>/; s/cuda_fp16\.h/hip\/hip_fp16.h/' src/*.* verifiable/*.*
echo 'const char* rcclTestsGitHash = "";' >src/git_version.cc

mpi=() link=()
if command -v mpicxx >/dev/null; then
  read -ra mpi <<<"-DMPI_SUPPORT -DOMPI_SKIP_MPICXX $(mpicxx --showme:compile)"
  read -ra link <<<"$(mpicxx --showme:link)"
fi
hosts=$root/integrations/rccl-tests/hosts.sh several=no
if ((${#mpi[@]} == 0)); then
  echo "several processes: NOT RUN, there is no mpicxx (libopenmpi-dev)"
elif ! "$hosts" up 4 2>hosts.log; then
  echo "several processes: NOT RUN, network namespaces cannot be made: $(tail -n 1 hosts.log)"
else
  several=yes
fi
trap '"$hosts" down 4' EXIT

# on_hosts N GPUS COMMAND: a process on each of N hosts, with so many emulated GPUs each.
on_hosts() {
  local count=$1 gpus=$2 list
  shift 2
  list=$(seq -s , -f '10.77.0.%g:1' "$count")
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --mca plm_rsh_agent "$hosts run" \
    --mca oob_tcp_if_include 10.77.0.0/24 --mca btl_tcp_if_include 10.77.0.0/24 --host "$list" -n "$count" \
    timeout 600 "$root/build/hipsight" run --gpu mi300x --gpus "$gpus" --no-report -- "$@"
}

compile() { # compile SOURCE
  "$root/build/hipcc" -std=c++17 -O1 -w --offload-arch=gfx942 -include string.h -Iinclude -Iinclude/rccl -Isrc \
    -Iverifiable -I. "${mpi[@]}" -x hip -c "$1" -o "objects/$(basename "$1").o"
}
common=(src/common.cu src/timer.cc src/git_version.cc verifiable/verifiable.cu)
shared=() failed=()
for source in "${common[@]}"; do
  compile "$source"
  shared+=("objects/$(basename "$source").o")
done
for source in src/*.cu; do
  name=$(basename "$source" .cu)
  [[ $name != common ]] || continue
  compile "$source"
  "$root/build/hipcc" "objects/$name.cu.o" "${shared[@]}" -L"$root/build/lib" -l:librccl.so.1 -Wl,-rpath,"$root/build/lib" -lpthread "${link[@]}" -o "${name}_perf"
  # Ranks as GPUs of one thread, and with a thread each; then in graphs, launched twice. hypercube's rounds read what the round before received, so one
  # group of all ranks cannot hold them.
  sizes=(-b 1K -e 4M -f 8 -n 2 -w 1)
  ways=("-g 8" "-t 8 -g 1" "-g 8 -G 2" "-t 8 -g 1 -G 2")
  [[ $name != hypercube ]] || ways=("-t 8 -g 1" "-t 8 -g 1 -G 2")
  [[ $several == no ]] || ways+=("2 hosts" "4 hosts")
  for way in "${ways[@]}"; do
    options=()
    [[ $name != *reduce* ]] || options=(-o all)
    case $way in
      *hosts)
        processes=${way% *}
        # hypercube again: a thread for each GPU.
        each=(-g $((8 / processes)))
        [[ $name != hypercube ]] || each=(-t $((8 / processes)) -g 1)
        command=(on_hosts "$processes" $((8 / processes)) "./${name}_perf" "${each[@]}")
        ;;
      *)
        read -ra each <<<"$way"
        command=(timeout 600 "$root/build/hipsight" run --gpu mi300x --gpus 8 --no-report -- "./${name}_perf" "${each[@]}")
        ;;
    esac
    result=passed
    "${command[@]}" "${sizes[@]}" "${options[@]}" >"$name.log" 2>&1 &&
      grep -q 'Out of bounds values : 0 OK' "$name.log" || result=FAILED
    printf '%-16s %-14s %s\n' "$name" "$way" "$result"
    [[ $result == passed ]] || { tail -n 5 "$name.log"; failed+=("$name $way"); }
  done
done
((${#failed[@]} == 0)) || { printf 'failed: %s\n' "${failed[@]}"; exit 1; }
