%% Savina: the same with a window of 128 messages under way.
-module(streaming_ping_pong).
-export([run/0, operations/0]).

-define(WINDOW, 128).

operations() -> {500_000, "ns/trip"}.

run() ->
    Pong = spawn_link(fun pong/0),
    [Pong ! {ping, self()} || _ <- lists:seq(1, ?WINDOW)],
    ping(500_000 - ?WINDOW, Pong),
    [receive pong -> ok end || _ <- lists:seq(1, ?WINDOW)],
    unlink(Pong),
    exit(Pong, kill),
    done.

ping(0, _) -> done;
ping(N, Pong) -> receive pong -> Pong ! {ping, self()}, ping(N - 1, Pong) end.

pong() -> receive {ping, From} -> From ! pong, pong() end.
