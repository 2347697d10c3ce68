# ^C: nothing runs while the break menu is there; +Bi, +Bc, +Bd; standard input that is no terminal.
# needs: python3
pty() { python3 "$WB_CASES/../pseudo_terminal.py" "$@" 2>&1; }
menu='D\)b-tables \(d\)istribution'
echo "== nothing runs"
cat > ticks.erl <<'F'
-module(ticks).
-export([start/0]).
start() -> spawn(fun() -> io:format("ready~n"), loop(0) end), [spawn(fun() -> busy() end) || _ <- [1, 2, 3]].
loop(N) -> file:write_file("ticks", integer_to_list(N)), timer:sleep(1), loop(N + 1).
busy() -> busy().
F
erlc ticks.erl
pty erl -noshell -s ticks -- '?ready' '\x03' "?$menu" '@4' 'c\n' '@2' '\x03' "?$menu" 'a\n' > /dev/null & pid=$!
for _ in {1..200}; do [ -s ticks ] && break; sleep 0.1; done; sleep 2; one=$(cat ticks); sleep 0.5; two=$(cat ticks); [ "$one" = "$two" ] && echo still || echo "$one $two"; wait $pid
echo "== flags"
pty erl +Bi -- '?1> ' '\x03' '1+1.\n' '?^2$' 'erlang:system_info(break_ignored).\n' '?^true' 'halt(7).\n' | tail -1
pty erl +Bc -- '?1> ' 'timer:sleep(infinity).\n' '@1' '\x03' '?exception' '?2> ' '1+1.\n' '?^2$' '?3> ' 'halt(8).\n' | tail -n +4 | grep -vE '3> |^\s*$'
for f in +Bd +B; do pty erl $f -- '?1> ' '\x03' | tail -1; done
echo "== no terminal"
mkfifo in
for key in v a x; do
  erl -noshell -eval 'io:format("up~n").' < in > out & pid=$!
  exec 3> in
  for _ in {1..200}; do grep -q up out && break; sleep 0.1; done
  kill -INT $pid; for _ in {1..100}; do grep -q BREAK out && break; sleep 0.1; done
  size=$(wc -c < out); printf '%s\n' $key >&3
  for _ in {1..100}; do [ "$(wc -c < out)" != "$size" ] || ! kill -0 $pid 2> /dev/null && break; sleep 0.1; done; sleep 0.3; exec 3>&-
  [ $key = a ] || { for _ in {1..30}; do kill -0 $pid 2> /dev/null || break; sleep 0.1; done; kill -KILL $pid 2> /dev/null; }
  wait $pid 2> /dev/null; echo "$key $?"; cat out
done
erl -noshell -eval 'io:format("up~n").' < /dev/null > out & pid=$!
for _ in {1..200}; do grep -q up out && break; sleep 0.1; done
kill -INT $pid; wait $pid; code=$?; [ $code = 130 ] && code=0  # erl 29 ends with either
echo $code; cat out
