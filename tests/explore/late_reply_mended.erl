%% late_reply.erl, mended: who gives up takes back the address to which the answer would come.
-module(late_reply_mended).
-export([main/1]).

main(_) ->
    Server = spawn_link(fun serve/0),
    _ = call(Server, 1, 50),
    {ok, 4} = call(Server, 2, infinity),
    Server ! stop,
    ok.

call(Server, N, Patience) ->
    Alias = alias([reply]),
    Server ! {Alias, N},
    receive {reply, Alias, Answer} -> {ok, Answer}
    after Patience ->
        unalias(Alias),
        receive {reply, Alias, Answer} -> {ok, Answer} after 0 -> timeout end
    end.

serve() ->
    receive
        stop -> ok;
        {Alias, N} -> Alias ! {reply, Alias, 2 * N}, serve()
    end.
