#!/bin/bash
# The terminal observer by hand: headings order tables, search, the mouse, columns that are chosen and kept.
. "$(dirname "$0")/check.sh"
observed
. "$(dirname "$0")/terminal.sh"

program hands <<'EOF'
-module(hands).
-export([main/0, idle/0, spin/1]).
main() ->
    [register(list_to_atom("idle" ++ integer_to_list(N)), spawn(?MODULE, idle, [])) || N <- lists:seq(100, 199)],
    register(spinner, spawn(?MODULE, spin, [0])),
    register(full, spawn(?MODULE, idle, [])),
    [full ! N || N <- lists:seq(1, 1500)],
    register(timed, spawn(?MODULE, idle, [])),
    [erlang:send_after(3600000, whereis(timed), N) || N <- lists:seq(1, 77)],
    [ets:insert(ets:new(Name, [named_table, public]), [{N} || N <- lists:seq(1, Size)]) ||
        {Name, Size} <- [{small_table, 3}, {medium_table, 20}, {large_table, 2500}]],
    io:format("ready~n"),
    idle().
idle() -> receive stop -> ok end.
spin(N) -> spin(N + 1).
EOF
machine hands
config=$XDG_CONFIG_HOME/whitebeam/observer
first_row() { shows "$1" "$2"; row=$(row_of '^(pid|name)[ *]'); screen | sed -n "$((row + 1))p" | grep -qE "$3" && return
  for _ in $(seq 100); do sleep 0.2; screen | sed -n "$((row + 1))p" | grep -qE "$3" && return; done
  echo "FAILED: $1: $3 is not first"; screen | sed 's/^/  | /'; failures=$((failures + 1)); }

for size in "80 24" "140 40"; do
  rm -f "$config"
  # shellcheck disable=SC2086
  open_screen $size
  shows "home $size" '1 Home' 'counts'

  # --- a view, a heading, a row, what is selected, the wheel
  click 1 "$(($(column_of 1 2) + 2))"
  shows "a view $size" '2 Processes' 'by reds/s'
  shows "its headings $size" '^pid .* queue'
  click 3 "$(($(column_of 3 queue) + 2))"
  first_row "a heading $size" 'queue\*' '^<0\.[0-9.]+> +full '
  click 3 "$(($(column_of 3 queue) + 2))"
  shows "once more: reversed $size" 'by queue.*reversed'
  click 3 "$(($(column_of 3 queue) + 2))"
  first_row "and back $size" 'by queue' '^<0\.[0-9.]+> +full '
  wheel down
  shows "the wheel $size" 'by queue.*, from 4'
  wheel up
  first_row "back up $size" 'by queue' '^<0\.[0-9.]+> +full '
  click 4 3
  shows "a row that is selected $size" '3 Process ' '^message queue +1500'
  click 8 3
  click 1 "$(($(column_of 1 2) + 2))"
  shows "the processes again $size" '^10[0-9] processes'

  # --- orders by keys and by name
  keys '>'
  shows "the next heading $size" 'by where'
  keys '<'
  shows "the one before $size" 'queue\*'
  keys '!'
  shows "reversed $size" 'by queue.*reversed'
  keys o
  keys -l timers
  keys Enter
  first_row "by name $size" 'timers\*' '^<0\.[0-9.]+> +timed .* 77'
  keys o
  keys -l binaries/m
  keys Enter
  shows "growth $size" 'by binaries/min' 'binaries/min\*'

  # --- columns, kept
  keys C
  shows "columns $size" '^columns, ' '^\[x\] pid +pid +ordered by age' '^\[x\] reds/s +dreds'
  keys a Down Down Space
  shows "one less $size" '^\[ \] reds/s +dreds'
  click "$(row_of '^\[x\] queue')" 2
  click "$(row_of '^\[x\] queue')" 2
  shows "another $size" '^\[ \] queue'
  keys b
  shows "they are shown $size" '^pid +name or start +memory +where'
  screen | grep -E '^pid ' | grep -qE 'queue|reds/s' && { echo "FAILED: hidden columns"; failures=$((failures + 1)); }
  grep -q '^columns pid name memory fn' "$config" || { echo "FAILED: kept"; cat "$config"; failures=$((failures + 1)); }
  keys q
  shows "left $size" 'ended with 0'
  # shellcheck disable=SC2086
  open_screen $size
  keys 2
  shows "kept $size" '^pid +name or start +reds/s\* +memory +where' 'by reds/s'

  # --- other tables
  keys 8 Tab
  shows "tables $size" 'tables, ' 'large_table'
  keys '>'
  first_row "by name $size" '^name\*' '^large_table'
  keys '!'
  first_row "reversed $size" '^name\*' '^small_table'
  keys '>' '>'
  first_row "by a number $size" 'objects\*' '^large_table'
  keys '!'
  shows "the fewest $size" 'small_table.* 3 '
  keys / C-u
  keys -l EDIUM
  keys Enter
  for _ in $(seq 100); do  # what is found is selected
    $tmux capture-pane -e -p -t t | grep -qE $'\e\\[[0-9;]*7m.*medium_table|\e\\[7m *medium_table' && break
    sleep 0.1
  done
  keys Enter
  shows "what is found is selected $size" 'table medium_table: 20 objects'
  keys b / C-u
  keys -l nowhere
  keys Enter
  shows "nothing is found $size" 'nothing here has nowhere in it'
  keys 2
  keys q
done

# --- a damaged file is ignored, and one line says so; so is what is no file
bad() {  # NAME PATTERN: what stands in $config
  open_screen 140 30
  shows "$1: said" "$2"
  keys 2
  shows "$1: ignored" '^pid +name or start +reds/s'
  keys q
  shows "$1: goes on" 'ended with 0'
}
printf 'columns pid name\nwhat is this\n' >"$config"
bad 'no setting' 'observer is ignored: line 2 is no setting'
printf 'columns pid na\033[31mme\n' >"$config"
bad 'a name that is none' 'observer is ignored: line 1 names no columns'
head -c 200000 /dev/zero | tr '\0' 'x' >"$config"
bad 'too long' 'observer is ignored: it is too long'
head -c 3000 /dev/urandom >"$config"
printf '\0\1' >>"$config"
bad 'noise' 'observer is ignored: line [0-9]+ '
rm -f "$config" && mkfifo "$config"
bad 'a pipe' 'observer is ignored: it is no file'
rm -f "$config" && mkdir "$config"
bad 'a directory' 'observer is ignored: it is no file'
open_screen 140 30
keys 2
shows 'a place where nothing can be kept' 'by reds/s'
keys C
shows 'choosing' '^\[x\] pid'
keys Down Space
shows 'not kept' 'not kept: .*observer: '
keys q
rmdir "$config"

# --- other machines' columns are kept; none of this one's: all; no mouse
printf '# mine\ncolumns of_another pid\nmouse off\n' >"$config"
open_screen 140 30
keys 2
shows 'few columns' '^pid +reds/s\* *$'
click 1 2
keys C
shows 'choosing again' '^\[ \] name'
keys Down Space
shows 'one more' '^\[x\] name'
grep -q '^columns pid name of_another$' "$config" && grep -q '^mouse off' "$config" || { echo "FAILED: kept too little"; cat "$config"; failures=$((failures + 1)); }
finish
