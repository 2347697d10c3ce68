# Helpers of the command line tests: sourced, not run.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
WHITEBEAM=$(realpath "${WHITEBEAM:-build/release/bin/whitebeam}")
[ -x "$WHITEBEAM" ] || { echo "skipped: $WHITEBEAM is not built"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch/cache
failures=0

# expect CODE PATTERN COMMAND...: the exit code (or several: 1|2), and an extended regular expression that standard
# output and error together must contain. No run may take a minute or die of a signal.
expect() {
  local want=$1 pattern=$2 code=0 output
  shift 2
  output=$(timeout 60 "$@" 2>&1 </dev/null) || code=$?
  if ! [[ "$code" =~ ^($want)$ ]] || ! grep -qE -- "$pattern" <<<"$output"; then
    echo "FAILED: $*"
    echo "  exit code $code, wanted $want; output, wanted /$pattern/:"
    head -c 2000 <<<"$output" | sed 's/^/  | /'
    failures=$((failures + 1))
  fi
}

program() { cat >"$scratch/$1.erl"; }  # program NAME <<EOF: a source file in the scratch directory

finish() { [ "$failures" = 0 ] && echo ok; exit $((failures > 0)); }
