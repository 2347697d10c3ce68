%% atomics, counters, persistent_term: shared words and shared terms.
-module(shared_state).
-export([main/1]).
-compile(no_copt).
-include("show.hrl").

main(_Args) ->
    A = atomics:new(3, []), U = atomics:new(2, [{signed, false}]), C = counters:new(2, []), W = counters:new(1, [write_concurrency]),
    ?S(atomics:put(A, 1, 5)), ?S(atomics:add_get(A, 1, 3)), ?S(atomics:sub_get(A, 1, 10)), ?S(atomics:get(A, 1)), ?S(atomics:exchange(A, 2, 7)), ?S(atomics:compare_exchange(A, 2, 7, 8)), ?S(atomics:compare_exchange(A, 2, 7, 9)), ?S(atomics:get(A, 4)), ?S(atomics:get(A, 0)), ?S(atomics:put(A, 1, 1 bsl 63)), ?S(atomics:put(A, 3, (1 bsl 63) - 1)), ?S(atomics:add_get(A, 3, 1)),
    ?S(atomics:put(U, 1, (1 bsl 64) - 1)), ?S(atomics:add_get(U, 1, 1)), ?S(atomics:put(U, 1, -1)), ?S(atomics:get(U, 1)), ?S(maps:remove(memory, atomics:info(A))), ?S(atomics:new(0, [])), ?S(atomics:new(1, [x])), ?S(atomics:get(x, 1)), ?S(atomics:put(A, 1, x)),
    ?S(counters:add(C, 1, 5)), ?S(counters:sub(C, 1, 2)), ?S(counters:get(C, 1)), ?S(counters:put(C, 2, -9)), ?S(counters:get(C, 2)), ?S(counters:get(C, 3)), ?S(counters:add(W, 1, 3)), ?S(counters:get(W, 1)), ?S(maps:remove(memory, counters:info(C))),
    ?S(parallel(A, C)), ?S(persistent_term:get(nope)), ?S(persistent_term:get(nope, d)), ?S(persistent_term:put(k, {v, "deep", #{a => 1}})), ?S(persistent_term:get(k)), ?S(persistent_term:put(k, other)), ?S(persistent_term:get(k)), ?S(persistent_term:erase(k)), ?S(persistent_term:erase(k)), ?S(shared()), ?S(is_integer(maps:get(count, persistent_term:info()))), ?S(lists:keymember(zzz, 1, persistent_term:get())), ?S(replaced_while_held()), ?S(kept_sharing()), ?S(many_come_and_go()).

parallel(A, C) ->
    atomics:put(A, 1, 0), counters:put(C, 1, 0),
    Refs = [element(2, spawn_monitor(fun() -> [begin atomics:add(A, 1, 1), counters:add(C, 1, 2) end || _ <- lists:seq(1, 1000)] end)) || _ <- lists:seq(1, 10)],
    [receive {'DOWN', R, _, _, normal} -> ok end || R <- Refs],
    {atomics:get(A, 1), counters:get(C, 1)}.

shared() ->
    persistent_term:put({?MODULE, table}, lists:seq(1, 1000)), Self = self(),
    [spawn(fun() -> Self ! {sum, lists:sum(persistent_term:get({?MODULE, table}))} end) || _ <- lists:seq(1, 20)],
    R = lists:usort([receive {sum, S} -> S end || _ <- lists:seq(1, 20)]), persistent_term:erase({?MODULE, table}), R.

%% What a value shares within itself stays shared: 20 words, not 4 million.
kept_sharing() ->
    Doubled = lists:foldl(fun(_, T) -> {T, T} end, {leaf}, lists:seq(1, 20)),
    persistent_term:put(doubled, Doubled), Kept = persistent_term:get(doubled),
    Same = {erts_debug:same(element(1, Kept), element(2, Kept)), erts_debug:size_shared(Kept)},
    persistent_term:erase(doubled), Same.

many_come_and_go() ->
    [begin
         [persistent_term:put({many, N}, [N]) || N <- lists:seq(1, 3000)],
         Sum = lists:sum([hd(persistent_term:get({many, N})) || N <- lists:seq(1, 3000)]),
         [persistent_term:erase({many, N}) || N <- lists:seq(1, 3000), N rem 1000 > 0],
         Left = [persistent_term:get({many, N}, none) || N <- [1, 999, 1000, 2000, 3000]],
         {Sum, Left, [persistent_term:erase({many, N}) || N <- [1000, 2000, 3000, 1]]}
     end || _ <- [1, 2]].

replaced_while_held() ->
    persistent_term:put(held, lists:seq(1, 100)), L = persistent_term:get(held),
    persistent_term:put(held, new), persistent_term:erase(held), erlang:garbage_collect(), timer:sleep(5), erlang:garbage_collect(),
    lists:sum(L).
