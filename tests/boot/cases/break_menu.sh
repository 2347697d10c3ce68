# The break menu at ^C: each choice; nothing runs while it is there; +Bi, +Bc, +Bd; standard input that is no terminal.
# needs: python3
pty() { python3 "$WB_CASES/../pseudo_terminal.py" "$@" 2>&1; }
menu='D\)b-tables \(d\)istribution'
labels() { sed -nE 's/^(=[a-z_]+:?|[A-Z][A-Za-z+ -]*:).*/\1/p' | grep -v '^Chain\|^Buckets\|^Fixed\|^Reductions' | sort -u; }
echo "== a, c, v, others"
pty erl -- '?1> ' '\x03' "?$menu" 'c\n' '1+41.\n' '?2> ' '\x03' "?$menu" 'v\n' '?version [0-9.]+$' 'x().\n' '?3> ' '\x03' "?$menu" 'h\n' "?$menu" '\n' 'a\n' | tail -n +3
for key in q '*'; do pty erl -- '?1> ' '\x03' "?$menu" "$key\\n" | tail -1; done
pty erl -- '?1> ' '\x03' "?$menu" '\x03' | tail -1
pty erl -- '?1> ' '\x03' "?$menu" '\x04' | tail -1
pty erl -- '?1> ' '\x03' "?$menu" 'A\n' | grep -E 'requested|^\[' | sed -E 's/^\[(-6|134)\]$/[aborted]/'
echo "== p"
pty erl +S 2 -- '?1> ' '\x03' "?$menu" 'p\n' '?tty_sl' '?Queue: ' 'halt(3).\n' > p.out
labels < p.out; grep -E '^(Name|Spawned as|Port [a-z]|State: CONN)' p.out | sed 's/ *$//' | sort | uniq -c; tail -1 p.out
echo "== i, l, d, o"
pty erl -- '?1> ' '\x03' "?$menu" 'i\n' '?=allocated_areas' '\n' '?1> ' '\x03' "?$menu" 'd\n' '?no_distr' '\n' 'halt(4).\n' | grep -E '^(=memory|total|processes|ets:|=index_table:atom_tab|=allocated_areas|=node|=no_d|\[)' | sed 's/: [0-9]*$/:/'
pty erl -- '?1> ' '\x03' "?$menu" 'l\n' '?^io [0-9]' '\n' '?> ' '\x03' "?$menu" 'o\n' '?Connected' 'halt(5).\n' | grep -E '^(Current|Old|init|gen_server|shell|io|\[)' | sed 's/: [1-9][0-9]*$/:/; s/ [0-9]*$//' | sort
echo "== D"
pty erl -- '?1> ' "ets:new(mine, [named_table, public]), ets:insert(mine, {key, \"text\", <<\"b\">>, 1}), ets:new(other, [ordered_set, named_table]), ets:insert(other, {in, other}).\n" '?2> ' '\x03' "?$menu" 'D\n' \
  '?Name: other' '\x03' "?$menu" 'a\n' > D.out
labels < D.out; grep -A40 '^Table: mine' D.out | grep -E '^[0-9]+: \[\{key|^Objects|^Type|^Prot' | sed 's/^[0-9]*: //' | head -4; grep -c 'in,other' D.out
echo "== k"
pty erl -- '?1> ' "register(victim, spawn(fun() -> receive after infinity -> ok end end)).\n" '?2> ' '\x03' "?$menu" 'k\n' '?return' 'n\n' '?return' 'k\n' '?return' 'r\n' 'whereis(victim).\n' '?[0-9]> ' 'halt(6).\n' \
  | grep -E '^Process Information|^\(k\)ill|^Name: victim|undefined|^<|^\[' | sed 's/<.*>/PID/'
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
[ "$(cat ticks)" != "$two" ] && echo went on
echo "== flags"
pty erl +Bi -- '?1> ' '\x03' '1+1.\n' '?^2$' 'erlang:system_info(break_ignored).\n' '?^true' 'halt(7).\n' | tail -1
pty erl +Bc -- '?1> ' 'timer:sleep(infinity).\n' '\x03' '?exception' '?2> ' '1+1.\n' '?^2$' 'halt(8).\n' | tail -n +4
for f in +Bd +B; do pty erl $f -- '?1> ' '\x03' | tail -1; done
echo "== no terminal"
mkfifo in
for key in v a x; do
  erl -noshell -eval 'io:format("up~n").' < in > out & pid=$!
  exec 3> in
  for _ in {1..200}; do grep -q up out && break; sleep 0.1; done
  kill -INT $pid; for _ in {1..100}; do grep -q BREAK out && break; sleep 0.1; done
  printf '%s\n' $key >&3; sleep 0.3; exec 3>&-
  [ $key = a ] || { sleep 0.5; kill -KILL $pid; }
  wait $pid 2> /dev/null; echo "$key $?"; cat out
done
erl -noshell -eval 'io:format("up~n").' < /dev/null > out & pid=$!
for _ in {1..200}; do grep -q up out && break; sleep 0.1; done
kill -INT $pid; wait $pid; echo $?; cat out
