%% 300,000 timers: a third cancelled, a third read, all others fire.
-module(timers_many).
-export([run/0, operations/0]).

operations() -> {300_000, "ns/timer"}.

run() ->
    Refs = [erlang:start_timer(10 + N rem 50, self(), N) || N <- lists:seq(1, 100_000)],
    Far = [erlang:send_after(3_600_000 + N, self(), N) || N <- lists:seq(1, 200_000)],
    Left = length([R || R <- Far, is_integer(erlang:read_timer(R))]),
    Cancelled = length([R || R <- Far, is_integer(erlang:cancel_timer(R))]),
    {Left, Cancelled, lists:sum([receive {timeout, _, N} -> N end || _ <- Refs])}.
