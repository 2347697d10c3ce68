%% A recursion 300,000 deep that allocates on the way: stacks are roots.
-module(deep_stack).
-export([run/0]).

run() -> [length(down(300_000)) || _ <- [1, 2, 3, 4]].

down(0) -> [];
down(N) -> T = {N, N}, [T | down(N - 1)].
