# Helpers of tests that look at the terminal observer through tmux: sourced after check.sh's `observed`.
need tmux
export LC_ALL=C.UTF-8
unset TMUX
servers=0
tmux="tmux -L whitebeam-$$-0 -f /dev/null"
at_exit() { $tmux kill-server; }

open_screen() {  # WIDTH HEIGHT OPTIONS...: the observer in a terminal of that size
  $tmux kill-server 2>/dev/null
  tmux="tmux -L whitebeam-$$-$((servers += 1)) -f /dev/null"
  $tmux new-session -d -s t -x "$1" -y "$2" -c "$scratch" \
    "env ${ENVIRONMENT:-A=b} '$WHITEBEAM' observe --interval 0.3 ${*:3}; echo ended with \$?; sleep 100"
  $tmux resize-window -t t -x "$1" -y "$2"
}
keys() { $tmux send-keys -t t "$@"; }
screen() { $tmux capture-pane -p -t t; }
shows() {  # NAME PATTERN...: the screen shows all of them within a minute
  local name=$1 ok
  shift
  for _ in $(seq 300); do
    ok=1
    screen >"$scratch/screen"
    for p in "$@"; do grep -qE -- "$p" "$scratch/screen" || ok=0; done
    [ $ok = 1 ] && return
    sleep 0.2
  done
  echo "FAILED: $name: wanted $*"
  sed 's/^/  | /' "$scratch/screen"
  failures=$((failures + 1))
}
# click ROW COLUMN, wheel up|down: as the terminal tells it; rows and columns count from 1
mouse() { $tmux send-keys -l -t t $'\e'"[<$1;$3;$2M"; $tmux send-keys -l -t t $'\e'"[<$1;$3;$2m"; }
click() { mouse 0 "$1" "$2"; }
wheel() { [ "$1" = up ] && mouse 64 10 10 || mouse 65 10 10; }
row_of() { screen | grep -nE -- "$1" | head -1 | cut -d: -f1; }  # the row in which that stands
column_of() { screen | sed -n "$1p" | grep -bo -- "$2" | head -1 | cut -d: -f1; }  # ROW TEXT
