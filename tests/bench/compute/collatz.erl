%% The longest Collatz chain: rem, div, multiply in guards and bodies.
-module(collatz).
-export([run/0]).

run() -> longest(60_000, 0, 0).

longest(0, Best, Start) -> {Best, Start};
longest(N, Best, Start) ->
    case steps(N, 1) of
        S when S > Best -> longest(N - 1, S, N);
        _ -> longest(N - 1, Best, Start)
    end.

steps(1, S) -> S;
steps(N, S) when N rem 2 =:= 0 -> steps(N div 2, S + 1);
steps(N, S) -> steps(3 * N + 1, S + 1).
