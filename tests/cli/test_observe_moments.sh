#!/bin/bash
# Two moments compared in the terminal: one is marked, and what has changed since is shown, of processes and counters.
. "$(dirname "$0")/check.sh"
observed
. "$(dirname "$0")/terminal.sh"

program moments <<'EOF'
-module(moments).
-export([main/0, idle/0, wait/1]).
main() ->
    [spawn(?MODULE, idle, []) || _ <- lists:seq(1, 50)],
    register(box, spawn(?MODULE, idle, [])),
    register(keeper, spawn(?MODULE, wait, [none])),
    register(mortal, spawn(fun() -> lists:seq(1, 300000), idle() end)),
    T = ets:new(rows, [public]),
    io:format("ready~n"),
    act(T).
act(T) ->
    file:delete("done"),
    until(fun() -> filelib:is_regular("change") end),
    [box ! N || N <- lists:seq(1, 321)],
    keeper ! keep,
    exit(whereis(mortal), kill),
    register(young, spawn(fun() -> _ = lists:sum(lists:seq(1, 500000)), idle() end)),
    ets:insert(T, [{N, lists:seq(1, 50)} || N <- lists:seq(1, 20000)]),
    [binary_to_atom(<<"made_", (integer_to_binary(N))/binary>>) || N <- lists:seq(1, 400)],
    tick().
tick() -> timer:sleep(50), tick().
until(F) -> F() orelse begin timer:sleep(50), until(F) end.
idle() -> receive stop -> ok end.
wait(_) -> receive keep -> B = binary:copy(<<9>>, 9000000), garbage_collect(), receive stop -> B end end.
EOF
directory=$PWD
cd "$scratch" && machine moments
cd "$directory" || exit
for size in "80 24" "140 40"; do
  # shellcheck disable=SC2086
  open_screen $size
  shows "home $size" '1 Home' 'counts'
  keys D
  shows "no moment $size" 'no moment is marked: M marks one'
  keys M
  shows "marked $size" 'marked [0-9:]{8}: D shows'
  keys D
  shows "since then $size" '^processes since [0-9:]{8}: [0-9.]+ (ms|s)' '^pid +name or start +reds +memory +queue +binaries'
  if [ "$size" = "80 24" ]; then
    touch "$scratch/change"
    shows "the queue $size" '<0\.[0-9.]+> +box .*\+321'
    shows "the binaries $size" '<0\.[0-9.]+> +keeper .*\+8\.6 MiB'
    shows "one has ended $size" '<0\.[0-9.]+> .* gone +-'
    shows "one has begun $size" '<0\.[0-9.]+> +young +new +\+'
    keys '>' '>' '>' '>' '>'
    shows "ordered $size" 'memory\*'
    keys /
    keys -l keeper
    keys Enter Enter
    shows "found and opened $size" '3 Process ' 'keeper'
    keys D
    shows "back to it $size" '^processes since'
    keys Tab
    shows "what is counted $size" '^what is counted since' '^what +then +now +by +a second' \
      '^tables +[0-9.]+ [KM]?i?B +[0-9.]+ MiB +\+[0-9.]+ MiB' '^atoms, number +[0-9.k]+ +[0-9.k]+ +\+4[0-9][0-9] '
    keys '>' '>' '>' '>'
    shows "ordered by difference $size" 'by\*'
    keys Tab
    shows "processes again $size" '^processes since'
  else
    keys Tab
    shows "counters that change $size" '^what +then +now +by +a second +a minute' '^slices .*\+[0-9]'
  fi
  keys M
  shows "marked anew $size" 'marked [0-9:]{8}: D shows'
  keys b
  shows "back $size" 'counts|message queue|keeper'
  keys D 2
  shows "another view $size" 'by reds/s'
  keys q
  shows "left $size" 'ended with 0'
done
finish
