#!/usr/bin/env bash
# level_is_separate.sh LEVEL OBJECT...: fails when an object of one host instruction set defines a
# weak symbol outside its own namespace: the linker might pick it for a host that cannot run it.
set -euo pipefail
level=$1
shift
shared=$(nm --defined-only "$@" | grep -E ' [WV] ' | grep -v -e "${#level}$level" -e DW.ref || true)
if [[ -n $shared ]]; then
  echo "weak symbols outside namespace $level:" # mangled: the length, then the name
  echo "$shared"
  exit 1
fi
