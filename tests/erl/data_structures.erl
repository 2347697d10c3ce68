%% OTP's containers over the same operations: queue, dict, orddict, gb_trees, gb_sets, sets, ordsets,
%% array, digraph, proplists.
-module(data_structures).
-export([main/1]).
-compile(no_copt).
-include("show.hrl").

main(_Args) ->
    queues(), dicts(), trees(), set_modules(), arrays(), digraphs(), props(), sofs_module().

queues() ->
    Q = lists:foldl(fun queue:in/2, queue:new(), lists:seq(1, 10)),
    ?S(queue:to_list(Q)), ?S(queue:out(Q)), ?S(queue:out_r(Q)), ?S(queue:len(Q)), ?S(queue:is_empty(queue:new())), ?S(queue:out(queue:new())), ?S(queue:head(Q)), ?S(queue:head(queue:new())), ?S(queue:to_list(queue:reverse(Q))),
    ?S(queue:to_list(queue:filter(fun(X) -> X > 5 end, Q))), ?S(queue:split(3, Q)), ?S(queue:member(3, Q)), ?S(queue:join(Q, Q) =:= Q), ?S(queue:fold(fun(X, A) -> X + A end, 0, Q)), ?S(drain(Q, 0)), ?S(churn(queue:new(), 5000, 0)), ?S(queue:delete(5, Q)), ?S(queue:peek_r(Q)), ?S(queue:in(x, not_a_queue)).
drain(Q, S) -> case queue:out(Q) of {{value, X}, R} -> drain(R, S + X); {empty, _} -> S end.
churn(_, 0, S) -> S;
churn(Q, N, S) -> Q1 = queue:in(N, queue:in(N * 2, Q)), {{value, X}, Q2} = queue:out(Q1), churn(Q2, N - 1, S + X).

dicts() ->
    [begin
         D = lists:foldl(fun(I, D0) -> M:store({k, I rem 100}, I, D0) end, M:new(), lists:seq(1, 1000)),
         ?S({M, M:size(D), M:fetch({k, 5}, D), M:find({k, 500}, D), M:is_key({k, 7}, D), lists:sum([V || {_, V} <- M:to_list(D)]), lists:sort(M:fetch_keys(M:filter(fun(_, V) -> V > 995 end, D)))}),
         ?S(M:fold(fun(_, V, A) -> V + A end, 0, M:erase({k, 1}, D))), ?S(M:fetch({k, 5}, M:update({k, 5}, fun(X) -> -X end, D))), ?S(M:fetch(c, M:update_counter(c, 3, M:update_counter(c, 4, M:new())))), ?S(M:fetch(l, M:append(l, 2, M:append(l, 1, M:new())))),
         ?S(lists:sort(M:to_list(M:merge(fun(_, A, B) -> A + B end, M:from_list([{a, 1}, {b, 2}]), M:from_list([{b, 3}, {c, 4}]))))), ?S(M:fetch(nope, D)), ?S(M:take({k, 3}, D) =/= error), ?S(lists:sort(M:to_list(M:map(fun(_, V) -> V * 2 end, M:from_list([{x, 1}])))))
     end || M <- [dict, orddict]].

trees() ->
    T = lists:foldl(fun(I, T0) -> gb_trees:enter((I * 7919) rem 1009, I, T0) end, gb_trees:empty(), lists:seq(1, 1000)),
    ?S(gb_trees:size(T)), ?S(gb_trees:smallest(T)), ?S(gb_trees:largest(T)), ?S(gb_trees:lookup(500, T)), ?S(gb_trees:lookup(x, T)), ?S(erlang:phash2(T)), ?S(gb_trees:is_defined(7, T)), ?S(gb_trees:get(99999, T)), ?S(gb_trees:insert(1, dup, gb_trees:insert(1, a, gb_trees:empty()))),
    ?S(erlang:phash2(gb_trees:balance(T))), ?S(walk(gb_trees:next(gb_trees:iterator(T)), 0)), ?S(gb_trees:size(lists:foldl(fun(K, A) -> gb_trees:delete_any(K, A) end, T, lists:seq(1, 900)))), ?S(gb_trees:take_smallest(T) =/= T), ?S(lists:sublist(gb_trees:keys(T), 5)), ?S(gb_trees:to_list(gb_trees:map(fun(_, V) -> V + 1 end, gb_trees:from_orddict([{a, 1}, {b, 2}])))),
    ?S(walk(gb_trees:next(gb_trees:iterator_from(990, T)), 0)).
walk(none, N) -> N;
walk({_, _, I}, N) -> walk(gb_trees:next(I), N + 1).

set_modules() ->
    [begin
         A = M:from_list([1, 2, 3, a, "s"]), B = M:from_list([3, 4, a, 1.0]),
         ?S({M, lists:sort(M:to_list(M:union(A, B))), lists:sort(M:to_list(M:intersection(A, B))), lists:sort(M:to_list(M:subtract(A, B))), M:is_element(2, A), M:is_element(2.0, A), M:size(A), M:is_subset(M:from_list([1]), A), M:is_disjoint(A, B)}),
         ?S(lists:sort(M:to_list(M:add_element(x, M:del_element(1, A))))), ?S(M:fold(fun(X, N) when is_integer(X) -> X + N; (_, N) -> N end, 0, A)), ?S(M:size(M:filter(fun is_atom/1, A))), ?S(M:size(M:from_list(lists:seq(1, 500) ++ lists:seq(250, 750)))), ?S(M:is_set(A)), ?S(lists:sort(M:to_list(M:union([A, B, M:from_list([z])]))))
     end || M <- [sets, ordsets, gb_sets]],
    S2 = sets:from_list([1, 2, 3], [{version, 2}]), ?S(S2), ?S(sets:to_list(sets:add_element(4, S2))), ?S(sets:is_element(1, S2)).

arrays() ->
    A = array:from_list(lists:seq(0, 99)),
    ?S(array:get(50, A)), ?S(array:size(array:set(1000, x, A))), ?S(array:get(500, array:set(1000, x, A))), ?S(array:foldl(fun(_, X, S) -> X + S end, 0, A)), ?S(array:get(100, array:fix(A))), ?S(array:to_list(array:resize(5, A))), ?S(array:sparse_to_orddict(array:set(7, y, array:new()))), ?S(array:get(3, array:new([{default, d}]))), ?S(array:set(-1, x, A)).

digraphs() ->
    G = digraph:new(),
    [digraph:add_vertex(G, V) || V <- [a, b, c, d, e]],
    [digraph:add_edge(G, X, Y) || {X, Y} <- [{a, b}, {b, c}, {c, a}, {c, d}, {d, e}]],
    ?S(digraph:get_path(G, a, e)), ?S(digraph:get_path(G, e, a)), ?S(lists:sort(digraph:out_neighbours(G, c))), ?S(lists:sort([lists:sort(C) || C <- digraph_utils:strong_components(G)])), ?S(digraph_utils:is_acyclic(G)), ?S(digraph_utils:topsort(G)), ?S(digraph:no_edges(G)), ?S(digraph:get_cycle(G, a)), ?S(lists:sort(digraph_utils:reachable([d], G))), ?S(digraph:del_vertex(G, c)), ?S(digraph_utils:topsort(G) =/= false), ?S(digraph:delete(G)).

props() ->
    P = [a, {b, 1}, {c, [1, 2]}, {b, 2}, {no_d, true}, "junk"],
    ?S(proplists:get_value(a, P)), ?S(proplists:get_value(b, P)), ?S(proplists:get_value(x, P, default)), ?S(proplists:get_all_values(b, P)), ?S(proplists:is_defined(c, P)), ?S(proplists:delete(b, P)), ?S(proplists:get_bool(a, P)), ?S(proplists:unfold(P)), ?S(proplists:compact([{a, true}])), ?S(proplists:get_keys([{a, 1}, b])), ?S(proplists:to_map([a, {b, 2}, {a, 3}])), ?S(proplists:lookup(c, P)), ?S(proplists:append_values(c, P)), ?S(proplists:split(P, [b, c])).

sofs_module() -> R = sofs:relation([{1, a}, {2, b}, {3, a}]), ?S(sofs:to_external(sofs:converse(R))), ?S(sofs:to_external(sofs:relation_to_family(sofs:converse(R)))), ?S(sofs:to_external(sofs:domain(R))), ?S(sofs:to_external(sofs:composite(R, sofs:relation([{a, x}, {b, y}])))).
