%% Savina, ping pong: two processes, one message under way.
-module(savina_pingpong).
-export([run/0, small/0]).

run() -> run(40_000).
small() -> run(50).

run(N) ->
    Pong = spawn_link(fun() -> pong(0) end),
    ping(N, Pong),
    Pong ! {stop, self()},
    receive {pongs, Count} -> Count end.

ping(0, _) -> ok;
ping(N, Pong) ->
    Pong ! {ping, self()},
    receive pong -> ping(N - 1, Pong) end.

pong(Count) ->
    receive
        {ping, From} -> From ! pong, pong(Count + 1);
        {stop, From} -> From ! {pongs, Count}
    end.
