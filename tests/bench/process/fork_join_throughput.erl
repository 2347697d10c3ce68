%% Savina: 60 processes get 10,000 messages each, in turn, and do a little work at each.
-module(fork_join_throughput).
-export([run/0, operations/0]).

operations() -> {600_000, "ns/message"}.

run() ->
    Main = self(),
    Workers = [spawn_link(fun() -> work(10_000, 0.0, Main) end) || _ <- lists:seq(1, 60)],
    send(10_000, Workers),
    length([receive {done, W} -> W end || W <- Workers]).

send(0, _) -> ok;
send(N, Workers) -> [W ! work || W <- Workers], send(N - 1, Workers).

work(0, _, Main) -> Main ! {done, self()};
work(N, X, Main) -> receive work -> work(N - 1, math:sin(37.2) * math:sin(37.2) + X, Main) end.
