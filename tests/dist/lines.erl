%% What processes do over nodes, a line each: the node that runs this does it with the node named as
%% its argument, and prints what came of it without anything that differs from run to run.
-module(lines).
-export([main/1, an_alias/0, echo/0, named/1, relay/1, linked/2, dies/1, forward/1, busy/1]).

main([Other]) ->
    true = net_kernel:connect_node(Other),
    process_flag(trap_exit, true),
    {module, ?MODULE} = load_there(Other),
    lists:foreach(fun(Line) -> run(Line, Other) end, lines()),
    ok.

load_there(Other) ->
    {_, Beam, File} = code:get_object_code(?MODULE),
    rpc:call(Other, code, load_binary, [?MODULE, File, Beam]).

run({Name, F}, Other) ->
    Self = self(),
    {P, M} = spawn_monitor(fun() -> Self ! {self(), catch F(Other)} end),
    Result = receive
                 {P, R} -> erlang:demonitor(M, [flush]), R;
                 {'DOWN', M, process, P, Why} -> {died, Why}
             after 20000 -> exit(P, kill), hangs
             end,
    io:format("~s: ~0p~n", [Name, show(Result, Other)]).

%% Pids, references and nodes as where they are.
show(T, Other) when is_pid(T); is_reference(T); is_port(T) ->
    Kind = if is_pid(T) -> pid; is_reference(T) -> ref; true -> port end,
    Where = case node(T) of N when N =:= node() -> here; Other -> there; N -> N end,
    {Kind, Where};
show(T, Other) when T =:= Other -> other_node;
show(T, _) when T =:= node() -> this_node;
show(F, _) when is_function(F) -> {function, erlang:fun_info(F, module), erlang:fun_info(F, arity)};
show([H | T], O) -> [show(H, O) | show(T, O)];
show(T, O) when is_tuple(T) -> list_to_tuple([show(E, O) || E <- tuple_to_list(T)]);
show(M, O) when is_map(M) -> maps:from_list([{show(K, O), show(V, O)} || {K, V} <- maps:to_list(M)]);
show(T, _) -> T.

echo() -> receive {From, What} -> From ! {self(), What}, echo(); stop -> ok end.
named(Name) -> register(Name, self()), receive {From, X} -> From ! {named, X}, named_again() end.
named_again() -> receive {From, X} -> From ! {named, X}, named_again() end.
relay(To) -> receive X -> To ! {relayed, X}, relay(To) end.
linked(Parent, Why) -> link(Parent), Parent ! {linked, self()}, receive go -> exit(Why) end.
dies(Why) -> exit(Why).
forward(To) -> process_flag(trap_exit, true), forward_loop(To).
forward_loop(To) -> receive {link, P} -> link(P), To ! ok, forward_loop(To);
                            {unlink, P} -> unlink(P), To ! ok, forward_loop(To);
                            {monitor, P} -> erlang:monitor(process, P), To ! ok, forward_loop(To);
                            {links, F} -> F ! element(2, process_info(self(), links)), forward_loop(To);
                            {watched, F} -> F ! element(2, process_info(self(), monitored_by)), forward_loop(To);
                            X -> To ! {forwarded, X}, forward_loop(To) end.
id(X) -> persistent_term:get(none, X).
busy(_) -> timer:sleep(infinity).
an_alias() -> monitor(process, whereis(init), [{alias, explicit_unalias}]).
catch_class(F) -> try F() catch C:R -> {C, R} end.
node_number(Pid) -> "<" ++ T = pid_to_list(Pid), list_to_integer(hd(string:lexemes(T, "."))).

%% Each of N monitors fires once, and the node's.
watches(To, Node, Pid, N) ->
    Refs = [monitor(process, Pid) || _ <- lists:seq(1, N)],
    monitor_node(Node, true),
    To ! {self(), ready},
    Fired = [receive {'DOWN', R, process, Pid, noconnection} -> R end || R <- Refs],
    To ! {self(), {length(Fired), take(), none()}}.
echo_of(P) -> P ! {self(), x}, take().

%% What children are told whose parents end before they know them.
told(O, Why) ->
    Self = self(),
    Child = fun() -> process_flag(trap_exit, true), receive {'EXIT', _, W} -> Self ! {told, W} end end,
    [spawn(fun() -> spawn_request(O, Child, [link]), exit(Why) end) || _ <- lists:seq(1, 20)],
    all_told([]).
killed_parents(O) ->
    Self = self(),
    Child = fun() -> process_flag(trap_exit, true), receive {'EXIT', _, W} -> Self ! {told, W} end end,
    [begin P = spawn(fun() -> spawn_opt(O, Child, [link, monitor]), receive never -> ok end end), erlang:yield(), exit(P, gone) end || _ <- lists:seq(1, 20)],
    all_told([]).
slow_parents(O, N) ->
    Self = self(),
    Child = fun() -> process_flag(trap_exit, true), receive {'EXIT', _, W} -> Self ! {told, W} end end,
    [spawn(fun() -> T = ets:new(t, []), ets:insert(T, [{K} || K <- lists:seq(1, 300)]),
                    spawn_request(O, Child, [link, {priority, max}]), receive after I rem 10 -> exit(slow) end end) || I <- lists:seq(1, N)],
    all_told([]).
all_told(Reasons) -> receive {told, W} -> all_told([W | Reasons]) after 1000 -> lists:usort(Reasons) end.

take() -> receive X -> X after 5000 -> nothing end.
none() -> receive X -> X after 100 -> nothing end.
echoed(O, T) -> P = spawn(O, ?MODULE, echo, []), P ! {self(), T}, R = receive {P, X} -> X after 15000 -> nothing end,
                P ! stop, R.
same(O, T) -> echoed(O, T) =:= T.

lines() ->
    [{"texts of the other node's", fun(O) ->
          Pid = spawn(O, ?MODULE, busy, [0]), Ref = rpc:call(O, erlang, make_ref, []), Port = hd(rpc:call(O, erlang, ports, [])),
          Alias = rpc:call(O, ?MODULE, an_alias, []),
          R = [list_to_pid(pid_to_list(Pid)) =:= Pid, list_to_ref(ref_to_list(Ref)) =:= Ref, list_to_port(port_to_list(Port)) =:= Port,
               list_to_ref(ref_to_list(Alias)) =:= Alias, rpc:call(O, erlang, '=:=', [list_to_pid(pid_to_list(Pid)), Pid]),
               c:pid(node_number(Pid), 1, 0) =:= c:pid(node_number(Pid), 1, 0)],
          exit(Pid, kill), R end},
     {"texts of no node", fun(_) -> [catch_class(fun() -> list_to_pid(id("<4000000.1.0>")) end), catch_class(fun() -> list_to_pid(id("<1.1.0>")) end),
                                     catch_class(fun() -> list_to_port("#Port<1.1>") end), catch_class(fun() -> list_to_ref("#Ref<1.1.2.3>") end)] end},
     {"port_info of the other node's", fun(O) -> Port = hd(rpc:call(O, erlang, ports, [])),
          [catch_class(fun() -> erlang:port_info(Port) end), catch_class(fun() -> erlang:port_info(Port, name) end)] end},
     {"a child's parent", fun(O) -> P = spawn(O, ?MODULE, busy, [0]), {P2, M} = spawn_monitor(O, ?MODULE, busy, [0]),
          R = [rpc:call(O, erlang, process_info, [X, parent]) =:= {parent, self()} || X <- [P, P2]],
          rpc:call(O, erlang, garbage_collect, [P]), Again = rpc:call(O, erlang, process_info, [P, parent]),
          exit(P, kill), exit(P2, kill), receive {'DOWN', M, _, _, Why} -> {R, Again, Why} end end},
     {"receives traced by where from", fun(O) ->
          Self = self(), P = spawn(?MODULE, relay, [Self]), R = spawn(O, ?MODULE, relay, [P]),
          1 = erlang:trace(P, true, ['receive']),
          Try = fun(Spec) -> erlang:trace_pattern('receive', Spec, []), R ! x,
                    receive {relayed, _} -> ok end,
                    D = erlang:trace_delivered(P), receive {trace_delivered, P, D} -> ok end,
                    receive {trace, P, 'receive', M} -> M after 0 -> not_traced end end,
          Seen = [Try(S) || S <- [true, [{[O, '_', '_'], [], []}], [{[node(), '_', '_'], [], []}], [{['$1', '_', '_'], [{'=:=', '$1', O}], []}],
                                  [{[O, undefined, '_'], [], []}, {[O, R, '_'], [], []}], false, true]],
          exit(P, kill), exit(R, kill), Seen end},
     {"a table's node", fun(_) -> T = ets:new(t, []), [ets:info(T, node), proplists:get_value(node, ets:info(T))] end},
     {"node", fun(O) -> {erpc:call(O, erlang, node, []), nodes(), erpc:call(O, erlang, nodes, [])} end},
     {"small terms", fun(O) -> [same(O, T) || T <- [1, -1, 1 bsl 70, -(1 bsl 2000), 1.5, a, [], {}, #{}, "abc", <<>>, <<1:3>>, <<"x">>,
                                                     [a | b], {1, {2, {3}}}, #{a => 1, <<"b">> => [x]}, 'åäö', '日本', <<0:4096>>]] end},
     {"large map", fun(O) -> same(O, maps:from_list([{N, {N, a}} || N <- lists:seq(1, 1000)])) end},
     {"many atoms", fun(O) -> same(O, [list_to_atom("atom_" ++ integer_to_list(N)) || N <- lists:seq(1, 3000)]) end},
     {"many atoms again", fun(O) -> [same(O, [list_to_atom("atom_" ++ integer_to_list(N)) || N <- lists:seq(K, K + 300)]) || K <- lists:seq(1, 2500, 250)] end},
     {"long atoms", fun(O) -> same(O, [list_to_atom(lists:duplicate(255, C)) || C <- [$a, 16#e5, 16#65e5]]) end},
     {"own pid", fun(O) -> same(O, self()) end},
     {"own ref", fun(O) -> same(O, make_ref()) end},
     {"own alias", fun(O) -> A = alias(), same(O, A) end},
     {"own port", fun(O) -> same(O, hd(erlang:ports())) end},
     {"their pid", fun(O) -> P = spawn(O, ?MODULE, echo, []), R = same(O, P), P ! stop, {R, P} end},
     {"their ref", fun(O) -> R = erpc:call(O, erlang, make_ref, []), {same(O, R), R} end},
     {"fun", fun(O) -> X = 17, F = fun(Y) -> X + Y end, G = echoed(O, F), {G =:= F, G(1), erpc:call(O, fun() -> F(5) end)} end},
     {"export fun", fun(O) -> same(O, fun lists:map/2) end},
     {"binary of 1 MB", fun(O) -> same(O, binary:copy(<<"0123456789abcdef">>, 65536)) end},
     {"list of 300000", fun(O) -> same(O, lists:seq(1, 300000)) end},
     {"binary of 20 MB", fun(O) -> same(O, binary:copy(<<"0123456789abcdef">>, 65536 * 20)) end},
     {"order behind a large one", fun(O) -> P = spawn(O, ?MODULE, relay, [self()]), B = binary:copy(<<7>>, 3000000), P ! {1, B}, P ! 2, P ! {3, B}, P ! 4,
                              [case take() of {relayed, {N, _}} -> N; {relayed, N} -> N; X -> X end || _ <- [1, 2, 3, 4]] end},
     {"order of many", fun(O) -> P = spawn(O, ?MODULE, relay, [self()]), [P ! N || N <- lists:seq(1, 5000)],
                              [receive {relayed, X} -> X after 5000 -> nothing end || _ <- lists:seq(1, 5000)] =:= lists:seq(1, 5000) end},
     {"to a name", fun(O) -> P = spawn(O, ?MODULE, named, [lines_name]), timer:sleep(50), {lines_name, O} ! {self(), 1}, R = take(), exit(P, kill), R end},
     {"to no name", fun(O) -> {erlang:send({lines_nobody, O}, x), erlang:send({lines_nobody, O}, x, [noconnect]), erlang:send({lines_nobody, O}, x, [nosuspend])} end},
     {"to an alias", fun(O) -> A = alias([reply]), spawn(O, fun() -> A ! one, A ! two end), {take(), none()} end},
     {"to an alias that ended", fun(O) -> A = alias(), unalias(A), spawn(O, fun() -> A ! one end), none() end},
     {"link, normal", fun(O) -> process_flag(trap_exit, true), P = spawn_link(O, ?MODULE, dies, [normal]), {take(), P} end},
     {"link, reason", fun(O) -> process_flag(trap_exit, true), spawn_link(O, ?MODULE, dies, [{a, "reason", self()}]), take() end},
     {"link from there", fun(O) -> process_flag(trap_exit, true), P = spawn(O, ?MODULE, linked, [self(), boom]), {take(), element(2, process_info(self(), links)), P ! go, take()} end},
     {"link, large reason", fun(O) -> process_flag(trap_exit, true), spawn_link(O, ?MODULE, dies, [lists:seq(1, 100000)]), {'EXIT', P, L} = take(), {P, length(L)} end},
     {"link to nobody", fun(O) -> process_flag(trap_exit, true), P = spawn(O, ?MODULE, dies, [normal]), timer:sleep(50), link(P), take() end},
     {"unlink", fun(O) -> process_flag(trap_exit, true), P = spawn_link(O, ?MODULE, echo, []), unlink(P), exit(P, kill), {none(), element(2, process_info(self(), links))} end},
     {"link, unlink, link", fun(O) -> process_flag(trap_exit, true), P = spawn(O, ?MODULE, echo, []), link(P), unlink(P), link(P), exit(P, kill), {take(), none()} end},
     {"links there", fun(O) -> P = spawn(O, ?MODULE, forward, [self()]), link(P), P ! {links, self()}, A = take(), unlink(P), timer:sleep(50), P ! {links, self()}, B = take(), exit(P, kill), {A, B} end},
     {"exit there by link", fun(O) -> P = spawn(O, ?MODULE, forward, [self()]), Q = spawn(fun() -> receive go -> exit(gone) end end), P ! {link, Q}, ok = take(), Q ! go, R = take(), exit(P, kill), R end},
     {"link there to nobody", fun(O) -> P = spawn(O, ?MODULE, forward, [self()]), Q = spawn(fun() -> ok end), timer:sleep(20), P ! {link, Q}, A = take(), B = take(), exit(P, kill), [A, B] end},
     {"exit/2", fun(O) -> process_flag(trap_exit, true), P = spawn(O, ?MODULE, echo, []), M = monitor(process, P), exit(P, {why, [1]}), {'DOWN', M, _, _, W} = take(), W end},
     {"exit/2 normal", fun(O) -> P = spawn(O, ?MODULE, echo, []), exit(P, normal), P ! {self(), still}, element(2, take()) end},
     {"exit/2 kill", fun(O) -> P = spawn(O, ?MODULE, echo, []), monitor(process, P), exit(P, kill), take() end},
     {"exit/2 trapped", fun(O) -> P = spawn(O, ?MODULE, forward, [self()]), timer:sleep(50), exit(P, hello), R = take(), exit(P, kill), R end},
     {"monitor", fun(O) -> P = spawn(O, ?MODULE, dies, [oops]), M = monitor(process, P), {'DOWN', M, process, P, W} = take(), lists:member(W, [oops, noproc]) end},
     {"monitor of nobody", fun(O) -> P = spawn(O, ?MODULE, dies, [oops]), timer:sleep(50), monitor(process, P), take() end},
     {"monitor of a name", fun(O) -> P = spawn(O, ?MODULE, named, [lines_name2]), timer:sleep(50), monitor(process, {lines_name2, O}), exit(P, bye), take() end},
     {"monitor of no name", fun(O) -> monitor(process, {lines_nobody, O}), take() end},
     {"demonitor", fun(O) -> P = spawn(O, ?MODULE, echo, []), M = monitor(process, P), R = demonitor(M, [info]), exit(P, kill), {R, none(), demonitor(M, [info])} end},
     {"monitor there", fun(O) -> P = spawn(O, ?MODULE, forward, [self()]), Q = spawn(fun() -> receive go -> exit(gone) end end), P ! {monitor, Q}, ok = take(), A = process_info(Q, monitored_by), Q ! go, R = take(), exit(P, kill), {A, R} end},
     {"monitor with a tag", fun(O) -> P = spawn(O, ?MODULE, echo, []), monitor(process, P, [{tag, {my, tag}}]), exit(P, kill), take() end},
     {"monitor with an alias", fun(O) -> P = spawn(O, ?MODULE, echo, []), A = monitor(process, P, [{alias, reply_demonitor}]), P ! {A, hi}, R = take(), exit(P, kill), {element(2, R), none()} end},
     {"monitored by", fun(O) -> P = spawn(O, ?MODULE, forward, [self()]), M = monitor(process, P), P ! {watched, self()}, A = take(), demonitor(M), P ! {watched, self()}, B = take(), exit(P, kill), {A, B} end},
     {"spawn_monitor", fun(O) -> {P, M} = spawn_monitor(O, ?MODULE, dies, [x]), {'DOWN', M, process, P, W} = take(), {P, M, W} end},
     {"spawn_opt", fun(O) -> process_flag(trap_exit, true), {P, M} = spawn_opt(O, ?MODULE, echo, [], [link, monitor, {priority, high}, {min_heap_size, 1000}]), A = erpc:call(O, erlang, process_info, [P, priority]), exit(P, kill), {A, M, lists:sort([element(1, take()), element(1, take())])} end},
     {"spawn_opt wrong", fun(O) -> catch spawn_opt(O, ?MODULE, echo, [], [{priority, none}]) end},
     {"spawn_request", fun(O) -> R = spawn_request(O, ?MODULE, dies, [z], [monitor, {reply_tag, tag}]), {take(), take(), R} end},
     {"spawn_request wrong", fun(O) -> spawn_request(O, ?MODULE, dies, [z], [foo]), take() end},
     {"spawn_request, no reply", fun(O) -> spawn_request(O, ?MODULE, dies, [z], [monitor, {reply, no}]), {take(), none()} end},
     {"spawn_request, only errors", fun(O) -> spawn_request(O, ?MODULE, dies, [z], [{reply, error_only}]), spawn_request(O, ?MODULE, dies, [z], [foo, {reply, error_only}]), {take(), none()} end},
     {"spawn_request, monitor options", fun(O) -> spawn_request(O, ?MODULE, dies, [z], [{monitor, [{tag, mine}, {alias, demonitor}]}, {reply, no}]), take() end},
     {"spawn_request abandoned", fun(O) -> R = spawn_request(O, ?MODULE, busy, [1], []), A = spawn_request_abandon(R), {A, none()} end},
     {"spawn_request, link of a parent that ends", fun(O) -> [told(O, W) || W <- [kaboom, "kaboom", {shutdown, why}, normal]] end},
     {"spawn_opt, link of a parent that is killed", fun(O) -> killed_parents(O) end},
     {"links of many parents that take long to end", fun(O) -> slow_parents(O, 300) end},
     {"spawn of a fun", fun(O) -> S = self(), spawn(O, fun() -> S ! {node(), self()} end), take() end},
     {"spawn undef", fun(O) -> {P, _} = spawn_monitor(O, no_such, module, [1]), {'DOWN', _, _, P, {W, _}} = take(), W end},
     {"children's parents", fun(O) -> S = self(), spawn(O, fun() -> S ! {group_leader() =:= group_leader(), node(group_leader()), process_info(self(), initial_call), process_info(self(), links)} end), take() end},
     {"group leader there", fun(O) -> P = spawn(O, ?MODULE, echo, []), group_leader(self(), P), timer:sleep(20), {_, G} = erpc:call(O, erlang, process_info, [P, group_leader]), exit(P, kill), {G, G =:= self()} end},
     {"group leader of there", fun(O) -> P = spawn(O, ?MODULE, echo, []), Q = spawn(fun() -> timer:sleep(infinity) end), group_leader(P, Q), {_, G} = process_info(Q, group_leader), S = self(),
                              R = spawn(fun() -> group_leader(P, self()), spawn(fun() -> S ! group_leader() end) end), X = take(), [exit(E, kill) || E <- [P, Q, R]], {G =:= P, X =:= P} end},
     {"output there", fun(O) -> erpc:call(O, io, format, ["written there~n"]) end},
     {"is_process_alive", fun(O) -> P = spawn(O, ?MODULE, echo, []), {'EXIT', {W, _}} = (catch is_process_alive(P)), {'EXIT', {V, _}} = (catch process_info(P)), exit(P, kill), {W, V} end},
     {"rpc", fun(O) -> {rpc:call(O, lists, reverse, [[1, 2]]), rpc:call(O, erlang, error, [x]), rpc:multicall([O, node()], erlang, node, []), rpc:yield(rpc:async_call(O, erlang, node, [])), rpc:block_call(O, erlang, node, [])} end},
     {"rpc errors", fun(O) -> {badrpc, {'EXIT', {undef, _}}} = rpc:call(O, no_such, f, []), rpc:call(O, timer, sleep, [5000], 50) end},
     {"rpc casts", fun(O) -> S = self(), rpc:cast(O, erlang, send, [S, cast]), take() end},
     {"erpc", fun(O) -> {erpc:call(O, fun() -> self() end), catch erpc:call(O, erlang, error, [x]), catch erpc:call(O, erlang, exit, [x]), catch erpc:call(O, erlang, throw, [x]), catch erpc:call(O, timer, sleep, [5000], 50)} end},
     {"erpc multicall", fun(O) -> erpc:multicall([O, node(), O], erlang, node, []) end},
     {"erpc requests", fun(O) -> R = erpc:send_request(O, erlang, node, []), erpc:receive_response(R, 2000) end},
     {"gen_server", fun(O) -> {catch gen_server:call({lines_nobody, O}, x), gen_server:multi_call([O, node()], lines_nobody, x)} end},
     {"global", fun(O) -> global:sync(), P = spawn(O, ?MODULE, echo, []), A = global:register_name(lines_g, P), B = global:whereis_name(lines_g) =:= P, C = erpc:call(O, global, whereis_name, [lines_g]) =:= P, exit(P, kill), timer:sleep(300), {A, B, C, global:whereis_name(lines_g)} end},
     {"global locks", fun(O) -> {global:set_lock({lines_l, self()}), erpc:call(O, global, set_lock, [{lines_l, x}, [node(), O], 0]), global:del_lock({lines_l, self()})} end},
     {"pg", fun(O) -> pg:start(pg_lines), erpc:call(O, fun() -> S = self(), spawn(fun() -> pg:start(pg_lines), S ! ok, timer:sleep(2000) end), receive ok -> ok end end), P = spawn(O, ?MODULE, echo, []), erpc:call(O, pg, join, [pg_lines, g, P]), timer:sleep(300), A = pg:get_members(pg_lines, g) =:= [P], exit(P, kill), timer:sleep(300), {A, pg:get_members(pg_lines, g)} end},
     {"nodes", fun(O) -> {nodes(), nodes(visible), nodes(hidden), nodes(connected), lists:sort(nodes([this, visible])) =:= lists:sort([node(), O]), [maps:remove(connection_id, M) || {_, M} <- nodes(connected, #{node_type => true, connection_id => true})]} end},
     {"monitor_nodes", fun(O) -> [net_kernel:monitor_nodes(true, X) || X <- [[], [nodedown_reason], [{node_type, all}], #{nodedown_reason => true, node_type => visible}]], net_kernel:monitor_nodes(true),
                              erlang:disconnect_node(O), A = lists:sort([take() || _ <- lists:seq(1, 5)]), true = net_kernel:connect_node(O), B = lists:sort([take() || _ <- lists:seq(1, 5)]), {A, B, none()} end},
     {"monitor_node", fun(O) -> A = monitor_node(O, true), monitor_node(O, true), B = none(), erlang:disconnect_node(O), C = [take(), take(), none()], {A, B, C, net_adm:ping(O)} end},
     {"monitor_node off", fun(O) -> monitor_node(O, true), monitor_node(O, false), erlang:disconnect_node(O), {none(), net_adm:ping(O)} end},
     {"monitor_node of nobody", fun(_) -> N = no_such_node(), monitor_node(N, true), take() =:= {nodedown, N} end},
     {"nobody's process", fun(_) -> N = no_such_node(), monitor(process, {foo, N}), {'DOWN', _, process, {foo, N}, W} = take(), {W, {foo, N} ! x, catch erpc:call(N, erlang, node, []), rpc:call(N, erlang, node, [])} end},
     {"disconnected: links, monitors", fun(O) -> process_flag(trap_exit, true), P = spawn_link(O, ?MODULE, echo, []), Q = spawn(O, ?MODULE, forward, [self()]), monitor(process, P), monitor(process, {rex, O}), link(Q), timer:sleep(50), R = erlang:disconnect_node(O), {R, lists:sort([take() || _ <- [1, 2, 3, 4]]), take()} end},
     {"disconnected: order of links", fun(O) -> net_adm:ping(O), process_flag(trap_exit, true), Ps = [spawn(O, ?MODULE, echo, []) || _ <- lists:seq(1, 50)], {Odd, Even} = lists:partition(fun({N, _}) -> N rem 2 =:= 1 end, lists:enumerate(Ps)),
                                                Order = [P || {_, P} <- lists:reverse(Even) ++ Odd], [link(P) || P <- Order], [echo_of(P) || P <- Ps], erlang:disconnect_node(O), {[receive {'EXIT', P, noconnection} -> P after 3000 -> nothing end || _ <- Ps] =:= Order, none(), net_adm:ping(O)} end},
     {"disconnected: thousands", fun(O) -> net_adm:ping(O), S = self(), P = spawn(O, ?MODULE, echo, []), Ws = [spawn_link(fun() -> watches(S, O, P, N) end) || N <- [5000, 10, 3000]], [receive {W, ready} -> ok end || W <- Ws],
                                           erlang:suspend_process(hd(Ws)), {P, ok} = {element(1, echo_of(P)), ok}, erlang:disconnect_node(O), A = [receive {W, R} -> R after 5000 -> nothing end || W <- tl(Ws)], erlang:resume_process(hd(Ws)), {A, receive {R, X} when R =:= hd(Ws) -> X after 5000 -> nothing end, net_adm:ping(O)} end},
     {"disconnected: a request", fun(O) -> net_adm:ping(O), R = erpc:send_request(O, timer, sleep, [10000]), timer:sleep(50), erlang:disconnect_node(O), {catch erpc:receive_response(R, 2000), net_adm:ping(O)} end},
     {"disconnected: seen there", fun(O) -> net_adm:ping(O), S = self(), {_, X} = {1, erpc:call(O, fun() -> T = self(), spawn(fun() -> net_kernel:monitor_nodes(true, [nodedown_reason]), M = monitor(process, S), T ! ok, A = receive Y -> Y end, B = receive Z -> Z end, register(lines_seen, self()), receive {From, get} -> From ! {lists:sort([setelement(2, A, x), setelement(2, B, x)]), M} end end), receive ok -> ok end end)}, erlang:disconnect_node(O), timer:sleep(200), {lines_seen, O} ! {self(), get}, {X, take()} end},
     {"exit of 20 MB", fun(O) -> B = binary:copy(<<7>>, 20_000_000), S = self(), P = spawn(O, ?MODULE, forward, [S]), timer:sleep(50), T = [exit(P, {B, N}) || N <- lists:seq(1, 10)], {T, [case take() of {forwarded, {'EXIT', _, {C, N}}} -> {N, C =:= B}; X -> X end || _ <- T]} end},
     {"reasons of 20 MB", fun(O) -> process_flag(trap_exit, true), B = binary:copy(<<7>>, 20_000_000), Ps = [spawn_link(O, ?MODULE, linked, [self(), {B, N}]) || N <- lists:seq(1, 5)], [take() || _ <- Ps], Rs = [monitor(process, P) || P <- Ps], [P ! go || P <- Ps],
                             {length(Rs), lists:sort([case take() of {'EXIT', _, {C, N}} -> {N, link, C =:= B}; {'DOWN', _, _, _, {C, N}} -> {N, down, C =:= B} end || _ <- Ps ++ Rs])} end},
     {"reasons of 20 MB to there", fun(O) -> B = binary:copy(<<7>>, 20_000_000), Q = spawn(O, ?MODULE, forward, [self()]), Ps = [spawn(fun() -> link(Q), Q ! {monitor, self()}, receive ok -> ok end, receive go -> exit({B, N}) end end) || N <- lists:seq(1, 5)], [Q ! {monitor, P} || P <- Ps], [ok = take() || _ <- Ps], timer:sleep(100), [P ! go || P <- Ps],
                                      lists:sort([case take() of {forwarded, {'EXIT', _, {C, N}}} -> {N, link, C =:= B}; {forwarded, {'DOWN', _, _, _, {C, N}}} -> {N, down, C =:= B}; X -> X end || _ <- Ps ++ Ps ++ Ps]) end},
     {"connected by others", fun(_) -> N = no_such_node(), {erlang:monitor_node(N, true, [allow_passive_connect]), take() =:= {nodedown, N}} end},
     {"send_after there", fun(O) -> P = spawn(O, ?MODULE, named, [lines_t]), timer:sleep(50), catch erlang:send_after(10, {lines_t, O}, {self(), timed}), R = none(), exit(P, kill), R end},
     {"seq_trace", fun(O) -> P = spawn(O, fun() -> receive {F, x} -> F ! seq_trace:get_token() end end), seq_trace:set_token(label, 17), seq_trace:set_token(send, true), P ! {self(), x}, R = take(), seq_trace:set_token([]), case R of {Fl, L, _, _, _} -> {Fl, L}; _ -> R end end},
     {"seq_trace of a child", fun(O) -> S = self(), seq_trace:set_token(label, kid), seq_trace:set_token(send, true), P = spawn(O, fun() -> S ! {kid, seq_trace:get_token()}, receive stop -> ok end end), T = seq_trace:get_token(), {kid, K} = take(), U = seq_trace:get_token(), seq_trace:set_token([]), P ! stop, [case X of {F, L, N, Q, M} -> {F, L, N, Q, M}; _ -> X end || X <- [T, K, U]] end},
     {"seq_trace of a wrong child", fun(O) -> seq_trace:set_token(label, kid), R = spawn_request(O, ?MODULE, echo, [], [lunk]), {spawn_reply, R, error, W} = take(), T = seq_trace:get_token(), seq_trace:set_token([]), {W, case T of {F, L, N, Q, M} -> {F, L, N, Q =:= O, M}; _ -> T end} end},
     {"seq_trace of an exit", fun(O) -> process_flag(trap_exit, true), P = spawn_link(O, fun() -> receive go -> exit({gone, seq_trace:get_token()}) end end), seq_trace:set_token(label, out), seq_trace:set_token(send, true), P ! go, {'EXIT', _, R} = take(), T = seq_trace:get_token(), seq_trace:set_token([]), {R, T} end},
     {"seq_trace back", fun(O) -> S = self(), spawn(O, fun() -> seq_trace:set_token(label, {a, b}), S ! hi end), hi = take(), R = seq_trace:get_token(), seq_trace:set_token([]), case R of {Fl, L, _, P, _} -> {Fl, L, P}; _ -> R end end},
     {"process_flag, trace", fun(O) -> P = spawn(O, ?MODULE, echo, []), R = (catch erlang:trace(P, true, [send])), exit(P, kill), case R of {'EXIT', {W, _}} -> W; _ -> R end end},
     {"register", fun(O) -> P = spawn(O, ?MODULE, echo, []), {'EXIT', {W, _}} = (catch register(lines_r, P)), exit(P, kill), W end},
     {"compare", fun(O) -> P = spawn(O, ?MODULE, echo, []), B = term_to_binary(P), exit(P, kill), {binary_to_term(B) =:= P, P == self(), is_pid(P), node(P)} end},
     {"suspended sender", fun(O) -> P = spawn(O, ?MODULE, relay, [self()]), B = binary:copy(<<1>>, 50000), [P ! B || _ <- lists:seq(1, 400)], N = length([1 || _ <- lists:seq(1, 400), {relayed, X} <- [take()], X =:= B]), exit(P, kill), N end}].

no_such_node() -> [_, H] = string:split(atom_to_list(node()), "@"), list_to_atom("no_such_node_" ++ "x@" ++ H).
