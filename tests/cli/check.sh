# Helpers of the command line tests: sourced, not run.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
WHITEBEAM=$(realpath "${WHITEBEAM:-build/release/bin/whitebeam}")
[ -x "$WHITEBEAM" ] || { echo "skipped: $WHITEBEAM is not built"; exit 77; }
scratch=$(mktemp -d)
at_exit() { :; }  # of a test's own; what it has started in the background ends with it anyway
trap '{ at_exit; kill -9 $(jobs -p); wait; } 2>/dev/null; rm -rf "$scratch"' EXIT
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

need() { command -v "$1" >/dev/null || { echo "skipped: no $1"; exit 77; }; }  # need COMMAND
# A command for `expect bash -c 'signalled "$@"' - SIGNAL COMMAND...`: it gets the signal when it has said "started".
signalled() {
  local said=$scratch/said
  : >"$said"
  { for _ in {1..550}; do grep -q started "$said" && break; sleep 0.1; done; kill -"$1" $$; } >/dev/null 2>&1 &
  exec "${@:2}" > >(exec tee "$said")
}
export -f signalled
export scratch
shorthand() {  # shorthand NAME OPTION...: a command that calls whitebeam with these first
  mkdir -p "$scratch/bin"
  printf '#!/bin/sh\nexec "$WHITEBEAM" %s "$@"\n' "${*:2}" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
  export WHITEBEAM PATH=$scratch/bin:$PATH
}
damage() {  # each FILE another way: a bit, the end, all of it, something else in its place
  local f n=0
  for f in "$@"; do
    case $((n++ % 4)) in
      0) printf '\377' | dd of="$f" bs=1 seek=$((200 + n * 37)) conv=notrunc status=none ;;
      1) truncate -s -9 "$f" ;;
      2) : >"$f" ;;
      3) rm "$f"; mkfifo -m 600 "$f" ;;
    esac
  done
}
mix_release() {  # mix_release CODE: a release whose task runs it, in app/_build/prod/rel/app, below the current directory
  export MIX_ENV=prod MIX_HOME=$scratch/mix HEX_OFFLINE=1
  mix new app --sup >/dev/null 2>&1 || { echo "FAILED: mix new"; failures=$((failures + 1)); }
  sed -i "s|children = \\[|children = [{Task, fn -> $1 end}|" app/lib/app/application.ex
  (cd app && timeout 120 mix release >release.log 2>&1) || { echo "FAILED: mix release"; cat app/release.log; failures=$((failures + 1)); }
}
program() { cat >"$scratch/$1.erl"; }  # program NAME <<EOF: a source file in the scratch directory

# --- for tests of the observer ---
observed() {  # machines of this test and no others are found; scripts in Python have observing.py
  export XDG_RUNTIME_DIR=$scratch/run PYTHONPATH=$PWD/tests/cli PYTHONDONTWRITEBYTECODE=1
  export XDG_CONFIG_HOME=$scratch/config
  mkdir -m 700 "$XDG_RUNTIME_DIR"
}
machine() {  # machine NAME OPTION...: runs a program that says "ready", until it can be asked: $vm and $socket
  : >"$scratch/out"
  "$WHITEBEAM" run "${@:2}" "$scratch/$1.erl" >"$scratch/out" 2>&1 &
  vm=$!
  socket=$XDG_RUNTIME_DIR/whitebeam/$vm.sock
  for _ in $(seq 600); do grep -q ready "$scratch/out" && [ -S "$socket" ] && return; sleep 0.1; done
  echo "FAILED: $1 is not ready"; cat "$scratch/out"; exit 1
}
two_machines() {  # $sick: one whose clerk has a long queue that it passes over; $stall: one at rest
  program sick <<'EOP'
-module(sick).
-export([main/0]).
main() ->
    register(clerk, spawn(fun() -> receive never -> ok end end)),
    [clerk ! N || N <- lists:seq(1, 3000)],
    io:format("ready~n"),
    receive stop -> ok end.
EOP
  program stall <<'EOP'
-module(stall).
-export([main/0]).
main() -> io:format("ready~n"), receive stop -> ok end.
EOP
  machine sick; sick=$vm
  machine stall; stall=$vm
}
page() {  # OPTIONS...: serves it; $url is its address, $server who serves it
  rm -f "$scratch/url"  # that of the page before
  "$WHITEBEAM" observe --web "$@" >"$scratch/url" 2>&1 &
  server=$!
  for _ in $(seq 300); do url=$(grep -oE 'http://127\.0\.0\.1:[0-9]+/\?token=[0-9a-f]{32}.*' "$scratch/url" 2>/dev/null) && return; sleep 0.1; done
  echo "FAILED: no page"; cat "$scratch/url"; exit 1
}
checks() {  # checks NAME ARGUMENT... <<EOF: a script in Python that exits with 0 if all is well
  cat >"$scratch/$1.py"
  timeout 250 python3 "$scratch/$1.py" "${@:2}" || failures=$((failures + 1))
}

finish() { [ "$failures" = 0 ] && echo ok; exit $((failures > 0)); }
