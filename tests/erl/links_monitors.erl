%% Links, monitors and exit signals in all combinations of reason and trap_exit.
-module(links_monitors).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    Reasons = [normal, kill, killed, shutdown, {shutdown, x}, crash, "text"],
    [?S(linked(Trap, R)) || Trap <- [true, false], R <- Reasons],
    [?S(signalled(Trap, R)) || Trap <- [true, false], R <- Reasons],
    [?S(monitored(R)) || R <- Reasons],
    ?S(uncaught(error)), ?S(uncaught(throw)), ?S(uncaught(exit)), ?S(uncaught(badarith)), ?S(uncaught(undef)),
    ?S(self_exit()), ?S(monitor_dead()), ?S(monitor_name()), ?S(monitor_missing_name()), ?S(demonitor_flush()), ?S(demonitor_info()), ?S(many_monitors(100)), ?S(link_dead()), ?S(link_dead_trap()),
    ?S(unlink_flush()), ?S(link_self()), ?S(chain(100)), ?S(fan(100)), ?S(bidirectional()), ?S(exit_self_kill()), ?S(exit_self_normal_untrapped()), ?S(exit_dead()), ?S(spawn_monitor_result()), ?S(spawn_opt_result()),
    ?S(alias_test()), ?S(monitor_tag()), ?S(order_exit_message()), ?S(exit(id(x), y)), ?S(link(id(x))), ?S(monitor(process, id(1))), ?S(monitor(thing, self())), ?S(demonitor(id(x))), ?S(unlink(id(y))),
    ?S(demonitor(make_ref())), ?S(demonitor(make_ref(), [info])), ?S(demonitor(make_ref(), [bad])), ?S(monitor(process, self())), ?S(erlang:monitor(process, spawn(fun() -> ok end), [x])),
    ?S(time_offset_monitor()), ?S(links_info()), ?S(monitors_info()), ?S(kill_linked_trap()), ?S(exit_from_after()), ?S(reason_big()), ?S(earlier_incarnation()),
    [?S(order_of_links(Kinds)) || Kinds <- [[port, port, pid], [pid, port, port], [port, pid, port], [pid, port], [port, port, port, pid, pid, pid]]].

down(Ref) -> receive {'DOWN', Ref, process, _, R} -> R after 5000 -> timeout end.

%% A process linked to one that exits for Reason: what it sees.
linked(Trap, Reason) ->
    Self = self(),
    {P, Ref} = spawn_monitor(fun() ->
        process_flag(trap_exit, Trap),
        Victim = spawn_link(fun() -> receive go -> exit(Reason) end end),
        Victim ! go,
        Self ! {self(), saw, seen(Victim)}
    end),
    D = down(Ref),
    {D, receive {P, saw, R} -> R after 0 -> none end}.

seen(Victim) ->
    Alive = is_process_alive(Victim),
    receive {'EXIT', Victim, R} -> R after 300 -> case Alive of true -> seen(Victim); false -> nothing end end.

%% exit(P, Reason) from outside; what is sent after it arrives after it.
signalled(Trap, Reason) ->
    Self = self(),
    {P, Ref} = spawn_monitor(fun() ->
        process_flag(trap_exit, Trap),
        Self ! ready,
        receive {'EXIT', Self, R} -> exit({trapped, R}); nothing_else -> exit(survived) end
    end),
    receive ready -> exit(P, Reason), P ! nothing_else end,
    down(Ref).

monitored(Reason) ->
    {_, Ref} = spawn_monitor(fun() -> exit(Reason) end),
    down(Ref).

uncaught(How) ->
    {_, Ref} = spawn_monitor(fun() ->
        case How of
            error -> error(oops);
            throw -> throw(oops);
            exit -> exit(oops);
            badarith -> 1 + id(a);
            undef -> nomodule:f(1)
        end
    end),
    case down(Ref) of
        {Reason, Stack} when is_list(Stack) -> {Reason, element(2, hd(Stack)), length(Stack)};
        R -> R
    end.

self_exit() -> down(element(2, spawn_monitor(fun() -> try exit(inner) catch exit:R -> exit({again, R}) end end))).

monitor_dead() ->
    {P, R1} = spawn_monitor(fun() -> ok end), down(R1),
    down(monitor(process, P)).

monitor_name() ->
    P = spawn(fun() -> receive stop -> ok end end),
    register(some_name, P),
    Ref = monitor(process, some_name),
    some_name ! stop,
    receive {'DOWN', Ref, process, {Name, Node}, Reason} -> {Name, Node =:= node(), Reason} end.

monitor_missing_name() ->
    Ref = monitor(process, no_such_name_here),
    receive {'DOWN', Ref, process, {Name, _}, Reason} -> {Name, Reason} after 5000 -> timeout end.

demonitor_flush() ->
    {P, Ref} = spawn_monitor(fun() -> ok end),
    wait_dead(P),
    R = demonitor(Ref, [flush]),
    {R, receive {'DOWN', Ref, _, _, _} -> leaked after 0 -> clean end}.

demonitor_info() ->
    {P, Ref} = spawn_monitor(fun() -> receive x -> ok end end),
    A = demonitor(Ref, [info]),
    B = demonitor(Ref, [info]),
    exit(P, kill),
    {A, B, demonitor(Ref)}.

many_monitors(N) ->
    P = spawn(fun() -> receive stop -> exit(done) end end),
    Refs = [monitor(process, P) || _ <- lists:seq(1, N)],
    P ! stop,
    lists:usort([down(R) || R <- Refs]).

wait_dead(P) -> case is_process_alive(P) of true -> erlang:yield(), wait_dead(P); false -> ok end.

link_dead() ->
    down(element(2, spawn_monitor(fun() ->
        P = spawn(fun() -> ok end), wait_dead(P), link(P), receive x -> ok after 5000 -> survived end
    end))).

link_dead_trap() ->
    process_flag(trap_exit, true),
    P = spawn(fun() -> ok end), wait_dead(P),
    link(P),
    R = receive {'EXIT', P, Reason} -> Reason after 5000 -> timeout end,
    process_flag(trap_exit, false),
    R.

unlink_flush() ->
    process_flag(trap_exit, true),
    P = spawn_link(fun() -> exit(bad) end),
    unlink(P),
    R = receive {'EXIT', P, bad} -> came_before after 0 -> nothing end,
    process_flag(trap_exit, false),
    lists:member(R, [came_before, nothing]).

link_self() -> link(self()).

chain(N) ->
    {P, Ref} = spawn_monitor(fun() -> chain_link(N) end),
    true = is_pid(P),
    down(Ref).
chain_link(0) -> exit(end_of_chain);
chain_link(N) -> spawn_link(fun() -> chain_link(N - 1) end), receive never -> ok end.

fan(N) ->
    {P, Ref} = spawn_monitor(fun() -> [receive linked -> ok end || _ <- lists:seq(1, N)], exit(fanned) end),
    Refs = [element(2, spawn_monitor(fun() -> link(P), P ! linked, receive never -> ok end end)) || _ <- lists:seq(1, N)],
    {down(Ref), lists:usort([down(R) || R <- Refs])}.

bidirectional() ->
    process_flag(trap_exit, true),
    Self = self(),
    P = spawn_link(fun() -> process_flag(trap_exit, true), Self ! ready, receive {'EXIT', _, R} -> exit({got, R}) end end),
    receive ready -> ok end,
    exit(P, poke),
    R = receive {'EXIT', P, X} -> X end,
    process_flag(trap_exit, false),
    R.

exit_self_kill() -> down(element(2, spawn_monitor(fun() -> process_flag(trap_exit, true), exit(self(), kill), receive X -> exit(X) after 5000 -> survived end end))).
exit_self_normal_untrapped() -> down(element(2, spawn_monitor(fun() -> exit(self(), normal), exit(after_it) end))).
exit_dead() -> P = spawn(fun() -> ok end), wait_dead(P), exit(P, kill).

spawn_monitor_result() -> {P, R} = spawn_monitor(fun() -> exit(quick) end), {is_pid(P), is_reference(R), down(R)}.

spawn_opt_result() ->
    {P, R} = spawn_opt(fun() -> exit(opt) end, [monitor, {priority, low}, {min_heap_size, 500}, {fullsweep_after, 5}]),
    {is_pid(P), down(R), show:outcome(fun() -> spawn_opt(fun() -> ok end, [bad_option]) end)}.

alias_test() ->
    A = alias(),
    A ! via_alias,
    R1 = receive X -> X after 5000 -> none end,
    true = unalias(A),
    A ! late,
    R2 = receive Y -> Y after 20 -> dropped end,
    B = alias([reply]),
    B ! one, B ! two,
    R3 = receive one -> one after 5000 -> none end,
    R4 = receive two -> two after 20 -> dropped end,
    {P, Ref} = spawn_opt(fun() -> receive {From, go} -> From ! {From, pong}, From ! again end end, [{monitor, [{alias, reply_demonitor}]}]),
    P ! {Ref, go},
    R5 = receive {Ref, pong} -> pong after 5000 -> none end,
    R6 = receive Z -> Z after 20 -> nothing end,
    {R1, R2, R3, R4, R5, R6, unalias(A)}.

monitor_tag() ->
    P = spawn(fun() -> receive stop -> exit(tagged) end end),
    Ref = monitor(process, P, [{tag, {'MY_DOWN', 1}}]),
    P ! stop,
    receive {{'MY_DOWN', 1}, Ref, process, P, R} -> R after 5000 -> timeout end.

%% Signals from one sender keep their order: the message is there when the exit is.
order_exit_message() ->
    process_flag(trap_exit, true),
    Self = self(),
    P = spawn_link(fun() -> [Self ! {self(), I} || I <- lists:seq(1, 10)], exit(finished) end),
    Seen = collect(P),
    process_flag(trap_exit, false),
    Seen.
collect(P) -> receive {P, I} -> [I | collect(P)]; {'EXIT', P, R} -> [R] end.

time_offset_monitor() -> R = erlang:monitor(time_offset, clock_service), is_reference(R) andalso demonitor(R).

links_info() ->
    P = spawn_link(fun() -> receive stop -> ok end end),
    {links, L} = process_info(self(), links),
    R = {lists:member(P, L), process_info(P, links) =:= {links, [self()]}},
    unlink(P), exit(P, kill), R.

monitors_info() ->
    P = spawn(fun() -> receive stop -> ok end end),
    Ref = monitor(process, P),
    R = {process_info(self(), monitors), process_info(P, monitored_by)} =:= {{monitors, [{process, P}]}, {monitored_by, [self()]}},
    demonitor(Ref), exit(P, kill), R.

kill_linked_trap() ->
    process_flag(trap_exit, true),
    P = spawn_link(fun() -> receive x -> ok end end),
    exit(P, kill),
    R = receive {'EXIT', P, X} -> X end,
    process_flag(trap_exit, false), R.

exit_from_after() -> down(element(2, spawn_monitor(fun() -> try ok after exit(from_after) end end))).
reason_big() -> R = lists:seq(1, 1000), R =:= down(element(2, spawn_monitor(fun() -> exit(R) end))).

%% The places in which they were made, as they are listed.
order_of_links(Kinds) ->
    S = self(),
    P = spawn(fun() ->
                  Made = [case K of port -> open_port({spawn, "cat"}, []); pid -> spawn_link(fun() -> receive x -> ok end end) end || K <- Kinds],
                  {links, Links} = process_info(self(), links),
                  S ! {self(), [string:str(Made, [L]) || L <- Links]}
              end),
    receive {P, Places} -> Places after 5000 -> timeout end.

%% A pid and a port of this node as it was before it was started again.
earlier_incarnation() ->
    Node = atom_to_binary(node()),
    P = binary_to_term(<<131, 88, 119, (byte_size(Node)), Node/binary, 4711:32, 17:32, 16#fffffff0:32>>),
    Q = binary_to_term(<<131, 89, 119, (byte_size(Node)), Node/binary, 4711:32, 16#fffffff0:32>>),
    [begin
         R = monitor(T, O, Options),
         Down = receive {Tag, R, T, O, Why} -> {Tag, Why} after 5000 -> none end,
         R ! x,
         {Down, receive x -> alias after 0 -> no end}
     end || {T, O} <- [{process, P}, {port, Q}], Options <- [[], [{tag, t}], [{alias, explicit_unalias}]]].
