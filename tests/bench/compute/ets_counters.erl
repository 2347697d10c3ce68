%% ETS: counters, inserts, lookups and a fold, one process.
-module(ets_counters).
-export([run/0]).

run() ->
    T = ets:new(counters, [set, public]),
    count(400_000, 1, T),
    Ordered = ets:new(ordered, [ordered_set]),
    [ets:insert(Ordered, {N * 7919 rem 30_011, N}) || N <- lists:seq(1, 30_000)],
    Sum = ets:foldl(fun({_, N}, S) -> S + N end, 0, T),
    Result = {ets:info(T, size), Sum, ets:first(Ordered), ets:last(Ordered),
              walk(ets:first(Ordered), Ordered, 0)},
    ets:delete(T),
    ets:delete(Ordered),
    Result.

count(0, _, _) -> ok;
count(N, X, T) ->
    ets:update_counter(T, X rem 5000, 1, {X rem 5000, 0}),
    count(N - 1, (X * 1103515245 + 12345) band 16#7fffffff, T).

walk('$end_of_table', _, Sum) -> Sum;
walk(Key, T, Sum) ->
    [{_, N}] = ets:lookup(T, Key),
    walk(ets:next(T, Key), T, Sum + N).
