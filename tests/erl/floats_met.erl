%% + - * / of which nobody knows the types: first they meet floats, until code expects them; then integers, big ones,
%% what is no number, results that are not finite; then all of it in turns.
%% skip gc-stress: loops until it is hot, for which it takes a million rounds
-module(floats_met).
-export([main/1, mixed/4, sum/2, square/3, guarded/2, chain/3, through/2]).
-include("show.hrl").

main(_Args) ->
    Operands = [0, 1, -3, 2.5, -0.0, 1.0e308, -1.0e308, 1 bsl 58, (1 bsl 59) - 1, -(1 bsl 59), 1 bsl 62, -(1 bsl 80), 1 bsl 1100, a, [1.0]],
    Look = fun(When) -> [?S({When, A, B, [catch F(A, B) || F <- kernels()]}) || A <- Operands, B <- Operands] end,
    Look(cold),
    ?S(hot(1.5, 0.25, 1_000_000)), Look(floats),
    ?S(hot(3, 2, 1_000_000)), Look(integers),
    ?S(hot(3, 0.5, 300_000)), ?S(hot(1 bsl 60, 1.5, 100_000)), Look(mixed),
    ?S(turns(200_000, 0, 0.0)), Look(turns).

kernels() ->
    [fun(A, B) -> mixed(A, B, A, B) end, fun(A, B) -> sum([A, B, A], B) end, fun(A, B) -> square(A, B, 3) end,
     fun guarded/2, fun(A, B) -> chain(A, B, 4) end, fun through/2, fun(A, _) -> 2 * A + 1 end, fun(A, _) -> 0.5 * A - 1 end,
     fun(A, B) -> A / B end, fun(A, _) -> 1 / A end, fun(A, _) -> A / 3 end].

hot(A, B, N) -> hot(A, B, N, 0, 0).
hot(_, _, 0, S, T) -> {S, T};
hot(A, B, N, S, T) ->
    R = ?MODULE:mixed(A, B, N, 2) - ?MODULE:mixed(A, B, N, 2), Q = ?MODULE:square(A, B, 2),
    hot(A, B, N - 1, S + R + ?MODULE:sum([A, B], A), T + ?MODULE:through(Q, A) + ?MODULE:chain(B, A, 1)).

turns(0, S, T) -> {S, T};
turns(N, S, T) ->
    {A, B} = case N rem 5 of 0 -> {N, 2}; 1 -> {N * 0.5, 3}; 2 -> {1, 0.5}; 3 -> {1.5, 2.5}; 4 -> {1 bsl 60, 1} end,
    turns(N - 1, S + ?MODULE:mixed(A, B, 1, 1), T + ?MODULE:square(A, B, 1) - ?MODULE:sum([B, A], 0)).

mixed(A, B, C, D) -> X = A * B + C, Y = D - A * 0.5, Z = X + Y * B, {X, Y, Z} =/= {}, Z - X + Y.
sum([X | Xs], S) -> sum(Xs, S + X);
sum([], S) -> S.
square(_, B, 0) -> B;
square(A, B, N) -> square(A, B * A - A + B, N - 1).
guarded(A, B) when A * B > 10, A + B < 100 -> {big, A - B};
guarded(A, B) when A / B > 0.5 -> {quotient, A / B};
guarded(A, B) -> {other, (catch A * B), (catch A - B)}.
chain(A, _, 0) -> A;
chain(A, B, N) -> X = A + B, Y = A - B, Z = X * Y, chain(Z / 2 + X - Y, B, N - 1).
through(A, B) -> X = {A * 2, B + 1}, {P, Q} = X, P * Q - A.
