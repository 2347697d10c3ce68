%% Monitors, aliases, names, sending: wrong arguments, missing receivers, and the order of signals.
-module(proc_signals).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    [begin io:format("~0p: ", [I]), ?S(monitor(process, I)), ?S(flushed()) end || I <- [no_such, 1, {a, b}, {no_such, node()}, {1, 2}, <<"a">>, {a, x@y}]],
    [begin io:format("~0p: ", [O]), ?S(monitor(process, self(), O)) end || O <- [x, [x], [{alias, x}], [{tag, x} | y], [{tag, x}], [{alias, explicit_unalias}]]],
    ?S(monitor(id(foo), self())), ?S(monitor(id(foo), self(), [])), ?S(monitor(time_offset, id(x))), ?S(monitor(time_offset, clock_service)), ?S(monitor(port, self())), ?S(monitor(port, no_such)), ?S(flushed()),
    ?S(demonitor(id(x))), ?S(demonitor(id(x), [])), ?S(demonitor(make_ref(), id([x]))), ?S(demonitor(make_ref(), id(x))), ?S(demonitor(make_ref(), id([flush | x]))), ?S(demonitor(make_ref(), [flush, info])),
    ?S(alias(id([foo]))), ?S(alias(id(x))), ?S(alias(id([reply | x]))), ?S(alias([reply, explicit_unalias])), ?S(unalias(id(x))), ?S(unalias(make_ref())), ?S(aliases()), ?S(others_alias()),
    [begin io:format("~0p: ", [M]), ?S(aliased(M)) end || M <- [explicit_unalias, demonitor, reply_demonitor]],
    ?S(erlang:send(self(), x, [])), ?S(erlang:send(self(), x, id([foo]))), ?S(erlang:send(id(no_such), x, [nosuspend])), ?S(erlang:send({no_such, node()}, x, [nosuspend])), ?S(erlang:send({no_such, xx}, x, [nosuspend])),
    ?S(erlang:send({no_such, xx}, x, [noconnect])), ?S(erlang:send(id(1), x, [])), ?S(erlang:send(self(), x, id(y))), ?S(id(no_such) ! x), ?S(id(1) ! x), ?S({a, 1} ! x), ?S({no_such, node()} ! x), ?S(make_ref() ! x),
    ?S(link(id(x))), ?S(unlink(id(x))), ?S(link(self())), ?S(is_process_alive(id(x))), ?S(node(id(x))), ?S({nodes(), nodes(this), nodes([visible]), nodes(hidden)}), ?S(nodes(id(x))), ?S(nodes(id([x]))),
    ?S(nodes(this, #{})), ?S(nodes(this, #{node_type => true, connection_id => true})), ?S(nodes(this, id(#{x => 1}))),
    ?S(register(id(1), self())), ?S(register(undefined, self())), ?S(register(a, id(1))), ?S(register(a, make_ref())), ?S(unregister(id(1))), ?S(unregister(undefined)), ?S(whereis(id(1))),
    ?S(ordered()), ?S(kill_then_ask()), ?S(kill_then_link()), ?S(dead()), ?S(name_race(200)), ?S(storm(50, 200)), ?S(urgent()).

flushed() -> receive X -> X after 0 -> none end.

aliases() ->
    A = alias(), B = alias([reply]),
    A ! {a, 1}, A ! {a, 2}, B ! {b, 1}, B ! {b, 2},
    Got = [receive X -> X after 10 -> none end || _ <- [1, 2, 3, 4]],
    {Got, unalias(A), unalias(A), unalias(B), begin A ! late, flushed() end}.
others_alias() -> {P, R} = spawn_monitor(fun() -> exit(alias()) end), A = receive {'DOWN', R, process, P, X} -> X end, {is_reference(A), unalias(A), A ! nobody =:= nobody}.
aliased(Mode) ->
    P = spawn(fun() -> receive stop -> exit(over) end end),
    R = monitor(process, P, [{alias, Mode}]),
    R ! one, R ! two,
    A = [receive X -> X after 10 -> none end || _ <- [1, 2]],
    P ! stop,
    B = receive {'DOWN', R, process, P, Why} -> Why after 500 -> no_down end,
    R ! three,
    C = receive three -> three after 10 -> none end,
    {A, B, C, demonitor(R, [info]), unalias(R)}.

%% Every kind of signal from one sender, in the order sent.
ordered() ->
    S = self(),
    P = spawn(fun() -> process_flag(trap_exit, true), S ! ready, loop(S) end),
    receive ready -> ok end,
    [begin P ! {m, N}, exit(P, {e, N}) end || N <- lists:seq(1, 20)],
    P ! stop,
    Got = [receive {got, X} -> X end || _ <- lists:seq(1, 40)],
    Got =:= lists:append([[{m, N}, {e, N}] || N <- lists:seq(1, 20)]).
loop(S) -> receive {m, N} -> S ! {got, {m, N}}, loop(S); {'EXIT', S, R} -> S ! {got, R}, loop(S); stop -> ok end.

kill_then_ask() -> P = spawn(fun() -> receive x -> ok end end), exit(P, kill), {is_process_alive(P), process_info(P, status)}.
kill_then_link() ->
    process_flag(trap_exit, true), P = spawn(fun() -> receive x -> ok end end),
    P ! one, link(P), exit(P, kill), R = receive {'EXIT', P, Why} -> lists:member(Why, [killed, noproc]) end,
    process_flag(trap_exit, false), R.
dead() ->
    {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> ok end,
    {P ! x, exit(P, kill), is_process_alive(P), show:quiet(fun() -> link(P) end), unlink(P), show:quiet(fun() -> register(dead_name, P) end)}.

%% A name is free when 'DOWN' is seen, always.
name_race(0) -> always_free;
name_race(N) ->
    {P, R} = spawn_monitor(fun() -> receive stop -> ok end end),
    register(racer, P), racer ! stop,
    receive {'DOWN', R, process, P, normal} -> undefined = whereis(racer) end,
    name_race(N - 1).

%% Many processes link, monitor, name and kill each other; nothing is lost.
storm(Groups, Each) ->
    Refs = [element(2, spawn_monitor(fun() -> group(Each) end)) || _ <- lists:seq(1, Groups)],
    lists:usort([receive {'DOWN', R, _, _, Why} -> Why end || R <- Refs]).
group(N) ->
    process_flag(trap_exit, true),
    Self = self(),
    Kids = [spawn_link(fun() -> receive {link, P} -> link(P), Self ! {linked, self()}, receive never -> ok end end end) || _ <- lists:seq(1, N)],
    lists:foldl(fun(K, Before) -> K ! {link, Before}, K end, lists:last(Kids), Kids),
    [receive {linked, K} -> ok end || K <- Kids],
    exit(hd(Kids), boom),
    Ends = [receive {'EXIT', K, R} -> R end || K <- Kids],
    exit({ended, length(Ends), lists:usort(Ends)}).

%% Who asks with priority max is answered by a normal process although those of priority high take all schedulers.
urgent() ->
    Old = process_flag(priority, max),
    Asked = [spawn_opt(fun() -> receive stop -> ok end end, [link, {priority, normal}]) || _ <- lists:seq(1, 5)],
    Busy = [spawn_opt(fun spin/0, [link, {priority, high}]) || _ <- lists:seq(1, 2 * erlang:system_info(schedulers))],
    Mine = group_leader(),
    Answers = [begin
                   demonitor(monitor(process, P)),
                   true = group_leader(self(), P),
                   {group_leader, L} = process_info(P, group_leader),
                   {L =:= self(), group_leader(Mine, P), is_process_alive(P), garbage_collect(P), erlang:check_process_code(P, no_such_module)}
               end || P <- Asked],
    Spinning = [{is_process_alive(P), unlink(P), is_process_alive(P), exit(P, kill), is_process_alive(P)} || P <- Busy],
    [begin unlink(P), exit(P, kill) end || P <- Asked],
    process_flag(priority, Old),
    {lists:usort(Answers), lists:usort(Spinning)}.
spin() -> spin().
