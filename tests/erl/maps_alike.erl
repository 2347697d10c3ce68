%% Large maps of keys whose hashes are the same, and lists with many duplicates.
-module(maps_alike).
-export([main/1]).

main(_) ->
    Alike = [[16483091, 44037551, 92086867, 164043309, 185708676],
             [20699734, 121996385, 126856425, 154806812, 207899638],
             [31786595, 119736916, 122785140, 147142025, 151658712]],
    Others = lists:seq(1, 40),
    [begin
         M = maps:from_list([{K, I} || {K, I} <- lists:zip(Keys ++ Others ++ Keys, lists:seq(1, 40 + 2 * length(Keys)))]),
         io:format("~p ~p~n", [map_size(M), maps:to_list(M)])
     end || Keys <- Alike ++ [lists:append(Alike), lists:reverse(lists:append(Alike)), []]],
    [begin
         L = [{key(Kind, I * 7919 rem Distinct), I} || I <- lists:seq(1, N)],
         M = maps:from_list(L),
         M = lists:foldl(fun({K, V}, A) -> A#{K => V} end, #{}, L),
         M = binary_to_term(term_to_binary(M)),
         io:format("~p ~p ~p: ~p ~p~n",
                   [Kind, N, Distinct, map_size(M), {lists:sum(maps:values(M)), erlang:phash2(lists:sort(maps:to_list(M)))}])
     end || Kind <- [integer, binary, tuple, float, list, big], N <- [33, 600, 5000], Distinct <- [1, 34, 977, 5000]],
    io:format("~p~n", [try maps:from_list([{I, I} || I <- lists:seq(1, 600)] ++ [none]) catch C:R -> {C, R} end]),
    io:format("~p~n", [map_size(maps:from_keys([I rem 300 || I <- lists:seq(1, 2000)], x))]).

key(integer, I) -> I;
key(binary, I) -> integer_to_binary(I);
key(tuple, I) -> {I, a};
key(float, I) -> I / 3;
key(list, I) -> [I, I];
key(big, I) -> I + (1 bsl 70).
