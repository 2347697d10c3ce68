%% All solutions of the ten queens by list comprehension.
-module(queens).
-export([run/0]).

run() -> length(queens(10, 10)).

queens(0, _) -> [[]];
queens(K, N) ->
    [[Q | Qs] || Qs <- queens(K - 1, N), Q <- lists:seq(1, N), safe(Q, Qs, 1)].

safe(_, [], _) -> true;
safe(Q, [Q1 | Qs], D) when Q =/= Q1, Q =/= Q1 + D, Q =/= Q1 - D -> safe(Q, Qs, D + 1);
safe(_, _, _) -> false.
