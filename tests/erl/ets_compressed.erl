%% A compressed table answers as one that is not, takes less memory where that is to be had, and
%% gives back what its objects own.
-module(ets_compressed).
-export([main/1]).

main(_Args) ->
    [kinds(Type, KeyPos) || Type <- [set, ordered_set, bag, duplicate_bag], KeyPos <- [1, 3]],
    smaller(),
    updates(),
    comparing(),
    concurrent(),
    owners().

values() ->
    Ref = make_ref(),
    [1, -1, 1 bsl 59, -(1 bsl 59), 1 bsl 70, -(1 bsl 200), 1.5, -0.0, atom, 'ünï', [], {}, #{}, "", <<>>, <<1:3>>, "text",
     lists:seq(1, 100), [-3, 1000000, -70000, 1 bsl 61 | improper], {{{{deep}}}}, [[[]], [[[a]]]],
     <<"short">>, binary:copy(<<"long">>, 100), binary:part(binary:copy(<<"part">>, 100), 3, 200), <<(binary:copy(<<7>>, 70))/binary, 1:1>>,
     #{a => 1, "b" => #{c => []}}, maps:from_list([{I, {I}} || I <- lists:seq(1, 40)]), maps:from_list([{I, [I]} || I <- lists:seq(1, 400)]),
     self(), Ref, fun erlang:abs/1, fun() -> Ref end, hd(erlang:ports()), {rec, 1, 2.0, <<"three">>, four},
     binary_to_term(<<131, 88, 100, 0, 3, "a@b", 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 7>>)].

pairs(Type, KeyPos) ->
    {ets:new(plain, [Type, {keypos, KeyPos}]), ets:new(packed, [Type, {keypos, KeyPos}, compressed])}.

%% Every kind of value as key, beside the key, and together.
objects() ->
    Vs = values(),
    [{V, W, {K, V}} || {K, V} <- lists:enumerate(Vs), W <- [V, x, {V, V}]] ++
        [{K, V, K, V, [K | V]} || {K, V} <- lists:enumerate(Vs)] ++ [{{K, a}, "some text that is long enough", K} || K <- Vs].

kinds(Type, KeyPos) ->
    {A, B} = pairs(Type, KeyPos),
    Os = objects(),
    Keys = lists:usort([element(KeyPos, O) || O <- Os]),
    ets:insert(A, Os), ets:insert(B, Os),
    [ets:insert(T, O) || O <- Os, T <- [A, B]],
    Both = fun(F) -> {X, Y} = {catch F(A), catch F(B)}, X =:= Y orelse io:format("~p ~p: ~p and ~p~n", [Type, KeyPos, X, Y]), X =:= Y end,
    Sorted = fun(L) when is_list(L) -> lists:sort(L); (X) -> X end,
    Checks = [{tab2list, Both(fun(T) -> Sorted(ets:tab2list(T)) end)},
     {lookup, lists:all(fun(K) -> Both(fun(T) -> ets:lookup(T, K) end) end, Keys)},
     {element, lists:all(fun(K) -> Both(fun(T) -> element(1, {ets:lookup_element(T, K, 2)}) end) end, Keys)},
     {member, Both(fun(T) -> [ets:member(T, K) || K <- [nothing | Keys]] end)},
     {first, Both(fun(T) -> {ets:first(T), ets:last(T)} end)},
     {next, lists:all(fun(K) -> Both(fun(T) -> {ets:next(T, K), ets:prev(T, K)} end) end, Keys)},
     {match, Both(fun(T) -> Sorted(ets:match(T, {'$1', '$2', '_'})) end)},
     {match_same, Both(fun(T) -> Sorted(ets:match(T, {'$1', '$1', '_'})) end)},
     {select, Both(fun(T) -> Sorted(ets:select(T, [{{'$1', '$2', '$3'}, [{is_tuple, '$3'}], [{{'$2', '$_', {element, 1, '$3'}}}]}])) end)},
     {by_key, lists:all(fun(K) -> Both(fun(T) -> ets:match_object(T, setelement(KeyPos, {'_', '_', '_'}, {const, K})) end) end, [K || K <- Keys, is_tuple(K)])},
     {portions, Both(fun(T) -> Sorted(portions(ets:match_object(T, '_', 7))) end)},
     {count, Both(fun(T) -> ets:select_count(T, [{{'_', '_', '$1'}, [{is_list, '$1'}], [true]}]) end)},
     {slot, Both(fun(T) -> Sorted(lists:append([L || N <- lists:seq(0, 20), L <- [catch ets:slot(T, N)], is_list(L)])) end)},
     {foldl, Both(fun(T) -> ets:foldl(fun(O, S) -> S + erts_debug:flat_size(O) end, 0, T) end)},
     {replace, Type =:= bag orelse Both(fun(T) -> {ets:select_replace(T, [{{'$1', '$2', '$3'}, [], [{{'$1', {{'$2', "new", '$2'}}, '$3'}}]}]), Sorted(ets:tab2list(T))} end)},
     {delete, Both(fun(T) -> [ets:delete_object(T, O) || O <- lists:nthtail(20, Os)], ets:info(T, size) end)},
     {take, Both(fun(T) -> [ets:take(T, K) || K <- lists:sublist(Keys, 10)] end)},
     {select_delete, Both(fun(T) -> {ets:select_delete(T, [{{'$1', '_', '_'}, [{is_list, '$1'}], [true]}]), Sorted(ets:tab2list(T))} end)},
     {insert_new, Both(fun(T) -> [ets:insert_new(T, O) || O <- Os] end)},
     {fixed, Both(fun(T) -> ets:safe_fixtable(T, true), [ets:delete(T, K) || K <- Keys], L = ets:tab2list(T), ets:insert(T, Os), ets:safe_fixtable(T, false), {L, Sorted(ets:tab2list(T))} end)},
     {all_gone, Both(fun(T) -> {ets:delete_all_objects(T), ets:tab2list(T)} end)}],
    io:format("~p ~p: ~0p ~p~n", [Type, KeyPos, [C || {C, false} <- Checks], length(Checks)]).

portions('$end_of_table') -> [];
portions({L, C}) -> L ++ portions(ets:match_object(C)).

%% Words of a thousand objects.
words(Type, F) -> [begin Before = ets:info(T, memory), [ets:insert(T, F(I)) || I <- lists:seq(1, 1000)], ets:info(T, memory) - Before end || T <- tuple_to_list(pairs(Type, 1))].

smaller() ->
    [begin
         [Plain, Packed] = words(Type, F),
         io:format("~p ~p: ~p~n", [Type, Name, if Packed * 2 < Plain -> half; Packed < Plain -> less; true -> no_less end])
     end || Type <- [set, ordered_set],
            {Name, F} <- [{numbers, fun(I) -> {I, lists:seq(1, 20)} end},
                          {text, fun(I) -> {I, "a text of some length", <<"and bytes">>} end},
                          {map, fun(I) -> {I, #{name => "x", number => I, list => [1, 2, 3, 4, 5, 6]}} end},
                          {large_map, fun(I) -> {I, maps:from_list([{K, K} || K <- lists:seq(1, 50)])} end}]].

updates() ->
    [begin
         T = ets:new(t, [Type, compressed]),
         ets:insert(T, [{K, 1, "text of " ++ [K], 1 bsl 70, {a, [b]}} || K <- "abcdef"]),
         io:format("~p~n", [[ets:update_counter(T, $a, 1), ets:update_counter(T, $a, [{2, 1 bsl 62}, {4, -1}]), ets:update_counter(T, $a, {2, 3, 5, 0}),
                             ets:update_counter(T, $z, {2, 5}, {q, 1, "a fallback of some length"}), bad(fun() -> ets:update_counter(T, $a, {3, 1}) end),
                             bad(fun() -> ets:update_counter(T, $a, {9, 1}) end), bad(fun() -> ets:update_counter(T, $a, {1, 1}) end),
                             ets:update_element(T, $b, {3, [{3, "new"}]}), ets:update_element(T, $b, [{2, x}, {5, lists:seq(1, 30)}]),
                             ets:update_element(T, $y, {2, 1}), bad(fun() -> ets:update_element(T, $b, {7, 1}) end)]]),
         io:format("~0p~n", [lists:sort(ets:tab2list(T))])
     end || Type <- [set, ordered_set]].

bad(F) -> try F() catch error:Why:Stack -> {Why, maps:get(cause, proplists:get_value(error_info, element(4, hd(Stack)), #{}), none)} end.

%% Objects of bags are told apart by what they are, not by how they are kept.
comparing() ->
    T = ets:new(t, [bag, compressed]),
    M = fun(L) -> maps:from_list([{K, K} || K <- L]) end,
    [ets:insert(T, {k, V}) || V <- [1, 1.0, "1", <<"1">>, "1", 1.0, M(lists:seq(1, 60)), M(lists:seq(60, 1, -1)), [a | b], [a, b], {a, 1}, {a, 1.0}]],
    io:format("~0p~n", [[if is_map(V) -> map_size(V); true -> V end || {k, V} <- ets:lookup(T, k)]]),
    ets:delete_object(T, {k, M(lists:seq(60, 1, -1))}), ets:delete_object(T, {k, [a | b]}),
    io:format("~0p~n", [ets:lookup_element(T, k, 2)]).

concurrent() ->
    T = ets:new(t, [public, compressed, {write_concurrency, true}]),
    Value = fun(K, N) -> {K, {N, lists:duplicate(20, N), binary:copy(<<N>>, 80)}} end,
    Work = fun() -> [begin K = rand:uniform(20), ets:insert(T, Value(K, rand:uniform(200))),
                           case ets:lookup(T, rand:uniform(20)) of [] -> ok; [{_, {N, L, B}}] -> {L, B} = {lists:duplicate(20, N), binary:copy(<<N>>, 80)}, ok end
                     end || _ <- lists:seq(1, 2000)] end,
    Ps = [spawn_monitor(Work) || _ <- lists:seq(1, 4)],
    io:format("~p ~p~n", [[receive {'DOWN', R, _, P, Why} -> Why end || {P, R} <- Ps], ets:info(T, size)]).

%% A large binary is shared with the table, and counted.
owners() ->
    T = ets:new(t, [compressed]),
    B = binary:copy(<<"large">>, 100),
    Count = fun() -> {binary, L} = {binary, ets:info(T, binary)}, [{Size, N} || {_, Size, N} <- L] end,
    ets:insert(T, {1, "text so that it is worth packing", B}),
    One = Count(),
    [ets:insert(T, {K, "text so that it is worth packing", B, {B}}) || K <- [2, 3]],
    Five = Count(),
    ets:delete(T, 2), ets:insert(T, {3, none}),
    io:format("~p~n", [{length(One), length(Five), Count() =:= One, B =:= ets:lookup_element(T, 1, 3)}]),
    R = make_ref(),
    ets:insert(T, {r, "text so that it is worth packing", ets:new(inner, []), R}),
    [{r, _, Inner, R}] = ets:lookup(T, r),
    true = ets:insert(Inner, {here}),
    io:format("~p ~p~n", [ets:tab2list(Inner), ets:lookup_element(T, r, 4) =:= R]).
