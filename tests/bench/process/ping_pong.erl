%% Savina: two processes, one message under way.
-module(ping_pong).
-export([run/0, operations/0]).

operations() -> {200_000, "ns/trip"}.

run() ->
    Pong = spawn_link(fun pong/0),
    N = ping(200_000, Pong),
    unlink(Pong),
    exit(Pong, kill),
    N.

ping(0, _) -> done;
ping(N, Pong) ->
    Pong ! {ping, self()},
    receive pong -> ping(N - 1, Pong) end.

pong() -> receive {ping, From} -> From ! pong, pong() end.
