%% Sorts what a generator made, checks it, and counts what is there twice.
-module(short_sort).
-export([run/0]).

run() ->
    L = numbers(200_000, 17, []),
    Sorted = sort(L),
    true = Sorted =:= lists:sort(L),
    twice(Sorted, 0).

numbers(0, _, L) -> L;
numbers(N, X, L) ->
    Next = (X * 1103515245 + 12345) band 16#7fffffff,
    numbers(N - 1, Next, [Next bsr 12 | L]).

sort([]) -> [];
sort([P | T]) -> sort([X || X <- T, X < P]) ++ [P | sort([X || X <- T, X >= P])].

twice([A, A | T], N) -> twice([A | T], N + 1);
twice([_ | T], N) -> twice(T, N);
twice([], N) -> N.
