%% Keys that follow each other make tries of no more nodes than chance would: 0.3 to 0.4 a key in the mean, with a
%% deviation of a third of the root.
%% args: 10000
%% args gc-stress: 300
%% args seeds: 2000
-module(map_balance).
-export([main/1]).

main([Arg]) ->
    N = list_to_integer(Arg),
    [io:format("~p ~p~n", [Name, balanced(Key, 0, N, #{})]) || {Name, Key} <- keys()].

keys() ->
    [{integers, fun(I) -> I end}, {halves, fun(I) -> I / 2 end}, {floats, fun(I) -> float(I) end}, {strings, fun(I) -> integer_to_list(I) end},
     {atoms, fun(I) -> list_to_atom("map_balance_" ++ integer_to_list(I)) end}, {big_endian, fun(I) -> <<I:16>> end},
     {little_endian, fun(I) -> <<I:16/little>> end}, {long, fun(I) -> <<I:64>> end}, {text, fun(I) -> <<"key ", (integer_to_binary(I))/binary>> end},
     {pairs, fun(I) -> {I rem 100, I div 100} end}].

balanced(_, N, N, _) -> true;
balanced(Key, I, N, Map0) ->
    Map = Map0#{Key(I) => I},
    case I < 64 orelse I rem 7 =/= 0 orelse (nodes_of(Map) - 0.4 * map_size(Map)) / (math:sqrt(map_size(Map)) / 3) < 6 of
        true -> balanced(Key, I + 1, N, Map);
        false -> {map_size(Map), nodes_of(Map)}
    end.
nodes_of(Map) -> lists:sum([element(2, T) || T <- erts_debug:map_info(Map), lists:member(element(1, T), [bitmaps, arrays])]).
