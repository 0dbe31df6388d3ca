#!/usr/bin/env bash
# host_isa_is_separate.sh HOST_ISA OBJECT...: fails when an object of one host instruction set defines a
# weak symbol outside its own namespace: the linker might pick it for a host that cannot run it.
set -euo pipefail
host_isa=$1
shift
shared=$(nm --defined-only "$@" | grep -E ' [WV] ' | grep -v -e "${#host_isa}$host_isa" -e DW.ref || true)
if [[ -n $shared ]]; then
  echo "weak symbols outside namespace $host_isa:" # mangled: the length, then the name
  echo "$shared"
  exit 1
fi
