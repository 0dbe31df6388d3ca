#!/usr/bin/env bash
# own_names.sh NM LIBRARY...: fails when a library shows others a name that is not HIP's, or wants one that is
# neither libc's nor libhipsight's. Its own code would run another's, or another's code its own.
set -euo pipefail
nm=$1
shift
for library; do
  shown=$("$nm" -D --defined-only "$library" |
    grep -vE ' ([ABVWT] (hip|_*hip|_Z[0-9]+hip|amd_dbgapi_|__gnu_|HIPSIGHT))' || true)
  wanted=$("$nm" -D --undefined-only "$library" |
    grep -vE '@GLIBC_|@HIPSIGHT| w (__gmon_start__|__cxa_finalize|_ITM_.*)$' || true)
  if [[ -n $shown$wanted ]]; then
    echo "$library"
    [[ -z $shown ]] || echo "shows:" "$shown"
    [[ -z $wanted ]] || echo "wants:" "$wanted"
    exit 1
  fi
done
