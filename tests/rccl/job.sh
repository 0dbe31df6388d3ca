#!/usr/bin/env bash
# job.sh PROCESSES PROGRAM WHAT RANKS: runs job_test in so many processes of this machine. All must say "as expected", but
# one, which `lost` kills.
set -uo pipefail
processes=$1
shift
# mpirun goes on when a process is lost, so that what the others say of it is seen.
recovery=()
[[ $2 != lost ]] || recovery=(--enable-recovery)
output=$(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 100 mpirun --oversubscribe --bind-to none \
  "${recovery[@]}" -n "$processes" "$@" 2>&1)
status=$?
wanted=$processes
if [[ $2 == lost ]]; then wanted=$((processes - 1)); elif ((status)) && [[ $2 == results ]]; then wanted=-1; fi
found=$(grep -c ': as expected$' <<<"$output")
((found == wanted)) && exit
printf '%s\n' "mpirun ended with $status; $found processes are as expected, of $wanted:" "$output" >&2
exit 1
