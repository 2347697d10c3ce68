# quick
# The shell through a pipe, which is not at its end when it is told to stop.
{ printf 'X = 1 + 2.\n[X | "abc"].\nfoo(.\nlists:map(fun(Y) -> Y * 2 end, [1,2,3]).\n1/0.\nf().\nX.\nhelp_me.\nq().\n'; sleep 2; } | erl | sed 's/^Erlang.*//'
echo $?
printf 'io:format("x~~n").\n' | erl -oldshell | sed 's/^Erlang.*//' | head -5
printf 'halt(5).\n' | erl > /dev/null; echo $?
