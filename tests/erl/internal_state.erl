%% erts_debug:get_internal_state/1 and set_internal_state/2, what of them test suites rely on.
%% skip replay: its native work sends messages from another thread
%% skip seeds: with a seed one thread does all, and native work that outlives its process waits for another
-module(internal_state).
-export([main/1]).
-compile([no_copt, {no_auto_import, [get/1]}]).
-include("show.hrl").

main(_Args) ->
    ?S(get(available_internal_state)), ?S(get(reds_left)), ?S(set(reds_left, 10)), ?S(set(available_internal_state, perhaps)),
    ?S(set(available_internal_state, true)), ?S(set(available_internal_state, true)), ?S(get(available_internal_state)),
    ?S(get({atom, 0})), ?S(get({binary_info, <<1, 2>>})), ?S(get({binary_info, id(binary:copy(<<7>>, 70))})), ?S(get({binary_info, <<"x">>})),
    ?S(begin <<_, B/binary>> = id(binary:copy(<<7>>, 70)), get({binary_info, B}) end), ?S(get({binary_info, a})),
    ?S(begin {refc_binary, 3, {binary, N}, F} = get({binary_info, <<(id(<<>>))/binary, 1, 2, 3>>}), {N > 3, F} end),
    ?S(is_integer(get({internal_hash, id(x)}))), ?S(get({internal_hash, 5}) =:= get({internal_hash, id(5)})), ?S(get({process_status, self()})),
    ?S(lists:member(self(), get(processes))), ?S(is_integer(get(reds_left))), ?S(get(no_such_item)), ?S(set(no_such_item, 1)),
    ?S(get({binary_info, << <<(X + 32)>> || <<X>> <= id(<<"ABCDEFG">>) >>})), ?S(get({binary_info, << <<X>> || X <- id([1, 2]), _ <- id([1]) >>})),
    ?S(set(reds_left, 10)), ?S(set(reds_left, -1)), ?S(set(reds_left, a)), ?S(set(wait, thread_progress)), ?S(set(wait, deallocations)), ?S(set(wait, a)),
    ?S(related(spawn(fun() -> receive after infinity -> ok end end))), ?S(get({link_list, x})), ?S(set(proc_sig_buffers, true)),
    ?S(set(force_gc, self())), ?S(set(fill_heap, true)), ?S(set(sleep, 1)), unique(get(unique_monotonic_integer_state), get(min_unique_monotonic_integer)),
    ?S([[set(K, V) || V <- [10, 20, default, default, -1, a]] || K <- [re_loop_limit, unicode_loop_limit, binary_loop_limit]]),
    tables(), dirty(), ?S(set(mbuf, {a, "b"})), ?S(is_integer(get(next_pid))), ?S(set(next_pid, x)),
    ?S(set(gc_state, x)), ?S([set(gc_state, X) || X <- [true, false, false, true, true]]), ?S(held()), ?S(held_dies()),
    ?S([task({system_task_test, X}) || X <- [1, {a}, "b"]]), ?S(task({system_task_test})), ?S(task({no_task, 1})),
    ?S([erts_internal:request_system_task(ended(), normal, {system_task_test, x}), receive A -> A end]),
    ?S(lists:sort(get(process_info_args))),
    ?S([F(get(processes_bif_info)) || F <- [fun(I) -> element(1, I) end, fun tuple_size/1]]),
    ?S(set(available_internal_state, false)), ?S(get(processes)),
    ?S(erts_debug:map_info(#{})), ?S(erts_debug:map_info(id(a))),
    ?S([{T, element(2, lists:keyfind(T, 1, erts_debug:map_info(maps:from_keys(lists:seq(1, 1000), x))))} || T <- [leafs]]).

get(Item) -> erts_debug:get_internal_state(Item).
set(Item, Value) -> erts_debug:set_internal_state(Item, Value).

task(T) ->
    ok = erts_internal:request_system_task(self(), normal, T),
    receive X -> X end.

ended() ->
    {P, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, process, P, normal} -> P end.

%% Collections that are asked for while they are off: answered when they are on again, or with the end.
holder() ->
    Me = self(),
    P = spawn(fun() ->
        true = set(gc_state, false),
        Me ! ready,
        receive go -> Me ! {was, set(gc_state, true)} end,
        receive stop -> ok end
    end),
    receive ready -> P end.

held() ->
    P = holder(),
    Asked = [erlang:garbage_collect(P, O) || O <- [[{async, first}], [{async, {second}}, {type, minor}]]],
    [] = element(2, process_info(P, messages)),
    Early = receive X -> X after 0 -> none end,
    P ! go,
    Was = receive {was, W} -> W end,
    Answers = lists:sort([receive {garbage_collect, Id, Result} -> {Id, Result} end || _ <- Asked]),
    P ! stop,
    {Asked, Early, Was, Answers}.

held_dies() ->
    P = holder(),
    async = erlang:garbage_collect(P, [{async, first}]),
    exit(P, kill),
    receive X -> X end.

%% What both sides know of a link and two monitors.
related(P) ->
    link(P),
    M = monitor(process, P),
    _ = process_info(P, status),
    S = self(),
    Links = {[1 || L <- get({link_list, S}), element(3, L) =:= P], [1 || L <- get({link_list, P}), element(3, L) =:= S]},
    Monitors = [[lists:sublist(tuple_to_list(E), 2, 2) ++ [element(5, E) =:= Other, element(6, E)] || E <- get({monitor_list, Of}), element(4, E) =:= R]
                || R <- [M], {Of, Other} <- [{S, P}, {P, S}]],
    unlink(P), demonitor(M), exit(P, kill),
    {Links, Monitors}.

%% The numbers go on through all of 64 bits.
unique(State, Min) ->
    [begin
         ?S(set(unique_monotonic_integer_state, (From - Min - 1) band (1 bsl 64 - 1))),
         ?S([erlang:unique_integer([monotonic]) || _ <- lists:seq(1, 6)])
     end || From <- [-3, 1 bsl 59 - 3, 1 bsl 63 - 3, 1 bsl 63 + Min - 3, 1 bsl 64 + Min - 3]],
    ?S(erlang:unique_integer([monotonic, positive])), ?S(set(unique_monotonic_integer_state, 1 bsl 63 - 2)), ?S(erlang:unique_integer([monotonic, positive])),
    set(unique_monotonic_integer_state, State).

tables() ->
    Plain = ets:new(t, []), Ordered = ets:new(t, [ordered_set, public, {write_concurrency, true}]),
    ?S(set(ets_force_trap, true)), ?S(get(flxctr_memory_usage)), ?S(tuple_size(get('DbTable_words'))),
    ?S([set(K, {Ordered, B}) || K <- [ets_force_split, ets_debug_random_split_join], B <- [true, false]]),
    ?S(set(ets_force_split, {Plain, true})), ?S(set(ets_force_split, Plain)),
    ?S(begin L = set(colliding_names, {a, 5}), {length(L), length(lists:usort(L)), lists:all(fun erlang:is_atom/1, L)} end).

%% Native work of a known kind.
dirty() ->
    Kinds = [fun(A, B) -> erts_debug:dirty_cpu(A, B) end, fun(A, B) -> erts_debug:dirty_io(A, B) end]
        ++ [fun(A, B) -> erts_debug:dirty(K, A, B) end || K <- [normal, dirty_cpu, dirty_io, no_kind]],
    ?S([[try F(A, B) catch C:R -> {C, R} end
         || {A, B} <- [{scheduler, type}, {wait, 2}, {wait, a}, {reschedule, 100}, {reschedule, 1}, {foo, bar} | [{error, E} || E <- [badarg, undef, noproc, foo, {a}]]]]
        || F <- Kinds]),
    ?S(lists:usort(erts_debug:dirty_cpu(copy, {a, "b", 1 bsl 70}))),
    Me = self(),
    {P, M} = spawn_monitor(fun() -> erts_debug:dirty_io(alive_waitexiting, Me) end),
    receive {alive, P} -> ok end,
    ?S([process_info(P, current_function), is_process_alive(P)]),
    exit(P, over),
    ?S(receive {'DOWN', M, _, _, R} -> R end).
