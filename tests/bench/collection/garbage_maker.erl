%% Nothing survives but a little state: the young collection's fixed cost.
-module(garbage_maker).
-export([run/0]).

run() -> loop(400_000, lists:seq(1, 10)).

loop(0, L) -> L;
loop(N, L) -> loop(N - 1, lists:reverse([X + 1 || X <- L, X < 1_000_000_000])).
