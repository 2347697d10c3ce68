%% Spectral norm of an infinite matrix: integer division, floats, comprehensions.
-module(spectral_norm).
-export([run/0]).

-define(N, 130).

run() ->
    U0 = lists:duplicate(?N, 1.0),
    {U, V} = lists:foldl(fun(_, {U1, _}) ->
                             V1 = at_a_times(U1),
                             {at_a_times(V1), V1}
                         end, {U0, U0}, lists:seq(1, 10)),
    math:sqrt(dot(U, V) / dot(V, V)).

at_a_times(V) -> times(fun(I, J) -> a(J, I) end, times(fun a/2, V)).

times(A, V) -> [row(A, I, 0, V, 0.0) || I <- lists:seq(0, ?N - 1)].

row(_, _, _, [], Sum) -> Sum;
row(A, I, J, [X | V], Sum) -> row(A, I, J + 1, V, Sum + A(I, J) * X).

a(I, J) -> 1.0 / ((I + J) * (I + J + 1) div 2 + I + 1).

dot(A, B) -> dot(A, B, 0.0).
dot([], [], Sum) -> Sum;
dot([X | A], [Y | B], Sum) -> dot(A, B, Sum + X * Y).
