# The shell at a terminal: editing, completion, history, jobs, a resized window, the end.
# needs: tmux
unset TMUX
tmux="tmux -L whitebeam-$$ -f /dev/null"
trap '$tmux kill-server 2>/dev/null' EXIT

screen() { $tmux capture-pane -p -t t; }
await() { # until PATTERN is on the screen; what follows has no sense without it
  for _ in {1..300}; do screen | grep -qE -- "$1" && return; sleep 0.1; done
  echo "no /$1/ on the screen"
  screen >&2
  exit 1
}
last() { # until the last line of the screen matches PATTERN
  for _ in {1..300}; do screen | sed 's/ *$//; /^$/d' | tail -1 | grep -qE -- "^ *$1\$" && return; sleep 0.1; done
  echo "no /$1/ at the end of the screen"
  screen >&2
  exit 1
}
keys() { $tmux send-keys -t t "$@"; }
text() { $tmux send-keys -t t -l "$@"; }
shown() { echo "== $1"; screen | sed -E 's/\[source\].*//; s/\[jit(:ns)?\]$//; s/[[:space:]]+$//; /^$/d'; }

$tmux new-session -d -s t -x 60 -y 40 "erl; echo ended with \$?; sleep 100"
await '^1>'
text '{Some, value} = {1+1, value}.'; keys Enter; await '^2>'
text 'lists:rvrse("abc").'
for _ in {1..12}; do keys Left; done
text 'e'; keys Right; text 'e'; keys Enter; await '^3>'
text 'foo bar'; keys C-a C-k; text 'lists:fl'; keys Tab Tab; await 'flatmap'
keys C-u; text 'string:to_upper("'; text 'äöü 日本語 text that is longer than one row of the screen'
keys Left Left Left Left BSpace BSpace BSpace; text '").'; keys C-e BSpace BSpace BSpace BSpace; keys Enter
await '^4>'
keys Up; await '^4> string'; keys Up; await '^4> .*reverse'; keys Enter; await '^5>'
text 'io:columns().'; keys Enter; await '^6>'
shown edited
keys C-g; await '-->'; text 'h'; keys Enter; await 'quit erlang'; text 's'; keys Enter; await '--> *$'
text 'j'; keys Enter; await '2\*'; text 'c 2'; keys Enter; last '1>'
text 'self() ! x, receive after infinity -> ok end.'; keys Enter; sleep 0.3; keys C-g; last '-->'
text 'i 2'; keys Enter; await '--> i 2'; last '-->'; text 'c'; keys Enter; await 'exception exit: killed'
shown jobs
$tmux resize-window -t t -x 40 -y 40
text 'io:columns().'; keys Enter; await '40\}'
shown resized | grep -A1 columns | tail -2
text 'io:get_password().'; keys Enter; sleep 0.5; text 'secret'; keys Enter; await 'secret'
text 'halt(3).'; keys Enter; await 'ended with 3'
screen | grep -o 'ended with 3'
