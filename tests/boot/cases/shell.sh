# quick
# The shell through a pipe, which is not at its end when it is told to stop.
mkfifo in; exec 9<> in
printf 'X = 1 + 2.\n[X | "abc"].\nfoo(.\nlists:map(fun(Y) -> Y * 2 end, [1,2,3]).\n1/0.\nf().\nX.\nhelp_me.\nq().\n' >&9
erl < in 9>&- | sed 's/^Erlang.*//; s/^9> $//'
echo ${PIPESTATUS[0]}; exec 9>&-
printf 'io:format("x~~n").\n' | erl -oldshell | sed 's/^Erlang.*//' | head -5
printf 'halt(5).\n' | erl > /dev/null; echo $?
