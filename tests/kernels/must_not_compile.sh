#!/usr/bin/env bash
# must_not_compile.sh COMPILER INCLUDE SNIPPET...: each snippet compiles as it is, and with -DMISUSE fails
# with an error that says what its first line says.
set -euo pipefail
compile=("$1" -std=c++20 -fsyntax-only -I "$2")
shift 2
failed=0
for snippet; do
  IFS= read -r message <"$snippet"
  message=${message#// }
  if ! errors=$("${compile[@]}" "$snippet" 2>&1); then
    echo "$snippet does not compile even without misuse: $errors"
  elif errors=$("${compile[@]}" -DMISUSE "$snippet" 2>&1); then
    echo "$snippet compiles"
  elif ! grep -F "error: " <<<"$errors" | grep -qF "$message"; then
    echo "$snippet: no error says \"$message\": $errors"
  else
    continue
  fi
  failed=1
done
exit $failed
