%% explore: crash
%% A server that was there a moment ago may be gone when its name is used.
-module(whereis_then_send).
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
        _ -> the_server ! hello
    end.

serve() -> receive stop -> ok; _ -> serve() end.
