# The break menu at ^C: each choice.
# needs: python3
# How much of its prompt the shell has erased when the menu comes depends on the moment.
pty() { python3 "$WB_CASES/../pseudo_terminal.py" "$@" 2>&1 | sed 's/\x1b*\[J//g'; }
menu='D\)b-tables \(d\)istribution'
# `Current call` is there or not by the moment, too: a dirty finalizer may run.
labels() { sed -nE '/BREAK:/d; s/^(=[a-z_]+:?|[A-Z][A-Za-z+ -]*:).*/\1/p' | grep -v '^Chain\|^Current call\|^Buckets\|^Fixed\|^Reductions' | sort -u; }
echo "== a, c, v, others"
pty erl -- '?1> ' '\x03' "?$menu" 'c\n' '@0.5' '1+41.\n' '?2> ' '\x03' "?$menu" 'v\n' '?version [0-9.]+$' 'x().\n' '?3> ' '\x03' "?$menu" 'h\n' "?$menu" '\n' 'a\n' | tail -n +3
for key in q '*'; do pty erl -- '?1> ' '\x03' "?$menu" "$key\\n" | tail -1; done
pty erl -- '?1> ' '\x03' "?$menu" '\x03' | tail -1
pty erl -- '?1> ' '\x03' "?$menu" '\x04' | tail -1
pty erl -- '?1> ' '\x03' "?$menu" 'A\n' | grep -E 'requested|^\[' | sed -E 's/^\[(-6|134)\]$/[aborted]/'
echo "== p"
pty erl +S 2 -- '?1> ' '\x03' "?$menu" 'p\n' '?tty_sl' '?Queue: ' 'halt(3).\n' > p.out
labels < p.out; grep -E '^(Name|Spawned as|Port [a-z]|State: CONN)' p.out | sed 's/ *$//' | sort | uniq -c; tail -1 p.out
echo "== i, l, d, o"
pty erl -- '?1> ' '\x03' "?$menu" 'i\n' '?=allocated_areas' '\n' '@1' '\x03' "?$menu" 'd\n' '?no_distr' '\n' 'halt(4).\n' | grep -E '^(=memory|total|processes|ets:|=index_table:atom_tab|=allocated_areas|=node|=no_d|\[)' | sed 's/: [0-9]*$/:/'
pty erl -- '?1> ' '\x03' "?$menu" 'l\n' '?^io [0-9]' '\n' '@1' '\x03' "?$menu" 'o\n' '?Connected' 'halt(5).\n' | grep -E '^(Current|Old|init|gen_server|shell|io|\[)' | sed 's/: [1-9][0-9]*$/:/; s/ [0-9]*$//' | sort
echo "== D"
pty erl -- '?1> ' "ets:new(mine, [named_table, public]), ets:insert(mine, {key, \"text\", <<\"b\">>, 1}), ets:new(other, [ordered_set, named_table]), ets:insert(other, {in, other}).\n" '?2> ' '\x03' "?$menu" 'D\n' \
  '?Name: other' '\x03' "?$menu" 'a\n' > D.out
labels < D.out; grep -A40 '^Table: mine' D.out | grep -E '^[0-9]+: \[\{key|^Objects|^Type|^Prot' | sed 's/^[0-9]*: //' | head -4; grep -c 'in,other' D.out
echo "== k"
pty erl -- '?1> ' "register(victim, spawn(fun() -> receive after infinity -> ok end end)).\n" '?2> ' '\x03' "?$menu" 'k\n' '?\(r\)eturn' 'n\n' '?\(r\)eturn' 'k\n' '?\(r\)eturn' 'r\n' 'Gone = fun Gone() -> whereis(victim) =:= undefined orelse Gone() end, Gone().\n' '?^true' 'halt(6).\n' \
  | grep -E '^Process Information|^\(k\)ill|^Name: victim|^true|^\[' | sed 's/<.*>/PID/'
