%% Processes that end at once, waited for by monitor, one after the other and 1,000 at a time.
-module(spawn_exit).
-export([run/0, operations/0]).

operations() -> {150_000, "ns/process"}.

run() -> one(50_000), many(100).

one(0) -> ok;
one(N) ->
    {Pid, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, process, Pid, normal} -> one(N - 1) end.

many(0) -> done;
many(N) ->
    Refs = [element(2, spawn_monitor(fun() -> ok end)) || _ <- lists:seq(1, 1000)],
    [receive {'DOWN', R, process, _, normal} -> ok end || R <- Refs],
    many(N - 1).
