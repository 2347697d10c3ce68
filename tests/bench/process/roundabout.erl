%% Reactors: one process sends in turn to 128 others, which each count.
-module(roundabout).
-export([run/0, operations/0]).

operations() -> {600_000, "ns/message"}.

run() ->
    Main = self(),
    Per = 600_000 div 120,
    Pids = [spawn_link(fun() -> count(Per, Main) end) || _ <- lists:seq(1, 120)],
    send(Per, Pids),
    length([receive {done, P} -> P end || P <- Pids]).

send(0, _) -> ok;
send(N, Pids) -> each(Pids, N), send(N - 1, Pids).

each([], _) -> ok;
each([P | Pids], N) -> P ! N, each(Pids, N).

count(0, Main) -> Main ! {done, self()};
count(N, Main) -> receive _ -> count(N - 1, Main) end.
