%% explore: crash
%% A call gives up after 50 ms; its answer comes all the same, and the next call takes it for its own.
-module(late_reply).
-export([main/1]).

main(_) ->
    Server = spawn_link(fun serve/0),
    _ = call(Server, 1, 50),
    {ok, 4} = call(Server, 2, infinity),
    Server ! stop,
    ok.

call(Server, N, Patience) ->
    Server ! {self(), N},
    receive {reply, Answer} -> {ok, Answer}
    after Patience -> timeout
    end.

serve() ->
    receive
        stop -> ok;
        {From, N} -> From ! {reply, 2 * N}, serve()
    end.
