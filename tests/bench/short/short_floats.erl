%% A small picture: floats in a loop that a compiler likes, for less time than it takes to compile much.
-module(short_floats).
-export([run/0]).

run() -> lists:sum([points(Y, 0, 0) || Y <- lists:seq(0, 99)]).

points(_, 100, N) -> N;
points(Y, X, N) -> points(Y, X + 1, N + inside(X / 40 - 2, Y / 50 - 1, 0.0, 0.0, 60)).

inside(_, _, _, _, 0) -> 1;
inside(A, B, X, Y, N) ->
    X2 = X * X,
    Y2 = Y * Y,
    case X2 + Y2 > 4.0 of
        true -> 0;
        false -> inside(A, B, X2 - Y2 + A, 2 * X * Y + B, N - 1)
    end.
