# quick
# How children end is known although SIGCHLD is ignored: by the program, or by whoever started the machine.
cat > children.erl <<'END'
-module(children).
-export([go/0]).
go() ->
    ended(),
    [begin os:set_signal(sigchld, How), ended() end || How <- [ignore, default, handle]],
    halt().
ended() ->
    P = open_port({spawn, "sh -c 'exit 7'"}, [exit_status]),
    receive {P, X} -> io:format("~p ~p~n", [X, os:cmd("echo hi; exit 3")]) after 5000 -> io:format("nothing~n") end.
END
erlc children.erl
erl -noshell -s children go
python3 -c 'import os, signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execvp("erl", ["erl", "-noshell", "-s", "children", "go"])'
