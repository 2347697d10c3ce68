%% mnesia on two nodes, the second of which stops, comes back, and is cut off for a while: tables of each kind,
%% transactions from both sides at once, what each finds when it is back, a change of the schema, a backup.
-module(dist_mnesia).
-export([main/1, there/2, tx/2, fill/2]).
-record(acc, {k, v}).

main([Other]) ->
    true = net_kernel:connect_node(Other),
    {_, Beam, File} = code:get_object_code(?MODULE),
    {module, _} = rpc:call(Other, code, load_binary, [?MODULE, File, Beam]),
    Dir = os:getenv("WB_DIST_DIR"),
    logger:set_primary_config(level, none),
    application:set_env(mnesia, dir, Dir ++ "/a"),
    rpc:call(Other, application, set_env, [mnesia, dir, Dir ++ "/b"]),
    Nodes = [node(), Other],
    say(schema, mnesia:create_schema(Nodes)),
    say(start, rpc:multicall(Nodes, mnesia, start, [])),
    [say(T, mnesia:create_table(T, [{Kind, Nodes}, {record_name, acc}, {attributes, record_info(fields, acc)}])) || {T, Kind} <- [{ram, ram_copies}, {disc, disc_copies}, {only, disc_only_copies}]],
    say(frag, mnesia:create_table(frag, [{frag_properties, [{n_fragments, 4}, {node_pool, Nodes}, {n_ram_copies, 2}]}, {record_name, acc}, {attributes, record_info(fields, acc)}])),
    say(wait, mnesia:wait_for_tables([ram, disc, only, frag], 20000)),
    [say(fill, fill(T, 200)) || T <- [ram, disc, only]],
    say(frag, mnesia:activity(transaction, fun() -> [mnesia:write(frag, #acc{k = I, v = I}, write) || I <- lists:seq(1, 100)], length(mnesia:all_keys(frag)) end, [], mnesia_frag)),
    [say(sum, {T, sum(T), rpc:call(Other, ?MODULE, there, [sum, T])}) || T <- [ram, disc, only]],
    %% both sides at once move from one account to another
    Self = self(),
    [spawn_link(N, fun() -> Self ! {done, [tx(disc, I) || I <- lists:seq(1, 100)]} end) || N <- Nodes, _ <- [1, 2, 3]],
    Done = [receive {done, R} -> R end || _ <- lists:seq(1, 6)],
    say(moved, length([ok || {atomic, ok} <- lists:append(Done)])),
    say(sums, {sum(disc), rpc:call(Other, ?MODULE, there, [sum, disc])}),
    say(aborted, mnesia:transaction(fun() -> mnesia:write(disc, #acc{k = 1, v = 1000000}, write), mnesia:abort(no) end)),
    say(crash, element(1, mnesia:transaction(fun() -> mnesia:write(disc, #acc{k = 1, v = 1000000}, write), error(oops) end))),
    say(index, mnesia:add_table_index(ram, v)),
    say(indexed, lists:sort(mnesia:dirty_index_read(ram, 7, v))),
    %% the other one stops and comes back
    mnesia:subscribe(system),
    rpc:call(Other, mnesia, stop, []),
    say(down, receive {mnesia_system_event, {mnesia_down, N}} -> N =:= Other after 5000 -> none end),
    say(alone, mnesia:transaction(fun() -> mnesia:write(disc, #acc{k = 7, v = 77}, write) end)),
    say(alone, mnesia:transaction(fun() -> mnesia:write(only, #acc{k = 7, v = 78}, write) end)),
    say(running, length(mnesia:system_info(running_db_nodes))),
    rpc:call(Other, mnesia, start, []),
    say(waited, rpc:call(Other, mnesia, wait_for_tables, [[ram, disc, only], 20000])),
    say(up, receive {mnesia_system_event, {mnesia_up, N2}} -> N2 =:= Other after 5000 -> none end),
    say(caught_up, [rpc:call(Other, mnesia, dirty_read, [T, 7]) || T <- [disc, only, ram]]),
    %% a partition
    erlang:disconnect_node(Other),
    timer:sleep(500),
    say(write_here, mnesia:transaction(fun() -> mnesia:write(disc, #acc{k = 8, v = here}, write) end)),
    reached(Other),
    say(event, collect()),
    rpc:call(Other, mnesia, stop, []),
    say(master, rpc:call(Other, mnesia, set_master_nodes, [[node()]])),
    rpc:call(Other, mnesia, start, []),
    say(waited, rpc:call(Other, mnesia, wait_for_tables, [[ram, disc, only], 20000])),
    say(healed, rpc:call(Other, mnesia, dirty_read, [disc, 8])),
    say(type, [mnesia:change_table_copy_type(ram, Other, disc_copies), rpc:call(Other, mnesia, table_info, [ram, storage_type])]),
    say(del, mnesia:del_table_copy(only, Other)),
    say(transform, mnesia:transform_table(ram, fun({acc, K, V}) -> {acc, K, V, new} end, [k, v, w])),
    say(read, rpc:call(Other, mnesia, dirty_read, [ram, 3])),
    say(backup, mnesia:backup(Dir ++ "/backup")),
    say(clear, mnesia:clear_table(disc)),
    say(restore, element(1, mnesia:restore(Dir ++ "/backup", [{default_op, keep_tables}]))),
    say(restored, sum_some(disc)),
    rpc:call(Other, mnesia, stop, []), mnesia:stop(), halt().
collect() -> receive {mnesia_system_event, {inconsistent_database, What, _}} -> [What | collect()]; {mnesia_system_event, {E, _}} -> [E | collect()]; _ -> collect() after 3000 -> [] end.
reached(Other) -> net_adm:ping(Other) =:= pong orelse begin timer:sleep(200), reached(Other) end.
there(sum, T) -> sum(T).
sum(T) -> {atomic, S} = mnesia:transaction(fun() -> mnesia:foldl(fun(#acc{v = V}, A) -> V + A end, 0, T) end), S.
sum_some(T) -> {atomic, S} = mnesia:transaction(fun() -> mnesia:foldl(fun(#acc{k = K}, A) -> K + A end, 0, T) end), S.
fill(T, N) -> mnesia:transaction(fun() -> [mnesia:write(T, #acc{k = I, v = I}, write) || I <- lists:seq(1, N)], ok end).
tx(T, I) -> mnesia:transaction(fun() -> [#acc{v = A} = X] = mnesia:read(T, I rem 10 + 1, write), [#acc{v = B} = Y] = mnesia:read(T, I * 7 rem 10 + 11, write), mnesia:write(T, X#acc{v = A - 1}, write), mnesia:write(T, Y#acc{v = B + 1}, write) end).
say(What, R) -> io:format("~p: ~0p~n", [What, show(R)]).

%% Nodes as where they are.
show(T) when T =:= node() -> here;
show(T) when is_atom(T) -> case lists:member(T, nodes()) of true -> there; false -> T end;
show([H | T]) -> [show(H) | show(T)];
show(T) when is_tuple(T) -> list_to_tuple([show(E) || E <- tuple_to_list(T)]);
show(T) -> T.
