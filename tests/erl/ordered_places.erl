%% ordered_set written at places near and far from where the last writer was, beside a model: an
%% ordered list of {Key, Value}.
-module(ordered_places).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    Up = lists:seq(1, 100), Down = lists:reverse(Up), Far = [I * 7919 rem 103 || I <- Up],
    Orders = [{up, Up}, {down, Down}, {far, Far}, {twice, lists:append([[K, K] || K <- Far])}, {up_down, Up ++ Down}, {floats, [K / 2 || K <- Far] ++ Up}],
    [?S({Name, Write, written(Keys, Write)}) || {Name, Keys} <- Orders, Write <- [insert, delete, mixed, counters, elements, taken]],
    ?S(emptied()), ?S(selected()), ?S(many_kinds()), ?S(long_objects()).

%% What is there after every key was inserted once, then written as Write says.
written(Keys, Write) ->
    T = ets:new(t, [ordered_set]),
    M0 = lists:foldl(fun(K, M) -> put_in(T, K, 0, M) end, [], Keys),
    M1 = lists:foldl(fun({K, N}, M) -> write(Write, T, K, N, M) end, M0, lists:zip(Keys, lists:seq(1, length(Keys)))),
    same(T, M1).

write(insert, T, K, N, M) -> put_in(T, K, N, M);
write(delete, T, K, _, M) -> true = ets:delete(T, K), store_without(K, M);
write(mixed, T, K, N, M) when N rem 3 =:= 0 -> write(delete, T, K, N, M);
write(mixed, T, K, N, M) when N rem 7 =:= 0 -> write(delete, T, K + 1, N, put_in(T, K - 1, N, M));
write(mixed, T, K, N, M) -> put_in(T, K + 0.5, {N, lists:seq(1, N rem 5)}, M);
write(counters, T, K, N, M) -> [Sum] = [V + N || {L, V} <- M, L == K], Sum = ets:update_counter(T, K, N, {K, 0}), put_model(K, Sum, M);
write(elements, T, K, N, M) -> true = ets:update_element(T, K, {2, {N, <<N:200>>}}), put_model(K, {N, <<N:200>>}, M);
write(taken, T, K, _, M) -> _ = ets:take(T, K), store_without(K, M).

put_in(T, K, V, M) -> true = ets:insert(T, {K, V}), put_model(K, V, M).
put_model(K, V, M) -> lists:sort([{K, V} | store_without(K, M)]).
store_without(K, M) -> [P || {L, _} = P <- M, L /= K].

%% Walked both ways, asked for each key, and as a list.
same(T, M) ->
    Keys = [K || {K, _} <- M],
    true = ets:tab2list(T) =:= M, true = ets:info(T, size) =:= length(M),
    true = walk(T, ets:first(T), next) =:= Keys, true = walk(T, ets:last(T), prev) =:= lists:reverse(Keys),
    true = lists:all(fun({K, _} = P) -> ets:lookup(T, K) =:= [P] end, M),
    Between = [K + 0.25 || K <- Keys],
    true = lists:all(fun(K) -> ets:lookup(T, K) =:= [] end, Between),
    true = [ets:next(T, K) || K <- Between] =:= tl(Keys ++ ['$end_of_table' || Keys =/= []] ++ [x || Keys =:= []]),
    ets:delete(T),
    {length(M), erlang:phash2(M)}.

walk(_, '$end_of_table', _) -> [];
walk(T, K, How) -> [K | walk(T, ets:How(T, K), How)].

%% Places that are gone: everything deleted in between.
emptied() ->
    T = ets:new(t, [ordered_set]),
    R = [begin
             [ets:insert(T, {K, K}) || K <- lists:seq(1, N)],
             ets:delete_all_objects(T),
             ets:insert(T, {5, again}), ets:insert(T, {3, again}), ets:insert(T, {9, again}),
             {ets:tab2list(T), ets:delete(T, 5), ets:delete(T, 3), ets:delete(T, 9), ets:first(T)}
         end || N <- [0, 1, 2, 50, 1000]],
    ets:delete(T), R.

%% Deleted and replaced while they are walked, then written where the walk was.
selected() ->
    T = ets:new(t, [ordered_set]),
    [begin
         ets:insert(T, [{K, K} || K <- lists:seq(1, 200)]),
         A = ets:select_delete(T, [{{'$1', '_'}, [{'=:=', {'rem', '$1', N}, 0}], [true]}]),
         ets:insert(T, {100, x}), ets:insert(T, {99.5, y}), ets:delete(T, 101),
         B = ets:select_replace(T, [{{'$1', '$2'}, [{'=:=', {'rem', '$2', 3}, 1}], [{{'$1', {{'$2', N}}}}]}]),
         ets:insert(T, {201, last}), ets:insert(T, {0, first}),
         C = ets:select_delete(T, [{{'$1', '_'}, [{'>', '$1', 50}, {'<', '$1', 150}], [true]}]),
         {A, B, C, erlang:phash2(ets:tab2list(T)), ets:info(T, size), ets:first(T), ets:last(T)}
     end || N <- [2, 3, 5, 7, 1]].

many_kinds() ->
    T = ets:new(t, [ordered_set]),
    Keys = [5, 1.5, a, "s", {1}, <<"b">>, <<1:3>>, #{}, [], 1 bsl 70, -1, 5.0, {1, 2}, <<"abcdefghij">>, <<"abcdefghik">>, #{a => 1}, -(1 bsl 80), 0.0],
    [ets:insert(T, {K, N}) || N <- [1, 2, 3], K <- Keys ++ lists:reverse(Keys)],
    {ets:tab2list(T), [ets:lookup(T, K) || K <- Keys], [ets:delete(T, K) || K <- Keys], ets:info(T, size)}.

%% Objects that grow and own something outside.
long_objects() ->
    T = ets:new(t, [ordered_set]),
    [ets:insert(T, {K, binary:copy(<<K>>, 100 * R), lists:seq(1, R)}) || R <- [1, 5, 2], K <- [3, 1, 2, 2, 1, 3]],
    {[{K, byte_size(B), L} || {K, B, L} <- ets:tab2list(T)], ets:delete(T, 2), ets:delete(T, 1), ets:delete(T, 3), ets:info(T, size)}.
