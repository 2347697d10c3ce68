# The shell at a terminal: editing, completion, history, jobs, a resized window, the end.
# needs: tmux
unset TMUX
tmux="tmux -L whitebeam-$$ -f /dev/null"
trap '$tmux kill-server 2>/dev/null' EXIT

screen() { $tmux capture-pane -p -t t; }
await() { # until PATTERN is on the screen
  for _ in {1..300}; do screen | grep -qE -- "$1" && return; sleep 0.1; done
  echo "no /$1/ on the screen"
}
keys() { $tmux send-keys -t t "$@"; }
text() { $tmux send-keys -t t -l "$@"; }
shown() { echo "== $1"; screen | sed -E 's/\[source\].*//; s/[[:space:]]+$//; /^$/d'; }

$tmux new-session -d -s t -x 60 -y 40 "erl; echo ended with \$?; sleep 100"
await '^1>'
text '{Some, value} = {1+1, value}.'; keys Enter; await '^2>'
text 'lists:rvrse("abc").'
for _ in {1..13}; do keys Left; done
text 'e'; keys Right Right; text 'e'; keys Enter; await '^3>'
text 'foo bar'; keys C-a C-k; text 'lists:fl'; keys Tab Tab; await 'flatmap'
keys C-u; text 'string:to_upper("'; text 'äöü 日本語 text that is longer than one row of the screen'
keys Left Left Left Left BSpace BSpace BSpace; text '").'; keys C-e BSpace BSpace BSpace BSpace; text '").'; keys Enter
await '^4>'
keys Up Up; await 'reverse'; keys Enter; await '^5>'
text 'io:columns().'; keys Enter; await '^6>'
shown edited
keys C-g; await '-->'; text 'h'; keys Enter; await 'quit erlang'; text 's'; keys Enter; await '--> *$'
text 'j'; keys Enter; await '2\*'; text 'c 2'; keys Enter; await '^1>.*$'
text 'self() ! x, receive after infinity -> ok end.'; keys Enter; sleep 0.3; keys C-g; await 'User switch'
text 'i 2'; keys Enter; text 'c'; keys Enter; await 'exception exit: killed'
shown jobs
$tmux resize-window -t t -x 40 -y 40
text 'io:columns().'; keys Enter; await '40\}'
shown resized
text 'io:get_password().'; keys Enter; sleep 0.5; text 'secret'; keys Enter; await 'secret'
text 'halt(3).'; keys Enter; await 'ended with 3'
shown ended
