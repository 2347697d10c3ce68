%% nodes(known): nodes that identifiers in processes, messages, tables, timers and persistent terms name.
-module(known_nodes).
-export([main/1]).

pid(Node) -> binary_to_term(<<131, 88, 119, (length(Node)), (list_to_binary(Node))/binary, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3>>).
port(Node) -> binary_to_term(<<131, 89, 119, (length(Node)), (list_to_binary(Node))/binary, 0, 0, 0, 1, 0, 0, 0, 3>>).
ref(Node) -> binary_to_term(<<131, 90, 0, 2, 119, (length(Node)), (list_to_binary(Node))/binary, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 5>>).

known() -> [N || N <- lists:sort(nodes(known)), lists:prefix("kn_", atom_to_list(N))].
show(Name, Known) -> io:format("~p: ~p~n", [Name, Known]).
fails(F) -> try F() catch C:R -> {C, R} end.

main(_) ->
    Me = self(),
    show(nobody, {nodes(known), nodes(this), nodes([this, known]), nodes(), nodes([visible, hidden, connected])}),
    put(kept, [pid("kn_dictionary@x"), port("kn_port@x"), ref("kn_ref@x")]),
    show(own, known()),
    show(order, {nodes(known), nodes([this, known]), nodes([this, visible, this])}),
    Pid = spawn(fun() -> P = pid("kn_other@x"), Me ! ready, receive stop -> P end end), receive ready -> ok end,
    Waiting = spawn(fun() -> receive stop -> ok end end),
    Waiting ! {message, pid("kn_message@x")},
    show(others, known()),
    Tables = [ets:new(t, [T | O]) || {T, O} <- [{set, []}, {ordered_set, [public]}, {bag, []}]],
    [ets:insert(T, {I, ref("kn_table" ++ integer_to_list(I) ++ "@x")}) || {T, I} <- lists:zip(Tables, [1, 2, 3])],
    show(tables, known()),
    erlang:send_after(100000, Me, {timer, [port("kn_timer@x")]}),
    show(timers, known()),
    persistent_term:put(known_nodes, {pid("kn_persistent@x")}),
    show(persistent, known()),
    {_, Continuation} = begin M = ets:new(m, []), ets:insert(M, [{1, pid("kn_spec@x")}, {2, pid("kn_spec@x")}]), R = ets:select(M, [{{'$1', pid("kn_spec@x")}, [], ['$1']}], 1), ets:delete_all_objects(M), R end,
    show(specs, known()),
    show(with_info, [I || {N, _} = I <- lists:sort(nodes(known, #{node_type => true})), lists:prefix("kn_", atom_to_list(N))]),
    show(both, lists:last(lists:sort(nodes([known, this], #{node_type => true, connection_id => true})))),
    show(neither, lists:last(lists:sort(nodes(known, #{node_type => false})))),
    show(this, nodes(this, #{node_type => true, connection_id => true})),
    show(connected, nodes(connected, #{node_type => true})),
    show(wrong, [fails(F) || F <- [fun() -> nodes(foo) end, fun() -> nodes([known, foo]) end, fun() -> nodes([known | this]) end, fun() -> nodes(known, []) end,
                                   fun() -> nodes(known, #{foo => true}) end, fun() -> nodes(known, #{node_type => 1}) end, fun() -> nodes(foo, #{}) end]]),
    show(twice, length(nodes(known)) =:= length(lists:usort(nodes(known)))),
    true = is_tuple(Continuation),
    Pid ! stop, Waiting ! stop.
