%% whereis_then_send.erl, mended.
-module(whereis_then_send_mended).
-export([main/1]).

main(_) ->
    Server = spawn(fun() -> register(the_server, self()), serve() end),
    await(50),
    {Pid, Ref} = spawn_monitor(fun notify/0),
    timer:sleep(5),
    Server ! stop,
    receive {'DOWN', Ref, process, Pid, Reason} -> normal = Reason end,
    ok.

await(0) -> exit(no_server);
await(N) ->
    case whereis(the_server) of
        undefined -> timer:sleep(1), await(N - 1);
        _ -> ok
    end.

notify() ->
    case whereis(the_server) of
        undefined -> ok;
        Pid -> Pid ! hello
    end.

serve() -> receive stop -> ok; _ -> serve() end.
