%% Naive reverse: list cells built and dropped at once.
-module(nrev).
-export([run/0]).

run() -> repeat(60_000, lists:seq(1, 30), []).

repeat(0, _, Last) -> Last;
repeat(N, List, _) -> repeat(N - 1, List, reverse(List)).

reverse([]) -> [];
reverse([H | T]) -> append(reverse(T), [H]).

append([], L) -> L;
append([H | T], L) -> [H | append(T, L)].
