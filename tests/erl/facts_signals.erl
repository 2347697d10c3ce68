%% What OTP settles about signals, row by row: ordering and delivery, exits, links, monitors and aliases.
%% README.md lists which row is reproduced by which case.
-module(facts_signals).
-export([main/1, waits/0]).
-include("show.hrl").

main(_Args) ->
    %% 1. ordering and delivery
    ?S(in_order()), ?S(to_myself()), ?S(not_lost()), ?S(killed_is_not_alive()), ?S(linked_then_killed()), ?S(dropped()), ?S(no_name()), ?S(no_receiver()), ?S(not_connected()), ?S(name_of_timer()), ?S(spawned_anyway()),
    %% 2. exit
    ?S(exits(link, false, normal)), ?S(exits(link, false, boom)), ?S([exits(link, true, R) || R <- [boom, normal]]), ?S(exits(signal, false, normal)), ?S(exits(myself, false, normal)), ?S(exits(myself, true, normal)),
    ?S(exits(signal, true, kill)), ?S([exits(killed_link, T, kill) || T <- [true, false]]), ?S([exits(link, T, kill) || T <- [true, false]]), ?S(uncaught()), ?S(undefined()), ?S(exit_of_what()), ?S(outgrown()), ?S(plain_dictionary()),
    %% 3. links
    ?S(link_to_dead(false)), ?S(link_to_dead(true)), ?S(link_to_myself()), ?S(linked_twice()), ?S(unlinked_before()), ?S(unlinked_after()), ?S(bad_links()),
    %% 4. monitors and aliases
    ?S(dead_pid()), ?S(missing_name()), ?S(of_myself()), ?S(monitored_twice()), ?S(by_name()), ?S(other_node()), ?S(bad_monitors()), ?S(of_clock()), ?S(demonitors()), ?S(foreign_references()),
    ?S([aliased(M) || M <- [explicit_unalias, demonitor, reply_demonitor]]), ?S(tagged()), ?S(bad_option()), ?S(plain_aliases()).

waits() -> receive stop -> ok end.
dead() -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> P end.
flushed() -> receive M -> [M | flushed()] after 0 -> [] end.
%% In a process of its own: what it says, or what it died of.
apart(Fun) -> {_, R} = spawn_monitor(fun() -> exit({said, Fun()}) end), receive {'DOWN', R, _, _, Why} -> Why end.
fails(Fun) -> try Fun() catch error:Reason:Stack -> {_, _, _, Info} = hd(Stack), {Reason, maps:get(cause, proplists:get_value(error_info, Info, #{}), no_cause)} end.

%% --- ordering and delivery
in_order() ->
    Me = self(),
    P = spawn(fun() -> process_flag(trap_exit, true), Me ! ready, receive go -> Me ! {got, flushed()} end end),
    receive ready -> ok end,
    P ! a, exit(P, x), P ! b, exit(P, x), P ! c, is_process_alive(P), P ! go,
    receive {got, L} -> [case M of {'EXIT', Me, x} -> exit; _ -> M end || M <- L] end.
to_myself() ->
    self() ! foo,
    A = receive foo -> found after 0 -> nothing end,
    process_flag(trap_exit, true), exit(self(), foo),
    B = receive {'EXIT', P, foo} -> P =:= self() after 0 -> nothing end,
    process_flag(trap_exit, false), {A, B}.
not_lost() ->
    Me = self(),
    P = spawn(?MODULE, waits, []), erlang:suspend_process(P),
    group_leader(Me, P), R = monitor(process, P), {group_leader, Me} = process_info(P, group_leader), exit(P, over),
    Suspended = receive {'DOWN', R, _, _, Why} -> Why end,
    Q = spawn(fun() -> Me ! busy, spins() end), receive busy -> ok end,
    R2 = monitor(process, Q), true = is_process_alive(Q), exit(Q, over), {Suspended, receive {'DOWN', R2, _, _, W} -> W end}.
spins() -> spins().
killed_is_not_alive() -> [begin P = spawn(?MODULE, waits, []), exit(P, kill), is_process_alive(P) end || _ <- lists:seq(1, 3)].
linked_then_killed() ->
    process_flag(trap_exit, true), P = spawn(?MODULE, waits, []),
    P ! one, link(P), exit(P, kill), is_process_alive(P),
    R = receive {'EXIT', P, Why} -> Why end, process_flag(trap_exit, false), {R, flushed()}.
dropped() -> A = alias(), unalias(A), D = dead(), {[(D ! m), ({no_such_name, node()} ! m), (A ! m) =:= m, (make_ref() ! m)], flushed()}.
no_name() -> fails(fun() -> no_such_name ! m end).
no_receiver() -> {fails(fun() -> id(1) ! m end), fails(fun() -> id({a, 1}) ! m end)}.
not_connected() -> {erlang:send({name, somewhere@else}, m, [noconnect]), erlang:send(self(), m, [noconnect]), flushed()}.
name_of_timer() ->
    R = erlang:send_after(20, named_later, rung),
    register(named_later, self()),
    Got = receive rung -> rung after 5000 -> nothing end, unregister(named_later), {Got, erlang:cancel_timer(R)}.
spawned_anyway() -> is_pid(spawn(no_such_module, no_function, [1, 2])).

%% --- exits: of whom, is the observed one trapping, the reason
exits(How, Trap, Reason) ->
    apart(fun() ->
        process_flag(trap_exit, Trap),
        Me = self(),
        P = case How of
                link -> spawn_link(fun() -> exit(Reason) end);
                killed_link -> V = spawn_link(?MODULE, waits, []), exit(V, Reason), V;
                myself -> exit(Me, Reason), Me;
                signal -> Q = spawn(fun() -> process_flag(trap_exit, Trap), Me ! ready, receive {'EXIT', Me, R} -> exit({trapped, R}); survived -> exit(survived) end end),
                          receive ready -> Q end
            end,
        M = monitor(process, P),
        How =:= signal andalso begin exit(P, Reason), P ! survived end,
        Down = P =:= Me orelse receive {'DOWN', M, _, _, Why} -> How =:= signal andalso Why end,
        {Down, receive {'EXIT', P, R} -> {message, R} after 0 -> no_message end}
    end).
uncaught() -> [case apart(F) of {{nocatch, x} = R, S} when is_list(S) -> R; {bad, S} when is_list(S) -> bad; R -> R end || F <- [fun() -> error(bad) end, fun() -> throw(x) end, fun() -> exit(plain) end]].
undefined() -> {_, R} = spawn_monitor(no_such_module, f, [1]), receive {'DOWN', R, _, _, Why} -> Why end.
exit_of_what() -> {fails(fun() -> exit(id(foo), x) end), exit(dead(), x)}.
outgrown() ->
    {_, R} = spawn_opt(fun() -> length(lists:seq(1, 200000)) end, [monitor, {max_heap_size, #{size => 20000, kill => true, error_logger => false}}]),
    receive {'DOWN', R, _, _, Why} -> Why end.
plain_dictionary() -> apart(fun() -> get() end).

%% --- links
link_to_dead(Trap) -> D = dead(), apart(fun() -> process_flag(trap_exit, Trap), {show:quiet(fun() -> link(D) end), receive {'EXIT', D, R} -> R after 0 -> nothing end} end).
link_to_myself() -> apart(fun() -> {link(self()), process_info(self(), links)} end).
linked_twice() -> apart(fun() -> process_flag(trap_exit, true), P = spawn(?MODULE, waits, []), R = monitor(process, P), link(P), link(P), P ! stop, receive {'DOWN', R, _, _, _} -> ok end, [W || {'EXIT', Q, W} <- flushed(), Q =:= P] end).
unlinked_before() -> apart(fun() -> process_flag(trap_exit, true), P = spawn_link(?MODULE, waits, []), R = monitor(process, P), unlink(P), exit(P, boom), receive {'DOWN', R, _, _, W} -> {W, flushed()} end end).
unlinked_after() -> apart(fun() -> process_flag(trap_exit, true), P = spawn_link(fun() -> exit(boom) end), R = monitor(process, P), receive {'DOWN', R, _, _, _} -> ok end, unlink(P), [W || {'EXIT', _, W} <- flushed()] end).
bad_links() -> {fails(fun() -> link(id(foo)) end), fails(fun() -> unlink(id(foo)) end)}.

%% --- monitors and aliases
down(R) -> receive {'DOWN', R, T, O, W} -> {T, O, W} end.
dead_pid() -> D = dead(), {process, D, W} = down(monitor(process, D)), W.
missing_name() -> {down(monitor(process, no_such_name)), down(monitor(process, {no_such_name, node()}))}.
of_myself() -> R = monitor(process, self()), {is_reference(R), flushed(), process_info(self(), monitors), demonitor(R)}.
monitored_twice() -> P = spawn(?MODULE, waits, []), Rs = [monitor(process, P), monitor(process, P)], P ! stop, [element(3, down(R)) || R <- Rs].
by_name() -> P = spawn(?MODULE, waits, []), register(watched, P), R = monitor(process, watched), P ! stop, {down(R), whereis(watched)}.
other_node() -> fails(fun() -> monitor(process, {name, somewhere@else}) end).
bad_monitors() -> {fails(fun() -> monitor(process, id(1)) end), fails(fun() -> monitor(id(foo), self()) end)}.
of_clock() -> R = monitor(time_offset, clock_service), {is_reference(R), flushed(), demonitor(R, [info])}.
demonitors() ->
    P = spawn(?MODULE, waits, []),
    A = monitor(process, P), B = monitor(process, P), C = monitor(process, P),
    Twice = [demonitor(A), demonitor(A)], Info = [demonitor(B, [info]), demonitor(B, [info])],
    Other = monitor(process, P), P ! stop, down(Other),
    {Twice, Info, demonitor(C, [flush, info]), flushed()}.
foreign_references() -> Me = self(), P = spawn(fun() -> Me ! {ref, monitor(process, Me)}, waits() end), R = receive {ref, X} -> X end, {demonitor(make_ref()), demonitor(R), lists:member(P, element(2, process_info(Me, monitored_by)))}.
aliased(Mode) ->
    P = spawn(?MODULE, waits, []),
    A = monitor(process, P, [{alias, Mode}]), B = monitor(process, P, [{alias, Mode}]), C = monitor(process, P, [{alias, Mode}]),
    demonitor(A), A ! after_demonitor,
    C ! through, C ! twice,
    Other = monitor(process, P), P ! stop, down(Other),
    B ! after_down,
    {Mode, lists:sort([case M of {'DOWN', R, _, _, W} -> {if R =:= B -> b; true -> c end, W}; _ -> M end || M <- flushed()]), [[unalias(R), unalias(R)] || R <- [A, B, C]]}.
tagged() -> P = spawn(?MODULE, waits, []), R = monitor(process, P, [{tag, {my, tag}}]), P ! stop, receive {{my, tag}, R, process, P, W} -> W end.
bad_option() -> fails(fun() -> monitor(process, self(), id([bad])) end).
plain_aliases() ->
    A = alias([reply]), B = alias(), Me = self(),
    A ! one, A ! two, B ! three, B ! four,
    P = spawn(fun() -> Me ! {other, unalias(B)} end), receive {other, O} -> ok end, B ! five,
    _ = P, {flushed(), unalias(A), unalias(B), O, begin B ! six, flushed() end}.
