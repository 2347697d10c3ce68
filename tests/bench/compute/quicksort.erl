%% The textbook's quicksort over pseudo-random numbers.
-module(quicksort).
-export([run/0]).

run() -> erlang:phash2([qsort(numbers(50_000, Seed, [])) || Seed <- [1, 2, 3, 4]]).

numbers(0, _, L) -> L;
numbers(N, X, L) -> numbers(N - 1, (X * 1103515245 + 12345) band 16#7fffffff, [X | L]).

qsort([]) -> [];
qsort([P | Rest]) -> qsort([X || X <- Rest, X < P]) ++ [P | qsort([X || X <- Rest, X >= P])].
