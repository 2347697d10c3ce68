%% Tables, a dictionary and sets of some thousand keys, as a script that joins two lists.
-module(short_tables).
-export([run/0]).

run() ->
    T = ets:new(t, [ordered_set]),
    [ets:insert(T, {K * 7919 rem 20_011, K}) || K <- lists:seq(1, 20_000)],
    Tree = lists:foldl(fun(K, G) -> gb_trees:enter(K * 31 rem 16_001, K, G) end, gb_trees:empty(), lists:seq(1, 16_000)),
    Map = maps:from_list([{{key, K}, K} || K <- lists:seq(1, 20_000)]),
    Joined = [{K, V, maps:get({key, K}, Map, none)} || {K, V} <- ets:tab2list(T), gb_trees:is_defined(K, Tree)],
    erlang:phash2(Joined).
