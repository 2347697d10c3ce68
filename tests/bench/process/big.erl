%% Savina: 240 processes, each asks random others and waits for the answer, 800 times.
-module(big).
-export([run/0, operations/0]).

operations() -> {192_000, "ns/trip"}.

run() ->
    Main = self(),
    Pids = [spawn_link(fun() -> receive {all, All} -> ask(800, N * 7919, All, tuple_size(All), Main) end end)
            || N <- lists:seq(1, 240)],
    All = list_to_tuple(Pids),
    [P ! {all, All} || P <- Pids],
    [receive {done, P} -> ok end || P <- Pids],
    [P ! stop || P <- Pids],
    length(Pids).

ask(0, _, _, _, Main) -> Main ! {done, self()}, answer();
ask(N, X, All, Size, Main) ->
    element((X bsr 8) rem Size + 1, All) ! {ping, self()},
    wait(),
    ask(N - 1, (X * 1103515245 + 12345) band 16#7fffffff, All, Size, Main).

wait() ->
    receive
        pong -> ok;
        {ping, From} -> From ! pong, wait()
    end.

answer() ->
    receive
        {ping, From} -> From ! pong, answer();
        stop -> ok
    end.
