%% ETS from all cores: readers and writers on one table with concurrency on.
-module(ets_all_cores).
-export([run/0, operations/0]).

operations() -> {480_000, "ns/operation"}.

run() ->
    T = ets:new(t, [public, set, {read_concurrency, true}, {write_concurrency, true}]),
    ets:insert(T, [{K, 0} || K <- lists:seq(0, 9999)]),
    Workers = [spawn_monitor(fun() -> work(60_000, W * 7919, T) end) || W <- lists:seq(1, 8)],
    [receive {'DOWN', R, process, P, normal} -> ok end || {P, R} <- Workers],
    Sum = ets:foldl(fun({_, N}, S) -> S + N end, 0, T),
    ets:delete(T),
    Sum.

work(0, _, _) -> ok;
work(N, X, T) ->
    K = (X bsr 8) rem 10_000,
    case N band 3 of
        0 -> ets:update_counter(T, K, 1);
        _ -> [{K, _}] = ets:lookup(T, K)
    end,
    work(N - 1, (X * 1103515245 + 12345) band 16#7fffffff, T).
