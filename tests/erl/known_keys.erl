%% Maps whose keys are known when their code is loaded: all that are made share one tuple of keys.
%% skip gc-stress: runs the compiler
-module(known_keys).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    ?S(orders(1, 2, 3)), ?S(kinds(id(a))), ?S(twice(1, 2)), ?S(same_value([])), ?S(sizes()), ?S(large(x)), ?S(changed(id(5))), ?S(nested(3)), ?S(equal(1)), ?S(updates(id(1))), ?S(outlive()), ?S(many()).

orders(A, B, C) ->
    M = [#{a => A, b => B, c => C}, #{c => C, b => B, a => A}, #{b => B, c => C, a => A}, #{zz => A, z => B, a => C, 'B' => 1, '' => 2}],
    {M, [maps:to_list(X) || X <- M], [maps:keys(X) || X <- M], hd(M) =:= lists:nth(2, M), erts_debug:flat_size(M)}.
kinds(V) -> [#{1 => V, a => V, -1 => V, 0 => 1}, #{1.0 => V, 1 => V}, #{"s" => V, <<"b">> => V, {t, 1} => V, [] => V}, #{1 bsl 70 => V, a => V}, #{a => V, V => 1}, #{V => 1, b => 2}, #{#{} => V, a => 1}].
twice(A, B) -> X = #{k => A, other => 1}, Y = X#{k => B}, {X, Y, maps:put(k, A, Y) =:= X}.
same_value(V) -> {#{a => V}, #{a => V, b => V}, #{a => []}, #{a => V} =:= #{a => []}, maps:size(#{a => V})}.
sizes() ->
    V = id(v),
    A = #{k01=>V,k02=>V,k03=>V,k04=>V,k05=>V,k06=>V,k07=>V,k08=>V,k09=>V,k10=>V,k11=>V,k12=>V,k13=>V,k14=>V,k15=>V,k16=>V,k17=>V,k18=>V,k19=>V,k20=>V,k21=>V,k22=>V,k23=>V,k24=>V,k25=>V,k26=>V,k27=>V,k28=>V,k29=>V,k30=>V,k31=>V},
    B = #{k32=>V,k01=>V,k02=>V,k03=>V,k04=>V,k05=>V,k06=>V,k07=>V,k08=>V,k09=>V,k10=>V,k11=>V,k12=>V,k13=>V,k14=>V,k15=>V,k16=>V,k17=>V,k18=>V,k19=>V,k20=>V,k21=>V,k22=>V,k23=>V,k24=>V,k25=>V,k26=>V,k27=>V,k28=>V,k29=>V,k30=>V,k31=>V},
    C = #{k33=>V,k32=>V,k01=>V,k02=>V,k03=>V,k04=>V,k05=>V,k06=>V,k07=>V,k08=>V,k09=>V,k10=>V,k11=>V,k12=>V,k13=>V,k14=>V,k15=>V,k16=>V,k17=>V,k18=>V,k19=>V,k20=>V,k21=>V,k22=>V,k23=>V,k24=>V,k25=>V,k26=>V,k27=>V,k28=>V,k29=>V,k30=>V,k31=>V},
    [{map_size(M), lists:sort(maps:to_list(M)), M =:= maps:from_list(maps:to_list(M)), erlang:phash2(M)} || M <- [A, B, C, B#{k33 => V}, maps:remove(k33, C)]].
large(V) -> M = #{a => lists:seq(1, 20), b => {V, V}}, erlang:garbage_collect(), M#{c => V}.
changed(V) -> M = #{a => V, b => 2}, [M#{a => 1}, M#{a := 1}, M#{b => V}, M#{c => V}, M#{c => V, a => V}, M#{aa => V, 'A' => V}, maps:remove(a, M), M#{a => V, b => 3}, M, show:quiet(fun() -> M#{x := 1} end)].
nested(N) -> #{a => #{b => #{c => N}, d => [#{e => N}]}, f => #{}}.
equal(V) -> M = #{x => V, y => 2}, [M =:= maps:from_list([{y, 2}, {x, V}]), M == #{x => 1.0, y => 2}, M =:= #{x => 1.0, y => 2}, M < #{x => 2, y => 2}, M < #{x => 1, z => 2}, erlang:phash2(M), term_to_binary(M) =:= term_to_binary(maps:from_list([{y, 2}, {x, V}]))].
updates(V) -> lists:foldl(fun(K, M) -> M#{K => V} end, #{m => V, z => 1}, [a, n, zz, 1, "x", {}, <<>>, m]).

%% The code goes, what it made stays.
outlive() ->
    {ok, known_keys_made, Code} = compile:forms([{attribute, 1, module, known_keys_made}, {attribute, 1, export, [{f, 1}]},
        {function, 1, f, 1, [{clause, 1, [{var, 1, 'X'}], [], [{map, 1, [{map_field_assoc, 1, {atom, 1, K}, {var, 1, 'X'}} || K <- [zeta, alpha, mu]]}]}]}]),
    Maps = [begin {module, _} = code:load_binary(known_keys_made, "known_keys_made.erl", Code), M = known_keys_made:f(N), code:purge(known_keys_made), M end || N <- [1, 2, 3]],
    code:delete(known_keys_made), code:purge(known_keys_made), erlang:garbage_collect(),
    [self() ! M || M <- Maps], [receive M -> ok end || M <- Maps],
    {Maps, [M#{alpha := new} || M <- Maps]}.
many() -> L = [#{id => N, name => integer_to_list(N), next => N + 1} || N <- lists:seq(1, 300)], {lists:sum([N || #{id := N} <- L]), lists:nth(300, L), length(lists:usort(L)), erlang:phash2(L)}.
