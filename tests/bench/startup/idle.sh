# CPU time that a VM with nothing to do uses in three seconds, less that of its start.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cpu() {  # VM FUNCTION: milliseconds
  local times
  times=$({ TIMEFORMAT='%U %S'; time on "$1" hello_world "$2" >/dev/null 2>&1; } 2>&1)
  awk '{ print int(1000 * ($1 + $2)) }' <<<"$times"
}
started=$(cpu "$1" main)
slept=$(cpu "$1" sleep)
echo "cpu ms $((slept > started ? slept - started : 1))"
