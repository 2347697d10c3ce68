%% ETS: all four types, access, iteration, match specifications, counters, ownership.
-module(ets_tables).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    [table(Type) || Type <- [set, ordered_set, bag, duplicate_bag]],
    ?S(ets:new(a, [bad])), ?S(ets:new("x", [])), ?S(named()), ?S(ets:insert(nope, {a})), ?S(ets:lookup(make_ref(), k)), ?S(insert_errors()), ?S(counters()), ?S(elements()), ?S(large(5000)), ?S(ordered_walk()),
    ?S(selects()), ?S(matches()), ?S(replaced()), ?S(limits()), ?S(deletes()), ?S(access()), ?S(heir()), ?S(given_away()), ?S(owner_dies()), ?S(infos()), ?S(safe_fixed()), ?S(numbers_as_keys()), ?S(concurrent()), ?S(folds()),
    ?S(ets:match_spec_run([{1, a}, {2, b}, x], ets:match_spec_compile([{{'$1', '$2'}, [{'>', '$1', 1}], ['$2']}]))), ?S(ets:test_ms({1, a}, [{{'$1', '_'}, [], ['$1']}])), ?S(ets:fun2ms_is_a_transform()), ?S(ets:is_compiled_ms(x)), ?S(tab2list()), ?S(fun_specs()).

table(Type) ->
    T = ets:new(t, [Type]),
    ets:insert(T, [{b, 2}, {a, 1}, {c, 3}, {a, 1}, {a, 4}, {1, x}, {1.0, y}]),
    io:format("~w ~w~n", [Type, lists:sort(ets:tab2list(T))]),
    ?S({ets:lookup(T, a), ets:lookup(T, none), ets:member(T, b), ets:member(T, 1.0), ets:info(T, size), ets:insert_new(T, {a, 9}), ets:insert_new(T, {z, 9})}),
    ?S({ets:lookup(T, 1), ets:lookup(T, 1.0)}), ?S(ets:delete(T, a)), ?S(ets:delete_object(T, {c, 3})), ?S(ets:take(T, b)), ?S(lists:sort(ets:tab2list(T))),
    ?S(show:quiet(fun() -> ets:update_counter(T, z, 1) end)), ?S(show:quiet(fun() -> ets:lookup_element(T, z, 2) end)), ?S(show:quiet(fun() -> ets:update_element(T, z, {2, new}) end)),
    ?S(ets:delete_all_objects(T)), ?S(ets:first(T)), ?S(ets:delete(T)), ?S(ets:delete(T)).

named() ->
    T = ets:new(my_table, [named_table, public]),
    ets:insert(my_table, {k, v}),
    R = {T, ets:lookup(my_table, k), ets:whereis(my_table) =/= undefined, show:quiet(fun() -> ets:new(my_table, [named_table]) end)},
    ets:rename(my_table, other_table),
    S = {ets:lookup(other_table, k), ets:info(my_table)},
    ets:delete(other_table),
    {R, S}.

insert_errors() ->
    T = ets:new(t, [{keypos, 2}]),
    {show:quiet(fun() -> ets:insert(T, {a}) end), show:quiet(fun() -> ets:insert(T, [{a, b}, c]) end), ets:tab2list(T), ets:insert(T, {a, k, c}), ets:lookup(T, k)}.

counters() ->
    T = ets:new(t, []),
    ets:insert(T, {c, 0, 10, a}),
    {ets:update_counter(T, c, 5), ets:update_counter(T, c, {3, -4}), ets:update_counter(T, c, [{2, 1}, {3, 1}]), ets:update_counter(T, c, {2, 100, 50, 0}),
     show:quiet(fun() -> ets:update_counter(T, c, {4, 1}) end), ets:update_counter(T, new, 1, {new, 41}), ets:update_counter(T, c, {2, 1 bsl 64}), lists:sort(ets:tab2list(T)),
     show:quiet(fun() -> ets:update_counter(T, none, 1) end)}.

elements() ->
    T = ets:new(t, []),
    ets:insert(T, {k, 1, 2}),
    {ets:update_element(T, k, [{2, a}, {3, b}]), ets:lookup(T, k), ets:update_element(T, none, {2, x}), show:quiet(fun() -> ets:update_element(T, k, {1, x}) end), ets:lookup_element(T, k, 3), show:quiet(fun() -> ets:lookup_element(T, k, 9) end)}.

large(N) ->
    [begin
         T = ets:new(t, [Type]),
         ets:insert(T, [{I, I * I} || I <- lists:seq(1, N)]),
         [ets:delete(T, I) || I <- lists:seq(1, N, 3)],
         {ets:info(T, size), lists:sum([V || {_, V} <- ets:tab2list(T)]), walk(T, ets:first(T), 0), ets:delete(T)}
     end || Type <- [set, ordered_set, bag]].
walk(_, '$end_of_table', N) -> N;
walk(T, K, N) -> walk(T, ets:next(T, K), N + 1).

ordered_walk() ->
    T = ets:new(t, [ordered_set]),
    ets:insert(T, [{K} || K <- [5, 1.5, a, "s", {1}, <<"b">>, #{}, [], 1 bsl 70, -1]]),
    {[K || {K} <- ets:tab2list(T)], ets:first(T), ets:last(T), ets:next(T, 2), ets:prev(T, a), ets:next(T, <<"b">>), ets:prev(T, -1), ets:slot(T, 0)}.

people() ->
    T = ets:new(people, [ordered_set]),
    ets:insert(T, [{1, "ann", 30, #{city => rome}}, {2, "bob", 25, #{city => oslo}}, {3, "cid", 35, #{}}, {4, "dan", 25, none}]),
    T.

selects() ->
    T = people(),
    [ets:select(T, S) || S <- [
        [{{'$1', '$2', '$3', '_'}, [{'>', '$3', 26}], [{{'$1', '$2'}}]}], [{{'$1', '_', 25, '_'}, [], ['$_']}], [{'_', [], ['$$']}], [{{'$1', '$2', '$3', '$4'}, [{is_map, '$4'}], ['$$']}],
        [{{'$1', '_', '$3', '_'}, [{'orelse', {'==', '$1', 1}, {'andalso', {'<', '$3', 30}, {'=/=', '$1', 2}}}], [{'+', '$1', '$3'}]}], [{{'$1', '_', '_', #{city => '$2'}}, [], ['$2']}],
        [{{'$1', '_', '_', '_'}, [{'=:=', {'rem', '$1', 2}, 0}], [{const, {x, '$1'}}]}], [{{'$1', '$2', '_', '_'}, [{'=:=', {hd, '$2'}, $a}], [{{'$1', {length, '$2'}, {abs, {'-', '$1'}}}}]}], [{{'$1', '_', '_', '$4'}, [{is_atom, '$4'}, {'not', {'==', '$1', 7}}], [true]}],
        [{{'$1', '_', '_', '_'}, [{'>', {'div', 1, {'-', '$1', 1}}, 0}], ['$1']}]]] ++ [ets:select_count(T, [{{'_', '_', 25, '_'}, [], [true]}]), ets:select_reverse(T, [{{'$1', '_', '_', '_'}, [], ['$1']}]), show:quiet(fun() -> ets:select(T, [{bad}]) end), show:quiet(fun() -> ets:select(T, [{{'$1'}, [{unknown, '$1'}], ['$1']}]) end)].

matches() ->
    T = people(),
    {ets:match(T, {'$2', '$1', 25, '_'}), ets:match_object(T, {'_', '_', 25, '_'}), ets:match(T, {'$1', '_', '$1', '_'}), ets:match(T, '$1') =/= [], ets:match_delete(T, {'_', '_', 25, '_'}), ets:info(T, size)}.

replaced() ->
    T = people(),
    {ets:select_replace(T, [{{'$1', '$2', '$3', '$4'}, [{'<', '$3', 30}], [{{'$1', '$2', {'+', '$3', 100}, '$4'}}]}]), [A || {_, _, A, _} <- ets:tab2list(T)]}.

limits() ->
    T = ets:new(t, [ordered_set]),
    ets:insert(T, [{I} || I <- lists:seq(1, 25)]),
    loop(ets:select(T, [{{'$1'}, [], ['$1']}], 10), T) ++ [ets:match(T, {'$1'}, 3) =/= '$end_of_table', ets:select(ets:new(e, []), [{'_', [], ['$_']}], 1)].
loop('$end_of_table', _) -> [];
loop({L, C}, T) -> [L | loop(ets:select(C), T)].

deletes() ->
    T = people(),
    {ets:select_delete(T, [{{'_', '_', '$1', '_'}, [{'==', '$1', 25}], [true]}]), [K || {K, _, _, _} <- ets:tab2list(T)], ets:delete(T, 1), ets:delete(T, 99), ets:info(T, size)}.

access() ->
    Self = self(),
    Private = ets:new(p, [private]), Protected = ets:new(p, [protected]), Public = ets:new(p, [public]),
    spawn(fun() -> Self ! {acc, [{show:quiet(fun() -> ets:lookup(T, a) end), show:quiet(fun() -> ets:insert(T, {a, 1}) end)} || T <- [Private, Protected, Public]]} end),
    receive {acc, R} -> R end.

heir() ->
    Self = self(),
    P = spawn(fun() -> T = ets:new(h, [{heir, Self, data}]), ets:insert(T, {k, v}), Self ! made end),
    receive made -> ok end,
    receive {'ETS-TRANSFER', T, P, data} -> {ets:lookup(T, k), ets:info(T, owner) =:= self()} after 5000 -> timeout end.

given_away() ->
    Self = self(),
    P = spawn(fun() -> receive {'ETS-TRANSFER', T, From, D} -> From ! {got, D, ets:lookup(T, k)} end end),
    T = ets:new(g, []), ets:insert(T, {k, v}), true = ets:give_away(T, P, gift),
    receive {got, gift, R} -> {R, show:quiet(fun() -> ets:give_away(T, Self, x) end)} after 5000 -> timeout end.

owner_dies() ->
    Self = self(),
    {P, M} = spawn_monitor(fun() -> T = ets:new(o, [public]), Self ! {table, T} end),
    T = receive {table, X} -> X end,
    receive {'DOWN', M, _, P, _} -> ok end,
    gone(T, 1000).
gone(T, 0) -> {still, ets:info(T)};
gone(T, N) -> case ets:info(T) of undefined -> show:quiet(fun() -> ets:lookup(T, a) end); _ -> erlang:yield(), gone(T, N - 1) end.

infos() ->
    T = ets:new(inf, [ordered_set, public, {keypos, 2}, {read_concurrency, true}]),
    [ets:info(T, K) || K <- [type, protection, keypos, size, name, named_table, read_concurrency, write_concurrency, compressed, heir]] ++ [is_integer(ets:info(T, memory)), show:quiet(fun() -> ets:info(T, nothing_like_it) end)] .

safe_fixed() ->
    T = ets:new(t, []),
    ets:insert(T, [{I} || I <- lists:seq(1, 100)]),
    true = ets:safe_fixtable(T, true),
    N = drain(T, ets:first(T), 0),
    true = ets:safe_fixtable(T, false),
    {N, ets:info(T, size)}.
drain(_, '$end_of_table', N) -> N;
drain(T, K, N) -> ets:delete(T, K), drain(T, ets:next(T, K), N + 1).

numbers_as_keys() ->
    S = ets:new(s, [set]), O = ets:new(o, [ordered_set]),
    [ets:insert(T, [{1, int}, {1.0, float}, {0.0, zero}, {1 bsl 80, big}]) || T <- [S, O]],
    {[ets:lookup(S, K) || K <- [1, 1.0, 0, 0.0, 1 bsl 80]], [ets:lookup(O, K) || K <- [1, 1.0, 0, 0.0, 1 bsl 80]]}.

concurrent() ->
    T = ets:new(c, [public, {write_concurrency, true}]),
    ets:insert(T, {n, 0}),
    Refs = [element(2, spawn_monitor(fun() -> [ets:update_counter(T, n, 1) || _ <- lists:seq(1, 500)] end)) || _ <- lists:seq(1, 20)],
    [receive {'DOWN', R, _, _, normal} -> ok end || R <- Refs],
    ets:lookup(T, n).

folds() -> T = people(), {ets:foldl(fun({K, _, _, _}, A) -> [K | A] end, [], T), ets:foldr(fun({K, _, _, _}, A) -> [K | A] end, [], T)}.
tab2list() -> T = ets:new(t, [duplicate_bag]), ets:insert(T, [{a, 1}, {a, 1}, {a, 2}]), {ets:tab2list(T), ets:lookup_element(T, a, 2)}.
fun_specs() -> T = ets:new(t, [ordered_set]), ets:insert(T, [{X, X} || X <- [1, 2, 3]]), ets:select(T, [{{'$1', '$2'}, [{'>=', '$1', {const, 2}}], [[{tuple_size, '$_'}, {element, 1, '$_'} | '$2']]}]).
