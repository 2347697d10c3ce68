%% Flips of all permutations: list prefixes reversed over and over.
-module(fannkuch).
-export([run/0]).

run() -> permutations(lists:seq(1, 8), fun flips/1).

permutations(List, F) -> permute(List, [], F, 0).

permute([], Chosen, F, Max) -> max(Max, F(Chosen));
permute(Left, Chosen, F, Max) ->
    lists:foldl(fun(X, M) -> permute(lists:delete(X, Left), [X | Chosen], F, M) end, Max, Left).

flips(P) -> flips(P, 0).
flips([1 | _], N) -> N;
flips([K | _] = P, N) -> flips(flip(K, P, []), N + 1).

flip(0, Rest, Flipped) -> Flipped ++ Rest;
flip(K, [X | Rest], Flipped) -> flip(K - 1, Rest, [X | Flipped]).
