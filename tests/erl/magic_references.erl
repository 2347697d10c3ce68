%% References that stand for something (tables, atomics, patterns, match specifications, files) lead to
%% it again after a way through the external format or text, as long as it lives.
-module(magic_references).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    [ways(Way) || Way <- [fun packed/1, fun compressed/1, fun pieces/1, fun text/1, fun nested/1]],
    table_shared(), between_processes(), owner_gone(), nothing_left(), identity(), seen(), many().

packed(T) -> binary_to_term(term_to_binary(T)).
compressed(T) -> binary_to_term(term_to_binary([T || _ <- lists:seq(1, 100)], [compressed])).
pieces(T) -> binary_to_term(iolist_to_binary(term_to_iovec(T)), [safe]).
text(T) -> list_to_ref(ref_to_list(T)).
nested(T) -> {_, #{key := [T1 | _]}} = packed({x, #{key => [T | end_of_it]}}), T1.

ways(Way) ->
    Again = fun(T) -> case Way(T) of [H | _] -> H; Other -> Other end end,
    T = ets:new(t, []), A = atomics:new(2, []), C = counters:new(2, []), W = counters:new(2, [write_concurrency]),
    true = ets:insert(T, {a, 1}),
    ?S(ets:lookup(Again(T), a)), ?S(ets:insert(Again(T), {b, 2})), ?S(lists:sort(ets:tab2list(T))), ?S(ets:info(Again(T), size)),
    ?S(atomics:add_get(Again(A), 1, 7)), ?S(atomics:get(A, 1)), ?S(maps:get(size, atomics:info(Again(A)))),
    %% What is behind it is what it says: no atomics array is a counter.
    ?S(counters:get({atomics, Again(T)}, 1)), ?S(atomics:get(Again(T), 1)), ?S(ets:lookup(Again(A), 1)), ?S(atomics:get(Again(make_ref()), 1)),
    {_, CRef} = C, {_, WRef} = W,
    ?S(counters:add(setelement(2, C, Again(CRef)), 1, 3)), ?S(counters:get(C, 1)), ?S(counters:add(setelement(2, W, Again(WRef)), 2, 4)), ?S(counters:get(W, 2)),
    {bm, One} = binary:compile_pattern(<<"ab">>), {ac, Two} = binary:compile_pattern([<<"a">>, <<"bc">>]),
    ?S(binary:matches(<<"xabyab">>, {bm, Again(One)})), ?S(binary:split(<<"xaybcz">>, {ac, Again(Two)}, [global])),
    Spec = ets:match_spec_compile([{{'$1', '$2'}, [], ['$2']}]),
    ?S(ets:is_compiled_ms(Again(Spec))), ?S(ets:match_spec_run([{1, 2}, {3, 4}], Again(Spec))),
    ?S([R =:= Again(R) andalso R == Again(R) || R <- [T, A, CRef, One, Spec, make_ref()]]),
    ets:delete(T),
    ?S(ets:info(Again(T))), ?S(ets:lookup(Again(T), a)), ?S(T =:= Again(T)).

table_shared() ->
    Z = zlib:open(), {ok, F} = file:open("/dev/zero", [read, raw, binary]),
    ?S(zlib:deflateInit(packed(Z))), ?S(file:read(packed(F), 3)), ?S(file:close(packed(F))), ?S(file:read(F, 3)),
    T = ets:new(t, []), [ets:insert(T, {N, N}) || N <- lists:seq(1, 50)],
    {First, K} = ets:select(T, [{{'$1', '_'}, [], ['$1']}], 20),
    ?S(lists:sort(First ++ rest_of(packed(K)))), ets:delete(T).

rest_of('$end_of_table') -> [];
rest_of({L, K}) -> L ++ rest_of(ets:select(packed(K)));
rest_of(K) -> rest_of(ets:select(K)).

between_processes() ->
    T = ets:new(t, [public]), A = atomics:new(1, []), P = binary:compile_pattern([<<"a">>, <<"b">>]),
    Packed = term_to_binary({T, A, P}), Self = self(),
    {_, M} = spawn_monitor(fun() ->
        {T1, A1, P1} = binary_to_term(Packed),
        atomics:add(A1, 1, 5), ets:insert(T1, {from, other}), Self ! {found, binary:match(<<"xb">>, P1)}
    end),
    receive {'DOWN', M, process, _, Why} -> ok end,
    ?S({Why, atomics:get(A, 1), ets:lookup(T, from), receive {found, X} -> X end}),
    ?S(binary:match(<<"b">>, P)), % which lived until here
    ets:delete(T).

%% It lives as long as somebody has a reference, whoever made it.
owner_gone() ->
    Self = self(),
    {Pid, M} = spawn_monitor(fun() ->
        A = atomics:new(1, []), T = ets:new(t, [public]), Self ! {made, term_to_binary({A, T})},
        receive stop -> atomics:get(A, 1) end
    end),
    {A, T} = receive {made, Packed} -> binary_to_term(Packed) end,
    ?S(ets:insert(T, {1, 2})),
    Pid ! stop, receive {'DOWN', M, process, _, _} -> ok end, erlang:garbage_collect(),
    ?S(atomics:add_get(A, 1, 2)), ?S(atomics:add_get(packed(A), 1, 2)), ?S(ets:insert(T, {1, 2})), ?S(ets:info(T)).

nothing_left() ->
    Packed = made_and_forgotten(), erlang:garbage_collect(),
    {A, Text} = binary_to_term(Packed),
    ?S({is_reference(A), A =:= binary_to_term(term_to_binary(A))}), ?S(atomics:get(A, 1)), ?S(atomics:get(list_to_ref(Text), 1)), ?S(ref_to_list(A) =:= Text).

made_and_forgotten() ->
    A = atomics:new(10, []), term_to_binary({A, ref_to_list(A)}).

%% The same one in every way there is to compare.
identity() ->
    T = ets:new(t, []), R = packed(T), M = #{T => first, make_ref() => other},
    ?S({T == R, T =:= R, T < R, T > R, erlang:phash2(T) =:= erlang:phash2(R), maps:get(R, M), R}),
    S = ets:new(s, []), ets:insert(S, {T, found}),
    ?S(ets:lookup(S, R)), ?S(lists:usort([T, R, packed(R)]) =:= [T]), ?S(term_to_binary(R) =:= term_to_binary(T)), ?S(ref_to_list(R) =:= ref_to_list(T)),
    [ets:delete(X) || X <- [S, R]],
    ?S(ets:info(T)).

seen() ->
    {_, M} = spawn_monitor(fun() ->
        A = atomics:new(1, []), B = packed(A), Shown = process_info(self(), magic_ref), self() ! {A, B},
        exit({[Count || {magic_ref, L} <- [Shown], {_, _, Count} <- L], receive {X, X} -> same end})
    end),
    ?S(receive {'DOWN', M, process, _, Why} -> Why end).

%% Many processes find and lose the same ones.
many() ->
    A = atomics:new(2, []), Packed = term_to_binary(A), Self = self(),
    Worker = fun() ->
        [begin
             atomics:add(binary_to_term(Packed), 1, 1),
             Own = term_to_binary(atomics:new(1, [])),
             try atomics:add(binary_to_term(Own), 1, 1) catch error:badarg -> atomics:add(A, 2, 1) end
         end || _ <- lists:seq(1, 500)],
        Self ! {done, self()}
    end,
    Pids = [spawn(Worker) || _ <- lists:seq(1, 8)],
    [receive {done, P} -> ok end || P <- Pids],
    ?S({atomics:get(A, 1), atomics:get(A, 2) =< 4000}).
