%% OTP's lists called with twelve funs in turn: who guesses which is called guesses wrong.
-module(many_funs).
-export([run/0]).

run() ->
    L = lists:seq(1, 100),
    Maps = [fun(X) -> X + 1 end, fun(X) -> X * 2 end, fun(X) -> X - 3 end, fun(X) -> -X end,
            fun(X) -> X band 7 end, fun(X) -> X bor 8 end, fun(X) -> X bxor 5 end, fun(X) -> {X} end,
            fun(X) -> [X] end, fun(X) -> X div 3 end, fun(X) -> X rem 5 end, fun(X) -> X bsl 2 end],
    Folds = [fun(X, S) -> S + X end, fun(X, S) -> S - X end, fun(X, S) -> S bxor X end, fun(X, S) -> max(S, X) end],
    rounds(70, L, Maps, Folds, 0).

rounds(0, _, _, _, Sum) -> Sum;
rounds(N, L, Maps, Folds, Sum) ->
    A = [length(lists:map(F, L)) || F <- Maps],
    B = [lists:foldl(F, N, L) || F <- Folds],
    rounds(N - 1, L, Maps, Folds, Sum + length(A) + lists:sum(B)).
