%% gb_trees, gb_sets and dict of OTP: tuples compared and rebuilt.
-module(trees).
-export([run/0]).

run() ->
    Keys = numbers(20_000, 42, []),
    Tree = lists:foldl(fun(K, T) -> gb_trees:enter(K, K, T) end, gb_trees:empty(), Keys),
    Sum = lists:foldl(fun(K, S) -> S + gb_trees:get(K, Tree) end, 0, Keys),
    Set = gb_sets:from_list(Keys),
    Dict = lists:foldl(fun(K, D) -> dict:update_counter(K rem 4000, 1, D) end, dict:new(), Keys),
    {Sum, gb_sets:size(Set), dict:fold(fun(_, N, S) -> S + N * N end, 0, Dict)}.

numbers(0, _, L) -> L;
numbers(N, X, L) -> numbers(N - 1, (X * 1103515245 + 12345) band 16#7fffffff, [X bsr 12 | L]).
