%% A table of 100,000 keys updated over and over: old data with new data pointing into it.
-module(live_map).
-export([run/0]).

run() ->
    M = maps:from_list([{K, {K, [K]}} || K <- lists:seq(0, 99_999)]),
    maps:fold(fun(_, {K, L}, S) -> S + K + length(L) end, 0, update(150_000, 1, M)).

update(0, _, M) -> M;
update(N, X, M) ->
    K = X rem 100_000,
    {K1, L} = map_get(K, M),
    update(N - 1, (X * 1103515245 + 12345) band 16#7fffffff, M#{K := {K1 + 1, lists:sublist([N | L], 3)}}).
