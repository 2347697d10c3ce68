%% Answers awaited behind a backlog of 20,000 messages: every receive looks at all of them.
-module(selective_receive).
-export([run/0, operations/0]).

operations() -> {300, "ns/answer"}.

run() ->
    Server = spawn_link(fun serve/0),
    [self() ! {noise, N} || N <- lists:seq(1, 20_000)],
    ask(300, Server).

ask(0, _) -> done;
ask(N, Server) ->
    Server ! {self(), N},
    receive {answer, N} -> ask(N - 1, Server) end.

serve() -> receive {From, N} -> From ! {answer, N}, serve() end.
