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
# Who handles SIGCHLD hears of those that somebody sends, and not of the children of ports.
cat > heard.erl <<'END'
-module(heard).
-behaviour(gen_event).
-export([go/0, init/1, handle_event/2, handle_call/2]).
init(To) -> {ok, To}.
handle_event(What, To) -> To ! {heard, What}, {ok, To}.
handle_call(_, To) -> {ok, ok, To}.
go() ->
    ok = gen_event:add_handler(erl_signal_server, ?MODULE, self()),
    os:set_signal(sigchld, handle),
    [os:cmd("exit " ++ integer_to_list(N)) || N <- lists:seq(1, 20)],
    P = open_port({spawn, "cat"}, []),
    port_close(P),
    io:format("~p~n", [all()]),
    [begin os:cmd("kill -CHLD " ++ os:getpid()), timer:sleep(100) end || _ <- [1, 2, 3]],
    io:format("~p~n", [all()]),
    halt().
all() -> receive {heard, What} -> [What | all()] after 1000 -> [] end.
END
erlc heard.erl
erl -noshell -s heard go
