%% since: 29
%% Native records: made, matched, updated, compared, encoded, sent, stored; errors; definitions that change.
-module(native_records).
-compile([export_all, nowarn_export_all, nowarn_deprecated_catch]).
-record #point{x = 0, y = 0}.
-record #priv{only = [1, "two", <<"three">>]}.
-record #needs{must, may = 2}.
-record #none{}.
-export_record([point, needs]).
-define(T(E), t(??E, fun() -> E end)).

t(Text, F) ->
    try F() of
        V -> io:format("~ts~n    ~tp~n", [Text, V])
    catch
        C:R:S -> io:format("~ts~n    ~tp~n", [Text, {C, R, frame(S)}])
    end.

frame([{?MODULE, _, _, _} | _]) -> here;
frame([{M, F, A, I} | _]) -> {M, F, A, I};
frame([]) -> none.

main(_) -> main().

main() ->
    owner(0),
    P = #point{}, Q = #point{y = 2, x = 1}, V = #priv{}, N = #needs{must = a}, Z = #none{},
    Foreign = make(owner, thing, true, [{a, 1}, {b, 2}]),
    Hidden = make(owner, hidden, false, [{x, 1}]),
    Namesake = make(m, point, true, [{x, 7}]),
    All = [P, Q, V, N, Z, Foreign, Hidden, Namesake, owner:thing(), owner:hidden(), {point, 1, 2}, #{x => 1}, 17],
    ?T(All),
    [io:format("~p: ~p~n", [F, [catch_(fun() -> ?MODULE:F(X) end) || X <- All]])
     || F <- [get_x, any_x, set_x, any_set_x, of_owner, set_owner, match, match_any, guard, guard_any, is_it, kind, hidden]],
    errors(), bifs(Q, N, Z, Foreign), order(All), external(All), elsewhere(P, Q, V), specs(P, Q, N),
    gc(2000, []), definitions(), ?T(native(20000, 0)).

%% --- instructions
get_x(R) -> R#point.x.
any_x(R) -> R#_.x.
set_x(R) -> R#point{x = 1, y = [R#point.y]}.
any_set_x(R) -> R#_{x = 1}.
of_owner(R) -> R#owner:thing.a.
set_owner(R) -> R#owner:thing{a = new}.
hidden(R) -> R#owner:hidden.x.
match(#point{x = X, y = 0}) -> {origin, X};
match(#needs{may = M, must = a}) -> {needs, M};
match(#owner:thing{a = A, b = B}) -> {thing, A, B};
match(#priv{only = [_ | T]}) -> {priv, T};
match(#none{}) -> none;
match(_) -> no.
match_any(#_{x = X}) -> {x, X};
match_any(#_{}) -> record;
match_any(_) -> no.
guard(R) when R#point.x > 0, R#point.x < 7 -> small;
guard(R) when R#needs.may =:= 2 -> needs;
guard(_) -> no.
guard_any(R) when R#_.x =:= 1; R =:= 17 -> yes;
guard_any(_) -> no.
is_it(R) -> {is_record(R, point), is_record(R, ?MODULE, point), is_record(R, owner, thing), is_record(R), is_tuple(R)}.
kind(R) when is_tuple(R) -> tuple;
kind(R) when is_map(R) -> map;
kind(R) when is_record(R, none) -> none;
kind(R) when is_record(R) -> {record, records:get_name(R)};
kind(_) -> other.

id(X) -> X.
make(M, N, E, Fields) -> records:create(M, N, Fields, #{is_exported => E}).
catch_(F) ->
    try F() catch C:R:S -> {C, R, case frame(S) of here -> here; {M, F1, _, _} -> {M, F1} end} end.

errors() ->
    ?T(#owner:thing{a = 1}), ?T(#owner:thing{}), ?T(#owner:thing{a = 1, q = 2}), ?T(#owner:hidden{}), ?T(#nowhere:thing{}),
    ?T(#owner:nothing{}), ?T((id([]))#point{x = 1}), ?T((id([]))#point.x), ?T((id(#point{}))#_.z), ?T((id(#point{}))#_{z = 1}),
    ?T((id(#owner:thing{a = 1}))#owner:thing{z = 1}), ?T((id(#owner:thing{a = 1}))#owner:thing.z),
    ?T(begin #point{x = 5} = id(#point{}) end), ?T((id(#point{}))()), ?T(element(1, id(#point{}))),
    ?T(map_size(id(#point{}))), ?T(error(#point{})), ?T(throw(#point{x = y})), ?T((id(#point{})):f()).

bifs(Q, N, Z, Foreign) ->
    [io:format("~p ~p~n", [F, [catch_(fun() -> records:F(R) end) || R <- [Q, N, Z, Foreign, 1, {point}]]])
     || F <- [get_module, get_name, get_field_names, is_exported]],
    [?T(records:get(K, R)) || K <- [x, must, q, 1], R <- [Q, N, Z, 1]],
    [?T(records:create(M, R, F, O))
     || {M, R, F, O} <- [{m, p, [], #{is_exported => true}}, {m, p, [{a, 1}], #{is_exported => false}}, {1, p, [], #{}},
                         {m, "p", [], #{}}, {m, p, [], []}, {m, p, [], #{}}, {m, p, [], #{is_exported => 1}},
                         {m, p, a, #{is_exported => true}},
                         {m, p, [a], #{is_exported => true}}, {m, p, [{1, 1}], #{is_exported => true}},
                         {m, p, [{a, 1}, {a, 1}], #{is_exported => true}}, {m, p, [{a, 1} | b], #{is_exported => true}},
                         {'M m', 'P p', [{'A a', "x"}], #{is_exported => true}}]],
    [?T(records:update(R, M, K, F))
     || {R, M, K, F} <- [{Q, ?MODULE, point, #{x => 3}}, {Q, ?MODULE, point, #{}}, {Q, m, point, #{}}, {Q, ?MODULE, p, #{}},
                         {Q, 1, '_', #{y => 5}}, {Q, ?MODULE, point, #{q => 1}}, {Q, ?MODULE, point, []}, {1, ?MODULE, point, []},
                         {N, ?MODULE, needs, #{must => 1, may => 2}}, {N, ?MODULE, needs, #{2 => 3}}]],
    [?T(records:get_definition(M, R)) || M <- [?MODULE, owner, nowhere, 1], R <- [point, priv, needs, none, thing, 1]],
    [?T(erlang:is_record(A, B, C)) || {A, B, C} <- [{Q, ?MODULE, point}, {{point, 1}, point, 2}, {Q, point, 3}, {Q, 1, point},
                                                    {Q, m, 1.0}, {{m}, m, 1}, {{m}, m, point}]],
    [?T(erlang:is_record(A, B)) || A <- [Q, {point}, 1], B <- [point, 1]],
    ?T(erlang:is_record(id(Q))), ?T(apply(erlang, is_record, [id(1)])).

order(All) ->
    ?T(lists:sort(All ++ [[], [1], <<>>, a, {}, #{}, 1.0])),
    ?T([compare(A, B) || A <- All, B <- All]),
    D = [make(M, R, E, F) || M <- [a, b], R <- [p, q], E <- [true, false], F <- [[], [{f, 1}], [{f, 1.0}], [{g, 0}], [{f, 1}, {g, 2}], [{g, 2}, {f, 1}]]],
    ?T(lists:append([[compare(A, B) || B <- D] || A <- D])).

compare(A, B) ->
    case {A < B, A == B, A =:= B} of
        {true, false, false} -> $<;
        {false, true, true} -> $=;
        {false, true, false} -> $~;
        {false, false, false} -> $>
    end.

external(All) ->
    [io:format("~p~n    ~w ~w ~w~n", [R, term_to_binary(R), erlang:external_size(R), binary_to_term(term_to_binary(R)) =:= R]) || R <- All],
    [io:format("~w~n", [term_to_binary(R, O)]) || R <- All, O <- [[{minor_version, 1}], [deterministic]]],
    B = term_to_binary(#point{x = 1, y = [2]}),
    [io:format("~w ~w~n", [N, catch_(fun() -> size(binary_to_term(binary:part(B, 0, N))) end)]) || N <- lists:seq(0, byte_size(B) - 1)],
    [io:format("~w~n", [catch_(fun() -> binary_to_term(iolist_to_binary([131, 67, X])) end)])
     || X <- [[<<2:32, 1>>, atoms([m, p, a, b]), 97, 1, 97, 2], [<<2:32, 2>>, atoms([m, p, a, b]), 97, 1, 97, 2],
              [<<2:32, 1>>, atoms([m, p, a, a]), 97, 1, 97, 2], [<<0:32, 0>>, atoms([m, p])],
              [<<1:32, 0>>, 97, 1, atoms([p, a]), 97, 1], [<<1:32, 0>>, atoms([m, p]), 97, 1, 97, 1],
              [<<16#ffffffff:32, 1>>, atoms([m, p, a, b]), 97, 1, 97, 2]]],
    [io:format("~p ~p~n", [R, erlang:phash2(R)]) || R <- [#none{}, #priv{}, make(m, p, true, [{a, 1}]), make(m, p, false, []), {#none{}, [#priv{}]}]],
    ?T(lists:usort([erlang:phash2(R) || R <- [#point{}, (id(#point{x = 1}))#point{x = 0}, binary_to_term(term_to_binary(#point{}))]]) == [erlang:phash2(#point{})]).

atoms(As) -> [[119, length(atom_to_list(A)), atom_to_list(A)] || A <- As].

elsewhere(P, Q, V) ->
    Self = self(),
    {Pid, Ref} = spawn_monitor(fun() -> receive R -> Self ! {got, R, R#point.x}, exit(R) end end),
    Pid ! Q,
    ?T(receive {got, R, X} -> {R, X, R =:= Q} end),
    ?T(receive {'DOWN', Ref, _, _, R} -> R =:= Q end),
    self() ! V,
    ?T(receive #priv{only = [H | _]} -> H end),
    self() ! P,
    ?T(receive #needs{} -> needs; P -> point end),
    put(kept, Q), ?T(get(kept)), ?T(element(2, process_info(self(), {dictionary, kept}))),
    persistent_term:put(kept, {P, [V]}), ?T(persistent_term:get(kept)), ?T(persistent_term:erase(kept)),
    M = maps:from_list([{make(m, p, true, [{a, N}]), N} || N <- lists:seq(1, 100)]),
    ?T([map_get(make(m, p, true, [{a, N}]), M) || N <- [1, 50, 100]]), ?T(maps:is_key(make(m, p, false, [{a, 1}]), M)),
    ?T(#{P => 1, Q => 2} =:= #{Q => 2, P => 1}), ?T(map_get(#point{x = id(1), y = 2}, #{P => 1, Q => 2})),
    ?T(io_lib:format("~w ~p ~0p ~P", [V, V, V, make(m, p, true, [{a, lists:seq(1, 30)}]), 12])),
    ?T((fun() -> R1 = Q, fun() -> R1#point.y end end())()),
    ?T([X || #point{x = X} <- [P, Q, V, 1]]), ?T(lists:keyfind(Q, 2, [{a, P}, {b, Q}])), ?T(erts_debug:same(Q, id(Q))),
    erlang:display(V), erlang:display(make('M m', 'P p', true, [{'A a', "x"}])).

specs(P, Q, N) ->
    T = ets:new(t, [set]), O = ets:new(o, [ordered_set]),
    [ets:insert(Tab, [{P, 1}, {Q, 2}, {N, 3}, {{}, 4}, {#{}, 5}, {[], 6}]) || Tab <- [T, O]],
    [begin
         ?T(ets:lookup(Tab, #point{x = 1, y = 2})), ?T(ets:member(Tab, #point{x = 1.0, y = 2})),
         ?T(ets:match_object(Tab, {Q, '_'})), ?T(ets:match(Tab, {make(?MODULE, point, true, [{x, '$1'}, {y, 2}]), '_'})),
         ?T(lists:sort(ets:select(Tab, [{{'$1', '_'}, [{is_record, '$1', ?MODULE, point}], ['$1']}]))),
         ?T(ets:select(Tab, [{{'$1', '_'}, [{is_record, '$1', point, 3}], ['$1']}])),
         ?T(ets:select(Tab, [{{'$1', '_'}, [{'=:=', '$1', Q}], [{{Q, '$1'}}]}])),
         ?T(ets:select(Tab, [{{'$1', '_'}, [{is_tuple, '$1'}], ['$1']}]))
     end || Tab <- [T, O]],
    ?T(ets:tab2list(O)), ?T(catch_(fun() -> ets:select(T, [{{'$1', '_'}, [{is_record, '$1'}], ['$1']}]) end)).

%% --- many, over collections
gc(0, L) ->
    io:format("~p ~p~n", [length(L), lists:sum([X || #point{x = X} <- L])]),
    erlang:garbage_collect(),
    io:format("~p~n", [lists:sum([length(Y) || #point{y = Y} <- L])]);
gc(N, L) -> gc(N - 1, [(#point{x = N})#point{y = lists:seq(1, N rem 7)} | L]).

native(0, S) -> S;
native(N, S) ->
    R = (#point{x = N})#point{y = S band 7},
    native(N - 1, S + R#point.x + R#_.y + case R of #point{y = 3} -> 1; _ -> 0 end).

%% --- another module, whose definitions change under the records it made
owner(Version) ->
    Fields = lists:nth(Version + 1, ["a, b = 5", "b = six, c = 7"]),
    Text = "-module(owner). -export([thing/0, hidden/0, b/1, new/0]). -record #thing{" ++ Fields ++ "}. -record #hidden{x = 0}."
        " -export_record([thing]). thing() -> " ++ lists:nth(Version + 1, ["#thing{a = 1}", "#thing{}"]) ++ ". hidden() -> #hidden{}."
        " b(R) -> R#thing.b. new() -> #thing{b = new" ++ lists:nth(Version + 1, [", a = 0", ""]) ++ "}. ",
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, owner, Beam} = compile:forms(forms(Tokens, [])),
    {module, owner} = code:load_binary(owner, "owner.beam", Beam).

forms([], []) -> [];
forms([{dot, _} = D | T], Form) ->
    {ok, F} = erl_parse:parse_form(lists:reverse([D | Form])),
    [F | forms(T, [])];
forms([H | T], Form) -> forms(T, [H | Form]).

definitions() ->
    Old = owner:thing(), Made = owner:new(),
    owner(1),
    New = owner:thing(),
    ?T({Old, Made, New, Old == New, owner:b(Old), owner:b(New)}),
    ?T(records:get_definition(owner, thing)), ?T(of_owner(New)), ?T(of_owner(Old)), ?T(#owner:thing{c = 1}), ?T(#owner:thing{a = 1}),
    code:purge(owner),
    ?T({Old, set_owner(Old), (id(Old))#_{b = 1}, #owner:thing{}}),
    code:delete(owner),
    ?T(#owner:thing{}), ?T(records:get_definition(owner, thing)),
    code:purge(owner),
    erlang:garbage_collect(),
    ?T({Old, Made, New, records:get_field_names(New), of_owner(Old)}).
