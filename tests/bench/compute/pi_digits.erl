%% Digits of pi by a spigot: ever larger integers.
-module(pi_digits).
-export([run/0]).

run() -> erlang:phash2(digits(900, {1, 0, 1, 1})).

digits(0, _) -> [];
digits(N, {Q, R, T, K} = Z) ->
    Y = (3 * Q + R) div T,
    case (4 * Q + R) div T of
        Y -> [Y | digits(N - 1, {10 * Q, 10 * (R - Y * T), T, K})];
        _ -> digits(N, next(Z))
    end.

next({Q, R, T, K}) -> {Q * K, (2 * Q + R) * (2 * K + 1), T * (2 * K + 1), K + 1}.
