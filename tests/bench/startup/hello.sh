# From nothing to "hello" printed and exit; and the resident memory of that.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
for _ in 1 2 3 4 5; do
  start=${EPOCHREALTIME/./}
  text=$(on "$1" hello_world)
  echo "exit us $((${EPOCHREALTIME/./} - start))"
  echo "result $text"
done
/usr/bin/time -f "peak KB %M" bash -c 'source "$1"/lib.sh; on "$2" hello_world >/dev/null' - \
  "$(dirname "$0")" "$1" 2>&1
