%% lists:sort, keysort, usort and sort by a fun: OTP's merge sort.
-module(sort_lists).
-export([run/0]).

run() ->
    L = numbers(60_000, 42, []),
    Pairs = [{X, X rem 1000} || X <- L],
    erlang:phash2({lists:sort(L), lists:keysort(2, Pairs), lists:usort([X rem 5000 || X <- L]),
                   lists:sort(fun(A, B) -> A > B end, L)}).

numbers(0, _, L) -> L;
numbers(N, X, L) -> numbers(N - 1, (X * 1103515245 + 12345) band 16#7fffffff, [X | L]).
