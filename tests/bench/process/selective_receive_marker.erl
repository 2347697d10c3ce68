%% The same with a reference made just before: the backlog is skipped.
-module(selective_receive_marker).
-export([run/0, operations/0]).

operations() -> {50_000, "ns/answer"}.

run() ->
    Server = spawn_link(fun serve/0),
    [self() ! {noise, N} || N <- lists:seq(1, 20_000)],
    ask(50_000, Server).

ask(0, _) -> done;
ask(N, Server) ->
    Ref = make_ref(),
    Server ! {self(), Ref},
    receive {answer, Ref} -> ask(N - 1, Server) end.

serve() -> receive {From, Ref} -> From ! {answer, Ref}, serve() end.
