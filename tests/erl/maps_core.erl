%% Maps: syntax, matching, the flat and the hashed form and the crossing between them.
-module(maps_core).
-export([main/1]).
-compile(no_copt).
-include("show.hrl").

main(_Args) ->
    %% Of the equal keys 0.0 and -0.0 mostly the later stays.
    ?S([maps:from_list([{0.0, 1}, {-0.0, 2}]), maps:from_keys([-0.0, 0.0], a), maps:merge(#{0.0 => 1}, #{-0.0 => 2}), maps:put(-0.0, x, #{0.0 => 1})]),
    ?S([K || M0 <- [(big(40))#{0.0 => 1}], M1 <- [M0#{-0.0 => 2}, maps:merge(M0, #{-0.0 => 1}), M0#{-0.0 => 1}], K <- maps:keys(M1), is_float(K)]),
    ?S(begin put(0.0, a), put(-0.0, b), {get(0.0), [K || {K, _} <- get(), is_float(K)]} end),
    M = id(#{a => 1, "b" => 2, {c} => 3}),
    ?S(M#{a => 10}), ?S(M#{a := 10}), ?S(M#{z => 0}), ?S(M#{z := 0}), ?S((id(x))#{a => 1}), ?S((id([]))#{a := 1}),
    ?S(M#{a => x, new => y, "b" := z}), ?S(M#{42.0 := v, 42 := v, a := w}), ?S((big(40))#{z := 1, y := 2, 41 := 3}), ?S(#{}), ?S(#{id(k) => id(v), id(k) => w}),
    ?S(begin #{a := A, "b" := B} = M, {A, B} end), ?S(begin #{nope := X} = M, X end), ?S(begin #{a := 2} = M end),
    ?S(maps:get(a, M)), ?S(maps:get(zz, M)), ?S(maps:get(a, x)), ?S(map_get(a, M)), ?S(map_get(q, M)), ?S(map_size(M)),
    ?S(map_size(id(x))), ?S(is_map_key(a, M)), ?S(is_map_key(a, id(y))), ?S(maps:find(a, M)), ?S(maps:find(q, M)),
    ?S(maps:remove(a, M)), ?S(maps:remove(q, M)), ?S(maps:take(a, M)), ?S(maps:take(q, M)), ?S(maps:put(a, b, x)),
    ?S(maps:update(q, 1, M)), ?S(maps:keys(M)), ?S(maps:values(M)), ?S(maps:merge(#{a => 1, b => 1}, #{b => 2, c => 2})),
    ?S(maps:merge(x, #{})), ?S(maps:from_list([{a, 1}, {a, 2}])), ?S(maps:from_list([a])), ?S(maps:from_list([{a, 1} | b])),
    ?S(maps:from_keys([a, b], 0)), ?S(maps:to_list(#{b => 1, a => 2})), ?S(maps:size(#{})), ?S(maps:to_list(x)),
    [?S(match(V)) || V <- [#{}, #{type => circle, r => 2}, #{type => rect, w => 2, h => 3}, #{type => rect}, [], #{1 => a}]],
    ?S(guard(#{n => 5})), ?S(guard(#{n => x})), ?S(guard(#{})), ?S(guard(7)),
    ?S(bind(b, #{a => 1, b => 2})), ?S(bind(q, #{a => 1})), ?S(numbers()),
    [crossing(N) || N <- [0, 1, 31, 32, 33, 34, 100, 1000]],
    ?S(collisions()), ?S(nested(1000)), ?S(counted("the quick brown fox jumps over the lazy dog")),
    ?S(maps:fold(fun(K, V, A) -> K + V + A end, 0, maps:from_list([{I, I} || I <- lists:seq(1, 500)]))),
    ?S(lists:sort(maps:keys(maps:filter(fun(K, _) -> K rem 7 =:= 0 end, big(100))))),
    ?S(show:sorted(maps:map(fun(_, V) -> -V end, big(40)))), ?S(iterate(maps:iterator(big(300)), 0)),
    ?S(maps:next(maps:iterator(#{}))), ?S(show:sorted(maps:with([1, 2, x], big(40)))), ?S(map_size(maps:without([1, 2, x], big(40)))),
    ?S(maps:groups_from_list(fun(X) -> X rem 3 end, lists:seq(1, 10))), ?S(maps:intersect(#{a => 1, b => 2}, #{b => 3})),
    ?S(maps:merge_with(fun(_, A, B) -> {A, B} end, #{a => 1, b => 2}, #{b => 3, c => 4})), ?S(maps:update_with(a, fun(X) -> X + 1 end, M)),
    ?S(big(50) =:= maps:from_list(lists:reverse(maps:to_list(big(50))))), ?S(big(50) == maps:map(fun(_, V) -> V * 1.0 end, big(50))),
    ?S(big(33) > big(32)), ?S(big(40) < (big(40))#{5 := 100}), ?S(maps:remove(33, big(33)) =:= big(32)),
    [?S([fields(X) || X <- [id(F) || _ <- [1, 2, 3]]]) || F <- [#{a => 1, {k, 1} => 2, "s" => a}, #{a => 1, {k, 2} => 2, "s" => a}, #{}, (big(40))#{a => x, {k, 1} => y, "s" => 1}, id(7)]],
    [?S([catch put_all(X, Y) || _ <- [1, 2, 3]]) || X <- [#{}, #{1 => a, z => b, {k, 1} => c}, big(40), id(none)], Y <- [1, {k, 1}]],
    [?S([catch update_all(X, Y) || _ <- [1, 2, 3]]) || X <- [#{}, #{1 => a, z => b, {k, 1} => c}, (big(40))#{z => b, {k, 1} => c}, id(none)], Y <- [1, {k, 1}, 3.0]],
    [?S({N, in_parts(N)}) || N <- [32, 33, 126, 127, 128, 129, 130, 255, 256, 257, 1000, 5000]],
    many_kinds().

%% Several keys at once, in native code as elsewhere: results where the operands were, one missing.
fields(#{a := A, {k, 1} := B, "s" := C} = M) ->
    case M of
        #{C := D, B := _} -> {A, B, C, D};
        #{C := M1} -> [M1, A, B]
    end;
fields(#{a := M} = X) -> {M, X};
fields(M) when is_map_key(q, M); M =:= #{} -> empty;
fields(M) -> {no, M}.

put_all(M, K) -> [brief(M#{K => [K]}), brief(M#{z => M, K => 2, K => 3, {k, 1} => K})].
update_all(M, K) -> [brief(M#{K := [K]}), brief(M#{z := M, K := 2, {k, 1} := K})].
brief(M) when map_size(M) > 32 -> {map_size(M), erlang:phash2(M)};
brief(M) -> M.

%% Every key of maps of all sizes is found whatever its neighbours are; others are not.
many_kinds() ->
    Keys = [0, 1, -1, 1.0, 2.5, 1 bsl 70, 1.0e30, a, ab, b, {}, {a}, {b_var, 1}, {b_var, 2}, {b_var, 30}, {b_var, a},
            {1, {x, 1}}, {1.0, {x, 1}}, {1, {x, 2}}, {1, {x, 2.0}}, [], [a], [a, b], [1.0], [1], [{x, 1}], [{x, 1} | b], "str",
            <<>>, <<"b">>, <<1:3>>, #{}, #{1 => 2}, #{1.0 => 2}],
    Absent = [2, {b_var, 3}, {b_var, 1.0}, {1, {x, 3}}, [b], [{x, 1.0}], <<"c">>, #{2 => 1}, {b_var, 1, 1}, 5.0],
    [begin
         Some = lists:sublist(Keys, From, N),
         M = maps:from_list([{K, {K}} || K <- Some]),
         M = lists:foldl(fun(K, A) -> A#{K => {K}} end, #{}, lists:reverse(Some)),
         true = lists:all(fun(K) -> map_get(K, M) =:= {K} end, Some),
         false = lists:any(fun(K) -> is_map_key(K, M) end, Absent),
         [true = maps:remove(K, M#{K => 1}) =:= M || K <- Absent]
     end || N <- lists:seq(0, 34), From <- [1, 7, 35 - N], From > 0],
    ?S(maps:keys(maps:from_keys(lists:sublist(Keys, 3, 32), 0))), ?S(lists:sort(Keys)).

big(N) -> maps:from_list([{I, I * 2} || I <- lists:seq(1, N)]).

match(#{type := circle, r := R}) -> {circle, R};
match(#{type := rect, w := W, h := H}) -> {rect, W * H};
match(#{type := T}) -> {incomplete, T};
match(M) when map_size(M) =:= 0 -> empty;
match(#{}) -> some_map;
match(_) -> no_map.

guard(M) when is_map_key(n, M), map_get(n, M) > 3 -> {large, map_get(n, M)};
guard(M) when is_map(M) -> map;
guard(_) -> other.

bind(K, M) ->
    case M of
        #{K := V} -> {found, V};
        #{} -> missing
    end.

numbers() ->
    M = #{1 => int, 1.0 => float, 1 bsl 70 => big, 0.0 => zero},
    [maps:get(K, M, none) || K <- [1, 1.0, 1 bsl 70, 0.0, 0]].

%% Up to 32 keys flat, hashed above: every step up and down again.
crossing(N) ->
    Up = lists:foldl(fun(I, M) -> N0 = map_size(M), M1 = M#{{key, I} => I}, N0 = map_size(M1) - 1, M1 end, #{}, lists:seq(1, N)),
    Updated = lists:foldl(fun(I, M) -> M#{{key, I} := -I} end, Up, lists:seq(1, N)),
    Down = lists:foldl(fun(I, M) -> maps:remove({key, I}, M) end, Updated, lists:seq(1, N, 2)),
    io:format("~w ~w ~w ~w~n", [N, map_size(Up), lists:sum(maps:values(Updated)), lists:sort(maps:values(Down))]).

collisions() ->
    Keys = [{I, J} || I <- lists:seq(1, 60), J <- lists:seq(1, 60)],
    M = maps:from_keys(Keys, v),
    true = lists:all(fun(K) -> is_map_key(K, M) end, Keys),
    false = is_map_key({0, 0}, M),
    map_size(M).

nested(0) -> #{};
nested(N) -> deepen(N, leaf).
deepen(0, M) -> depth(M, 0);
deepen(N, M) -> deepen(N - 1, #{inner => M, n => N}).
depth(#{inner := M}, N) -> depth(M, N + 1);
depth(leaf, N) -> N.

counted(Text) ->
    Counts = lists:foldl(fun(C, M) -> maps:update_with(C, fun(N) -> N + 1 end, 1, M) end, #{}, Text),
    [{[C], N} || {C, N} <- lists:sort(maps:to_list(Counts)), N > 2].

iterate(I, Sum) ->
    case maps:next(I) of
        none -> Sum;
        {K, V, Next} -> iterate(Next, Sum + K * V)
    end.

%% Iterators, lists, folds and comprehensions of a map see the same pairs in the same order.
in_parts(N) ->
    M = maps:from_list([{{I, "k"}, -I} || I <- lists:seq(1, N)]),
    Iterated = iterated(maps:next(maps:iterator(M))),
    Listed = maps:to_list(M),
    Folded = maps:fold(fun(K, V, A) -> [{K, V} | A] end, [], M),
    {length(Iterated), lists:sort(Iterated) =:= lists:sort(Listed), lists:reverse(Folded) =:= Iterated,
     lists:zip(maps:keys(M), maps:values(M)) =:= Iterated orelse lists:sort(lists:zip(maps:keys(M), maps:values(M))) =:= lists:sort(Iterated),
     erlang:phash2(lists:sort(Iterated)), maps:from_list(Listed) =:= M}.
iterated(none) -> [];
iterated({K, V, I}) -> [{K, V} | iterated(maps:next(I))].
