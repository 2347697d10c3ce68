%% The order in which sets and bags show their keys: of all kinds of keys, while tables grow and
%% shrink, in chains, under fixation, in portions, with each form of write_concurrency.
%% skip repeats: files named after the number of the operating system's process
%% args gc-stress: 700
%% args seeds: 700
%% args asan: 1500
%% args tsan: 700
-module(ets_order).
-export([main/1]).

main(Args) ->
    N = case Args of [Most] -> list_to_integer(Most); [] -> 5000 end,
    [kinds(Type) || Type <- [set, bag, duplicate_bag]],
    [grows(Options, N) || Options <- options()],
    [shrinks(Options, N * 3 div 2) || Options <- options()],
    [one_operation(O) || O <- operations(), N >= 1000],
    lists_of_objects([20, 100, 900] ++ [40000 || N >= 5000]),
    [chains(Type) || Type <- [set, bag, duplicate_bag]],
    [fixed(Type, Options) || Type <- [set, bag, duplicate_bag], Options <- [[], [{write_concurrency, true}], [compressed]]],
    growth_behind(),
    [portions(Type, Options) || Type <- [set, bag], Options <- [[], [{write_concurrency, true}]]],
    long_portions(N),
    [by_keys(Type) || Type <- [set, bag, duplicate_bag]],
    visitors(N),
    copies(N).

options() ->
    [[public], [protected], [private], [{read_concurrency, true}], [public, {write_concurrency, true}],
     [public, {write_concurrency, auto}], [{write_concurrency, auto}, {decentralized_counters, false}],
     [{write_concurrency, true}, {decentralized_counters, true}], [{write_concurrency, true}, {read_concurrency, true}, bag],
     [private, {write_concurrency, true}], [{decentralized_counters, true}], [compressed, duplicate_bag], [bag, {keypos, 2}]].

%% --- kinds of keys ---------------------------------------------------------------------------
kinds(Type) ->
    [begin
         T = ets:new(t, [Type]),
         [ets:insert(T, {K}) || K <- Keys],
         io:format("~p ~p: ~0tp~n", [Type, Kind, shown(T, Keys)]),
         [ets:insert(T, {K, 2}) || K <- Keys],
         check(T),
         ets:delete(T)
     end || {Kind, Keys} <- keys()].

shown(T, Keys) when length(Keys) < 80 -> [K || {K} <- ets:tab2list(T)];
shown(T, _) -> erlang:phash2(ets:tab2list(T)).

keys() ->
    [{integers, lists:seq(-20, 20)},
     {many, lists:seq(-1500, 1500, 3)},
     {large, [S * (1 bsl B) + D || B <- [20, 27, 28, 31, 32, 40, 58], S <- [1, -1], D <- [-1, 0, 1]]},
     {bignums, [S * (1 bsl B) + D || B <- [59, 60, 63, 64, 65, 128, 200], S <- [1, -1], D <- [-1, 0, 1]]},
     {floats, [0.0, 1.0, -1.0, 1.5, 3.14, 1.0e100, -2.5e-300] ++ [X / 7 || X <- lists:seq(1, 30)]},
     {atoms, ['', a, b, ok, error, undefined, true, false, 'A b', 'é', 'ñandú', 'ÿÿ', 'hällo', 'Ωmega', '日本語', 'aé日', 'Łódź']},
     {many_atoms, [list_to_atom(P ++ integer_to_list(I)) || P <- ["key_", "some_rather_long_name_with_a_number_", ""], I <- lists:seq(1, 400)]},
     {binaries, [<<>>, <<0>>, <<"a">>, <<1:1>>, <<5:3>>, <<1, 2:7>>] ++ [binary:copy(<<"xyz">>, I) || I <- lists:seq(1, 40)]},
     {many_binaries, [<<"user:", (integer_to_binary(I))/binary>> || I <- lists:seq(1, 700)]},
     {parts_of_binaries, [binary:part(<<"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz">>, I, I rem 30) || I <- lists:seq(0, 45)]},
     {lists, [[], "a", "ab", "abc", "abcd", "abcde", [256], [1, 256], [[]], [[], []], [1 | 2], ["ab" | "c"], [1.5, 2], [<<"x">>]]},
     {tuples, [{}, {1}, {1, 2}, {1, 2, 3}, {{}}, {{1}, {2}}, {1.0}, {<<"x">>, 1}, {[], []}, {1 bsl 70}, {-1, 1}] ++ [list_to_tuple(lists:seq(1, I)) || I <- lists:seq(4, 12)]},
     {pairs, [{X, Y} || X <- lists:seq(1, 30), Y <- lists:seq(1, 30)]},
     {maps, [#{}, #{1 => 2}, #{1 => #{2 => 3}}, #{<<"a">> => 1}, #{1 => [], 2 => {}}, maps:from_list([{I, I} || I <- lists:seq(1, 40)])]},
     {mixed, [1, 1.0, a, "a", <<"a">>, {1}, #{}, [], {}, 1 bsl 64, -1.0, b, <<>>, [1], {1, 1.0}]}].

%% What every walk agrees on; a hash of the order.
check(T) ->
    All = ets:tab2list(T),
    KeyPos = ets:info(T, keypos),
    Keys = squeezed([element(KeyPos, O) || O <- lists:reverse(All)]),
    Keys = walk(T, ets:first(T), next),
    Keys = walk(T, ets:last(T), prev),
    All = ets:match_object(T, '_'),
    All = ets:select(T, [{'_', [], ['$_']}]),
    Folded = {ets:foldl(fun(O, Acc) -> [O | Acc] end, [], T), ets:foldr(fun(O, Acc) -> [O | Acc] end, [], T)},
    Slots = slots(T, 0),
    case element(8, ets:info(T, stats)) of
        1 -> All = lists:append(lists:reverse(Slots));
        _ -> true = lists:sort(All) =:= lists:sort(lists:append(Slots))
    end,
    erlang:phash2({All, Folded, Slots}).

squeezed([K, K | Rest]) -> squeezed([K | Rest]);
squeezed([K | Rest]) -> [K | squeezed(Rest)];
squeezed([]) -> [].

walk(_, '$end_of_table', _) -> [];
walk(T, K, Step) -> [K | walk(T, ets:Step(T, K), Step)].

slots(T, N) ->
    case ets:slot(T, N) of
        '$end_of_table' -> N = buckets(T), [];
        Os -> [Os | slots(T, N + 1)]
    end.

buckets(T) -> element(1, ets:info(T, stats)).

%% --- growing and shrinking -------------------------------------------------------------------
grows(Options, Most) ->
    T = ets:new(t, Options),
    io:format("grows ~0p ~0p:", [Options, ets:info(T, stats)]),
    lists:foldl(fun(Until, From) ->
                        [ets:insert(T, {I, I}) || I <- lists:seq(From, Until)],
                        Order = case Until of 257 -> check(T); 2305 -> check(T); _ -> erlang:phash2(ets:tab2list(T)) end,
                        io:format(" ~p/~p ~p", [Until, buckets(T), Order]),
                        Until + 1
                end, 1, [I || I <- [1, 2, 10, 40, 100, 200, 255, 256, 257, 258, 300, 511, 512, 513, 1000, 1024, 1025, 2047, 2304, 2305, 3000, 5000], I =< Most]),
    Before = buckets(T),
    [ets:insert(T, {I, I}) || I <- lists:seq(1, Most, 7)],
    io:format(" ~p~n ~0p~n", [Before =:= buckets(T), ets:info(T, stats)]),
    ets:delete_all_objects(T),
    io:format(" ~p", [buckets(T)]),
    [ets:insert(T, {{I, I + 1}, I}) || I <- lists:seq(1, 500)],
    io:format(" ~p ~p~n", [buckets(T), check(T)]),
    ets:delete(T).

%% Where the number of buckets changes while objects are taken out, and the order then.
shrinks(Options, Most) ->
    T = ets:new(t, Options),
    K = ets:info(T, keypos),
    [ets:insert(T, setelement(K, {I, I, x}, I)) || I <- lists:seq(1, Most)],
    io:format("shrinks ~0p from ~p:", [Options, buckets(T)]),
    Steps = lists:foldl(fun(I, {Was, Steps}) ->
                                ets:delete(T, I),
                                case buckets(T) of
                                    Was -> {Was, Steps};
                                    Now -> {Now, [{I, Now} | Steps]}
                                end
                        end, {buckets(T), []}, lists:seq(1, Most, 3) ++ lists:seq(2, Most - 200, 3) ++ lists:seq(3, Most - 500, 3)),
    io:format(" ~p ~p ~p ~p~n", [length(element(2, Steps)), erlang:phash2(Steps), ets:info(T, size), check(T)]),
    [ets:insert(T, setelement(K, {I, I, y}, I)) || I <- lists:seq(1, Most, 2)],
    io:format(" again ~p ~p~n", [buckets(T), check(T)]),
    ets:delete(T).

%% How much one operation shrinks a table that has far too many buckets.
operations() ->
    [{delete, fun(T) -> ets:delete(T, 1) end}, {delete_none, fun(T) -> ets:delete(T, none) end},
     {take, fun(T) -> ets:take(T, 2) end}, {take_none, fun(T) -> ets:take(T, none) end},
     {delete_object, fun(T) -> ets:delete_object(T, {3, 3}) end}, {delete_object_none, fun(T) -> ets:delete_object(T, {3, 4}) end},
     {match_delete, fun(T) -> ets:match_delete(T, {'$1', 4}) end}, {match_delete_none, fun(T) -> ets:match_delete(T, {'_', none}) end},
     {match_delete_key, fun(T) -> ets:match_delete(T, {5, '_'}) end},
     {select_delete, fun(T) -> ets:select_delete(T, [{{'$1', '_'}, [{'<', '$1', 50}], [true]}]) end},
     {select_delete_keys, fun(T) -> ets:select_delete(T, [{{K, '_'}, [], [true]} || K <- [6, 7, 8]]) end},
     {insert, fun(T) -> ets:insert(T, {new, 1}) end}, {replace, fun(T) -> ets:insert(T, {9, 1}) end},
     {update_counter, fun(T) -> catch ets:update_counter(T, newer, 1, {newer, 1}) end},
     {all, fun(T) -> ets:delete_all_objects(T) end}].

one_operation({Name, F}) ->
    io:format("~p: ~0p~n", [Name, [begin
         T = ets:new(t, Options),
         [ets:insert(T, {I, I}) || I <- lists:seq(1, 4500)],
         ets:select_delete(T, [{{'$1', '_'}, [{'>', '$1', 300}], [true]}]),
         Before = buckets(T),
         F(T),
         R = {Before, buckets(T), check(T)},
         ets:delete(T),
         R
     end || Options <- [[set], [bag], [set, private], [{write_concurrency, true}]]]]).

%% --- where in a bucket -----------------------------------------------------------------------
%% Keys of one bucket, of as many as a table begins with.
colliding(N, Bucket) ->
    T = ets:new(t, []),
    Keys = colliding(T, N, Bucket, 1),
    ets:delete(T),
    Keys.
colliding(_, 0, _, _) -> [];
colliding(T, N, Bucket, I) ->
    ets:insert(T, {I}),
    There = ets:slot(T, Bucket),
    ets:delete(T, I),
    case There of
        [] -> colliding(T, N, Bucket, I + 1);
        [{I}] -> [I | colliding(T, N - 1, Bucket, I + 1)]
    end.

%% Those between are put in from their beginning or end, depending on what is left of the slice.
lists_of_objects(Lengths) ->
    Keys = colliding(4, 3),
    [begin
         T = ets:new(t, [Type]),
         erlang:yield(),
         ets:Insert(T, [{K, V} || K <- Keys, V <- [1, 2, 1]]),
         io:format("~p ~p ~0p~n", [Type, Insert, ets:tab2list(T)]),
         ets:delete_all_objects(T),
         erlang:yield(),
         ets:Insert(T, [{K, V} || K <- Keys, V <- [1, 2]] ++ [{I, I} || I <- lists:seq(10000, 10000 + Length)] ++ [{hd(Keys), 3}]),
         io:format(" ~p ~0p~n", [check(T), [O || {K, _} = O <- ets:tab2list(T), lists:member(K, Keys)]]),
         ets:delete(T)
     end || Type <- [set, bag, duplicate_bag], Insert <- [insert, insert_new], Length <- Lengths].

names(Keys) -> maps:from_list(lists:zip(Keys, lists:sublist([a, b, c, d, e, f, g], length(Keys)))).

chains(Type) ->
    Keys = [A, B, C, D, E | _] = colliding(5, 7),
    Names = names(Keys),
    T = ets:new(t, [Type]),
    Show = fun(What) -> io:format("~p ~s ~0p ~p~n", [Type, What, [{maps:get(K, Names), V} || {K, V} <- ets:tab2list(T)], check(T)]) end,
    [ets:insert(T, O) || O <- [{A, 1}, {B, 1}, {A, 2}, {C, 1}, {B, 2}, {A, 3}, {A, 1}]], Show("one by one"),
    ets:insert(T, {B, 1}), Show("again"),
    ets:delete(T, B), ets:insert(T, {B, 9}), Show("deleted, again"),
    ets:delete_object(T, {A, 2}), ets:insert(T, {A, 2}), Show("one deleted, again"),
    ets:insert_new(T, {D, 1}), ets:insert_new(T, {A, 7}), Show("new"),
    catch ets:update_counter(T, E, 1, {E, 1}), Show("counter"),
    catch ets:update_element(T, A, {2, 4}), Show("element"),
    ets:take(T, A), ets:insert(T, [{E, 5}, {A, 5}, {A, 6}]), Show("taken"),
    ets:insert(T, [{I, 0} || I <- lists:seq(100000, 100300)]),
    [ets:delete(T, I) || I <- lists:seq(100000, 100300)], Show("grown").

fixed(Type, Options) ->
    Keys = [A, B, C, D | _] = colliding(4, 9),
    Names = names(Keys),
    T = ets:new(t, [Type | Options]),
    Show = fun(What) -> io:format("~p ~0p fixed, ~s ~0p ~p~n", [Type, Options, What, [{maps:get(K, Names), V} || {K, V} <- ets:tab2list(T)], check(T)]) end,
    ets:insert(T, [{A, 1}, {B, 1}, {C, 1}, {A, 2}, {B, 2}]),
    ets:safe_fixtable(T, true),
    ets:delete(T, B), Show("b deleted"),
    ets:insert(T, {D, 1}), Show("d in"),
    ets:insert(T, {B, 3}), Show("b in"),
    ets:insert(T, {B, 2}), Show("b again"),
    ets:delete(T, A), ets:insert_new(T, {A, 1}), ets:insert_new(T, {A, 2}), Show("a new"),
    ets:delete_object(T, {C, 1}), ets:insert(T, [{C, 1}, {C, 2}]), Show("c by list"),
    ets:delete_all_objects(T), Show("all deleted"),
    ets:insert(T, [{C, 1}, {D, 1}, {A, 5}]), ets:insert(T, {B, 5}), Show("in again"),
    ets:safe_fixtable(T, false), Show("no more"),
    ets:insert(T, {A, 6}), Show("after").

%% What is made up for growth and shrinking that a fixation put off.
growth_behind() ->
    T = ets:new(t, []),
    Put = fun(From, To) -> [ets:insert(T, {I, I}) || I <- lists:seq(From, To)] end,
    Show = fun(What) -> io:format("~s ~p/~p ~p~n", [What, ets:info(T, size), buckets(T), check(T)]) end,
    Put(1, 200),
    ets:safe_fixtable(T, true), Put(201, 1000), Show("put in, fixed"),
    ets:safe_fixtable(T, false), Show("not fixed"),
    ets:insert(T, {1, 2}), ets:insert_new(T, {1, 3}), ets:update_element(T, 1, {2, 4}), ets:update_counter(T, 1, 1), Show("replaced"),
    ets:insert(T, {1001, 1}), Show("insert"),
    ets:insert_new(T, {1002, 1}), Show("insert_new"),
    ets:update_counter(T, 1003, 1, {1003, 1}), Show("update_counter"),
    ets:insert(T, [{1004, 1}, {1, 1}, {1005, 1}]), Show("list"),
    ets:insert(T, [{I, 1} || I <- lists:seq(990, 1035)]), Show("longer list"),
    ets:delete(T, 1), Show("delete"),
    Put(2000, 2300), Show("many"),
    ets:safe_fixtable(T, true), Put(3000, 9000), ets:match_delete(T, {'_', 5000}), ets:safe_fixtable(T, false), Show("many, fixed"),
    Put(10000, 13000), Show("more"),
    ets:safe_fixtable(T, true), [ets:delete(T, I) || I <- lists:seq(1, 13000), I rem 40 > 0], Show("deleted, fixed"),
    ets:safe_fixtable(T, false), Show("not fixed"),
    [ets:delete(T, I) || I <- [40, 80, 120]], Show("three more").

%% --- portions --------------------------------------------------------------------------------
portions(Type, Options) ->
    T = ets:new(t, [Type | Options]),
    [begin
         ets:delete_all_objects(T),
         lists:foldl(fun({Length, Bucket}, Value) ->
                             [ets:insert(T, {K, V}) || {K, V} <- lists:zip(colliding(Length, Bucket), lists:seq(Value, Value + Length - 1))],
                             Value + Length
                     end, 1, Chains),
         io:format("~p ~0p ~0p by ~p: ~0p~n", [Type, Options, Chains, Limit, portions(ets:select(T, [{{'_', '$1'}, [], ['$1']}], Limit))])
     end || Chains <- [[{6, 5}], [{3, 5}, {4, 6}], [{1, 5}, {5, 6}, {1, 70}], [{2, 255}, {3, 0}], [{2, 5}, {6, 6}, {2, 69}, {6, 70}]], Limit <- [1, 2, 3, 4, 6, 7]],
    ets:delete(T).

portions('$end_of_table') -> ['end'];
portions({L, '$end_of_table'}) -> [L, 'end'];
portions({L, {_, Slot, Limit, _, Rest, Left} = C}) -> [{L, Slot, Limit, Rest, Left} | portions(ets:select(C))].

long_portions(N) ->
    T = ets:new(t, []),
    [ets:insert(T, {I, I}) || I <- lists:seq(1, N)],
    [io:format("portions of ~p: ~p ~p ~p~n", [Limit | [erlang:phash2(portions(First)) || First <- [ets:select(T, [{'_', [], ['$_']}], Limit), ets:match(T, {'$1', '_'}, Limit), ets:select(T, [{{'$1', '_'}, [{'<', {'rem', '$1', 10}, 3}], ['$1']}], Limit)]]])
     || Limit <- [X || X <- [1, 2, 3], N >= 1000] ++ [5, 10, 50, 99, 100, 101, 500, 900, 990, 995, 999, 1000, 1001, 1005, 1010, 1500, 2500, 4000, 10000]].

%% --- by keys ---------------------------------------------------------------------------------
by_keys(Type) ->
    [A, B, C, D] = Same = colliding(4, 11),
    T = ets:new(t, [Type]),
    [ets:insert(T, {K, V}) || V <- [1, 2], K <- Same ++ [x, y, z]],
    Names = maps:merge(names(Same), #{x => x, y => y, z => z}),
    Named = fun(Os) -> [{maps:get(K, Names), V} || {K, V} <- Os] end,
    [begin
         Spec = [{{K, '_'}, [], ['$_']} || K <- Keys],
         io:format("~p ~0p ~0p ~p~n", [Type, [maps:get(K, Names, K) || K <- Keys], Named(ets:select(T, Spec)),
                                       [erlang:phash2(portions(ets:select(T, Spec, Limit))) || Limit <- [1, 2, 3, 20]]])
     end || Keys <- [[A], [A, B], [B, A], [D, x, A, C], [x, A, y, B, x, z, C], [none, C, A], [z, y, x]]],
    ets:select_delete(T, [{{K, '_'}, [], [true]} || K <- [C, x, A]]),
    io:format("~p ~0p~n", [Type, Named(ets:tab2list(T))]).

%% --- others that walk ------------------------------------------------------------------------
visitors(N) ->
    T = ets:new(t, [public]),
    [ets:insert(T, {I, I rem 10}) || I <- lists:seq(1, N)],
    io:format("~p~n", [[erlang:phash2(X) || X <- [ets:match(T, {'$1', 3}), ets:match_object(T, {'_', 4}), ets:select_reverse(T, [{{'$1', '$2'}, [], [{{'$2', '$1'}}]}]),
                                                   element(1, ets:match(T, {'$1', 3}, 50)), element(1, ets:match_object(T, {'_', 4}, 70)), element(1, ets:select_reverse(T, [{{'$1', 1}, [], ['$1']}], 30))]]]),
    io:format("~p~n", [ets:select_replace(T, [{{'$1', 5}, [], [{{'$1', 50}}]}])]),
    io:format("~p~n", [check(T)]),
    io:format("~p ~p~n", [ets:select_delete(T, [{{'$1', 7}, [], [true]}]), check(T)]),
    ets:safe_fixtable(T, true),
    Seen = drain(T, ets:first(T), []),
    ets:safe_fixtable(T, false),
    io:format("~p ~p ~p~n", [length(Seen), erlang:phash2(Seen), ets:info(T, size)]),
    ets:delete(T).

%% Deletes what it has seen, and adds while it walks.
drain(_, '$end_of_table', Seen) -> Seen;
drain(T, K, Seen) when is_integer(K), K rem 3 =:= 0 -> ets:delete(T, K), drain(T, ets:next(T, K), [K | Seen]);
drain(T, K, Seen) -> drain(T, ets:next(T, K), [K | Seen]).

copies(N) ->
    T = ets:new(t, []),
    [ets:insert(T, {{I, integer_to_binary(I)}, I}) || I <- lists:seq(1, N)],
    File = "ets_order." ++ os:getpid() ++ ".tab",
    ok = ets:tab2file(T, File),
    {ok, U} = ets:file2tab(File),
    file:delete(File),
    io:format("~p ~p ~p~n", [buckets(U), check(U), lists:sort(ets:tab2list(T)) =:= lists:sort(ets:tab2list(U))]),
    V = ets:new(v, [bag]),
    ets:insert(V, [{I rem 50, I} || I <- lists:seq(1, 300)]),
    W = ets:new(w, []),
    [ets:insert(W, O) || O <- ets:tab2list(V)],
    io:format("~p ~p ~0p~n", [check(V), check(W), lists:sublist(sums(W), 12)]).

sums(T) -> ets:foldl(fun({K, V}, Acc) -> [K + V | Acc] end, [], T).
