%% The order of maps of more than 32 keys: as BEAM has it, of all keys whose hash does not hang on numbers that a run
%% gives out (atoms, pids, references, funs).
%% args: 500 100000
%% args gc-stress: 40 500
%% args seeds: 100 5000
-module(map_order).
-export([main/1]).

main([Few, Many]) ->
    [orders(maps:from_list([{Key(I), I} || I <- lists:seq(1, N)])) || N <- [33, 40, list_to_integer(Few)], Key <- keys()],
    grown(list_to_integer(Few)),
    Big = maps:from_list([{I, I} || I <- lists:seq(1, list_to_integer(Many))]),
    io:format("~p ~p~n", [erlang:phash2(maps:keys(Big)), maps:fold(fun(K, _, A) -> (A * 31 + K) rem 1000003 end, 0, Big)]).

orders(M) ->
    io:format("~w~n~w~n~w~n~w~n", [maps:values(M), [V || {_, V} <- maps:to_list(M)], lists:reverse(maps:fold(fun(_, V, A) -> [V | A] end, [], M)), first(maps:next(maps:iterator(M)))]),
    io:format("~w ~w ~w~n", [erlang:phash2(M), erlang:md5(term_to_binary(M)), erlang:md5(io_lib:format("~w", [M]))]),
    io:format("~w ~w~n", [catch maps:map(fun(_, V) when V rem 7 =/= 0 -> V; (_, V) -> throw(V) end, M), maps:keys(maps:filter(fun(_, V) -> V rem 2 =:= 0 end, M)) =:= [K || {K, V} <- maps:to_list(M), V rem 2 =:= 0]]).

first(none) -> none;
first({_, V, Rest}) -> {V, case maps:next(Rest) of none -> none; {_, Next, _} -> Next end}.

%% The same set of keys, come to otherwise.
grown(N) ->
    Put = lists:foldl(fun(I, M) -> M#{I => I} end, #{}, lists:seq(N, 1, -1)),
    Removed = maps:without(lists:seq(N + 1, 2 * N), maps:from_list([{I, I} || I <- lists:seq(1, 2 * N)])),
    Merged = maps:merge(maps:from_list([{I, 0} || I <- lists:seq(1, N div 2)]), maps:from_list([{I, I} || I <- lists:seq(1, N)])),
    io:format("~w ~w ~w~n", [maps:keys(Put), Put =:= Removed, Put =:= Merged]).

keys() ->
    [fun(I) -> I end, fun(I) -> -I * 7919 end, fun(I) -> (1 bsl 58) + I end, fun(I) -> I * (1 bsl 70) end, fun(I) -> -(1 bsl 64) - I end,
     fun(I) -> I * 1.5 end, fun(I) -> {0.0, -0.0, I} end, fun(I) -> integer_to_binary(I * I) end, fun(I) -> <<I:13>> end,
     fun(I) -> <<_:3, B:5/binary, _/bits>> = <<I:64>>, B end, fun(I) -> list_to_binary(lists:duplicate(I, $a)) end,
     fun(I) -> integer_to_list(I) end, fun(I) -> [1, 2, 3, 4, 5, I rem 256, I div 256] end, fun(I) -> [I * 1000 | I] end,
     fun(I) -> [I | [300, -1]] end, fun(I) -> {I rem 10, I div 10} end, fun(I) -> {I, <<I:16>>, [I, I + 300, {}]} end,
     fun(I) -> {[], [[]], [[I] | 7], <<>>, I} end, fun(I) -> {{}, I, -I, 1.0 * I, "ab", [1000, 2000, $a, $b]} end,
     fun(I) -> #{I => I + 1, <<"x">> => [I]} end, fun(I) -> maps:from_list([{J, J + I} || J <- lists:seq(I, I + 40)]) end].
