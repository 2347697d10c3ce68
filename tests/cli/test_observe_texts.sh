#!/bin/bash
# Screens of the terminal observer, cell by cell, at three sizes: what is shown of a crash dump is always the same.
# UPDATE=1 writes the texts anew (tests/cli/screens/); look at what has changed before they are committed.
. "$(dirname "$0")/check.sh"
need tmux
observed
export LC_ALL=C.UTF-8 TZ=UTC
unset TMUX
texts=$PWD/tests/cli/screens
servers=0
tmux="tmux -L whitebeam-texts-$$-0 -f /dev/null"
at_exit() { $tmux kill-server; }
keys() { $tmux send-keys -t t "$@"; }
screen() { $tmux capture-pane -p -t t | sed 's/ *$//'; }
# settled PATTERN: the screen shows it, and is the same twice
settled() {
  local before=
  for _ in $(seq 60); do
    screen >"$scratch/screen"
    grep -qE -- "$1" "$scratch/screen" && [ "$before" = "$(cat "$scratch/screen")" ] && return
    before=$(cat "$scratch/screen")
    sleep 0.2
  done
  echo "FAILED: no $1"
  sed 's/^/  | /' "$scratch/screen"
  failures=$((failures + 1))
}

for size in "80 24" "140 40" "200 60"; do
  read -r width height <<<"$size"
  all=$scratch/${width}x$height.txt
  : >"$all"
  $tmux kill-server 2>/dev/null
  tmux="tmux -L whitebeam-texts-$$-$((servers += 1)) -f /dev/null"
  $tmux new-session -d -s t -x "$width" -y "$height" -c "$texts" "'$WHITEBEAM' observe --interval 0.3 crash.dump; sleep 100"
  $tmux resize-window -t t -x "$width" -y "$height"
  view() {  # NAME PATTERN KEY...
    keys "${@:3}"
    settled "$2"
    { echo "=== $1"; cat "$scratch/screen"; } >>"$all"
  }
  view home 'crash dump: we dump' 1
  view processes 'd:loop/1' 2
  view 'one process' 'box' P b o x Enter
  view schedulers 'slices/s' 4
  view tree '- .*d:main/0' 8
  view tables '1 tables' Tab
  view modules '8 modules' Tab
  view ports 'forker' Tab
  view 'persistent terms' '\{a,b\}' Tab Tab Tab
  view atoms 'the newest atoms' Tab
  view timers 'tick,now' Tab Tab Tab
  view exits '0 abnormal exits' 0
  view help 'draw anew; quit' '?'
  if [ "${UPDATE:-}" ]; then
    cp "$all" "$texts"
  elif ! diff -u "$texts/${width}x$height.txt" "$all" >"$scratch/difference"; then
    echo "FAILED: screens at $size"
    head -60 "$scratch/difference"
    failures=$((failures + 1))
  fi
done
finish
