# quick
cat > a.escript <<'F'
#!/usr/bin/env escript
%%! -hidden -smp enable
main(Args) -> io:format("~p ~p~n", [Args, filename:basename(escript:script_name())]), halt(length(Args)).
F
chmod +x a.escript
./a.escript x "y z"; echo $?
escript a.escript; echo $?
escript nosuch.escript 2>&1; echo $?
printf '#!/usr/bin/env escript\nmain(_) -> exit(oops).\n' > b.escript
escript b.escript 2>&1; echo $?
printf '#!/usr/bin/env escript\nmain(_) -> foo.bar(.\n' > c.escript
escript c.escript 2>&1; echo $?
printf '#!/usr/bin/env escript\n%%%%! -mode compile\nmain([N]) -> io:format("~~p~~n", [fib(list_to_integer(N))]).\nfib(N) when N < 2 -> N;\nfib(N) -> fib(N-1) + fib(N-2).\n' > d.escript
escript -c d.escript 20; echo $?
