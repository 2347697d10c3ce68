%% Linked children that crash, a parent that traps exits; and chains of links that all go down.
-module(link_crash).
-export([run/0, operations/0]).

operations() -> {100_000, "ns/process"}.

run() ->
    process_flag(trap_exit, true),
    crash(50_000),
    [chain(1000) || _ <- lists:seq(1, 50)],
    done.

crash(0) -> ok;
crash(N) ->
    Pid = spawn_link(fun() -> exit({shutdown, N}) end),
    receive {'EXIT', Pid, {shutdown, N}} -> crash(N - 1) end.

chain(N) ->
    Pid = spawn_link(fun() -> link_on(N) end),
    receive {'EXIT', Pid, boom} -> ok end.

link_on(0) -> exit(boom);
link_on(N) -> spawn_link(fun() -> link_on(N - 1) end), receive never -> ok end.
