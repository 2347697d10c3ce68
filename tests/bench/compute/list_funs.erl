%% OTP's lists and maps called with small funs of another module, the same ones all the time.
-module(list_funs).
-export([run/0]).

run() ->
    L = lists:seq(1, 1000),
    M = maps:from_list([{K, K * K} || K <- lists:seq(1, 500)]),
    rounds(60, L, M, 0).

rounds(0, _, _, Sum) -> Sum;
rounds(N, L, M, Sum) ->
    A = lists:map(fun(X) -> X * 3 + N end, L),
    B = lists:filter(fun(X) -> X band 3 =/= 0 end, A),
    C = lists:foldl(fun(X, S) -> S + X end, 0, B),
    D = lists:foldr(fun(X, S) -> S bxor X end, 0, B),
    E = length(lists:takewhile(fun(X) -> X < 2500 end, A)),
    {F, G} = lists:mapfoldl(fun(X, S) -> {X - S, S + 1} end, 0, L),
    H = maps:fold(fun(K, V, S) -> S + K - V end, 0, M),
    All = lists:all(fun is_integer/1, F),
    rounds(N - 1, L, M, Sum + C + D + E + G + H + if All -> 1; true -> 0 end).
