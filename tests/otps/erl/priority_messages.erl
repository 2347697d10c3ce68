%% since: 28
%% Priority messages: by aliases, monitors, links and exit signals with the option `priority`; what they overtake, what
%% a receive that has begun and a receive marker make of them.
-module(priority_messages).
-export([main/0, main/1]).
-compile(nowarn_deprecated_catch).

main(_) -> main().
main() ->
    lists:foreach(fun({What, F}) -> io:format("~s: ~p~n", [What, in_process(F)]) end, cases()).

in_process(F) ->
    {P, R} = spawn_monitor(fun() -> exit({value, F()}) end),
    receive {'DOWN', R, _, P, {value, V}} -> V; {'DOWN', R, _, P, Why} -> {ended, Why} end.

all() -> receive M -> [shown(M) | all()] after 60 -> [] end.
shown({'DOWN', _, Type, _, Why}) -> {down, Type, Why};
shown({'EXIT', _, Why}) -> {exit, Why};
shown({x, _, process, _, Why}) -> {x, Why};
shown(M) -> M.

urgent(A, M) -> erlang:send(A, M, [priority]).
takes() -> element(2, process_info(self(), priority_messages)).
stopping() -> spawn(fun() -> receive stop -> exit(bye) end end).
trap() -> process_flag(trap_exit, true).
reason(F) -> try F() of V -> V catch C:R:S -> {C, R, [{error_info, I} || {_, _, _, L} <- [hd(S)], {error_info, I} <- L]} end.
%% Others run meanwhile, so that signals are handled.
others() -> erlang:yield(), [erlang:yield() || _ <- lists:seq(1, 20)], ok.

cases() ->
    [{"alias", fun() -> A = alias([priority]), self() ! 1, urgent(A, a), self() ! 2, urgent(A, b), A ! 3, all() end},
     {"ordinary alias", fun() -> A = alias(), self() ! 1, urgent(A, a), all() end},
     {"reply alias", fun() -> A = alias([reply, priority]), self() ! 1, urgent(A, a), urgent(A, b), all() end},
     {"no alias", fun() -> self() ! 1, urgent(self(), a), erlang:send(make_ref(), x, [priority]), all() end},
     {"options", fun() -> A = alias([priority, explicit_unalias]), self() ! 1, erlang:send(A, 2, [nosuspend, priority]),
                          erlang:send_nosuspend(A, 3, [priority]), all() end},
     {"alias of a monitor", fun() -> P = stopping(), R = monitor(process, P, [priority, {alias, demonitor}]),
                                     self() ! 1, urgent(R, a), all() end},
     {"monitor", fun() -> P = stopping(), monitor(process, P, [priority]), self() ! 1, P ! stop, timer:sleep(30), all() end},
     {"monitor with a tag", fun() -> P = stopping(), monitor(process, P, [{tag, x}, priority]), self() ! 1, P ! stop, timer:sleep(30), all() end},
     {"monitor of nobody", fun() -> self() ! 1, monitor(process, nobody_at_all, [priority]), timer:sleep(10), all() end},
     {"monitor of a port", fun() -> P = open_port({spawn, "cat"}, []), monitor(port, P, [priority]), unlink(P), self() ! 1,
                                    port_close(P), timer:sleep(30), all() end},
     {"link", fun() -> trap(), P = stopping(), link(P, [priority]), self() ! 1, P ! stop, timer:sleep(30), all() end},
     {"link twice", fun() -> trap(), P = stopping(), link(P, [priority]), link(P), self() ! 1, P ! stop, timer:sleep(30), all() end},
     {"link made priority", fun() -> trap(), P = stopping(), link(P), link(P, [priority]), self() ! 1, P ! stop, timer:sleep(30), all() end},
     {"unlinked", fun() -> trap(), P = stopping(), link(P, [priority]), unlink(P), link(P), self() ! 1, P ! stop, timer:sleep(30), all() end},
     {"link to nobody", fun() -> trap(), P = spawn(fun() -> ok end), timer:sleep(20), self() ! 1, link(P, [priority]), timer:sleep(10), all() end},
     {"link to nobody, not trapping", fun() -> P = spawn(fun() -> ok end), timer:sleep(20), catch element(1, catch link(P, [priority])) end},
     {"spawn_opt", fun() -> trap(), {P, _} = spawn_opt(fun() -> receive stop -> exit(bye) end end,
                              [{link, [priority]}, {monitor, [priority, {tag, x}]}]), self() ! 1, P ! stop, timer:sleep(30), all() end},
     {"spawn_opt, ordinary", fun() -> trap(), P = spawn_opt(fun() -> receive stop -> exit(bye) end end, [{link, [priority]}, link]),
                              self() ! 1, P ! stop, timer:sleep(30), all() end},
     {"spawn_opt, twice", fun() -> trap(), P = spawn_opt(fun() -> receive stop -> exit(bye) end end, [{link, [priority]}, {link, []}]),
                              self() ! 1, P ! stop, timer:sleep(30), all() end},
     {"exit by alias", fun() -> trap(), A = alias([priority]), self() ! 1, exit(A, a, [priority]), self() ! 2, exit(A, b), exit(A, c, []), all() end},
     {"exit by a reply alias", fun() -> trap(), A = alias([priority, reply]), self() ! 1, exit(A, a, [priority]), exit(A, b, [priority]), all() end},
     {"exit by an ordinary alias", fun() -> trap(), A = alias(), self() ! 1, exit(A, a, [priority]), all() end},
     {"exit by what was an alias", fun() -> A = alias([priority]), unalias(A), exit(A, kill, [priority]), exit(make_ref(), kill), ok end},
     {"exit to a pid", fun() -> trap(), self() ! 1, exit(self(), a, [priority]), all() end},
     {"normal exit by an alias", fun() -> A = alias(), exit(A, normal), exit(A, normal, [priority]), alive end},
     {"exit by an alias, not trapping", fun() -> A = alias(), exit(A, why, []), receive after 500 -> alive end end},
     {"kill by an alias", fun() -> trap(), A = alias([priority]), exit(A, kill, [priority]), receive after 500 -> alive end end},
     {"exit_signal", fun() -> trap(), erlang:exit_signal(self(), a), all() end},
     {"process_info",
      fun() -> I0 = takes(), A = alias([priority]), I1 = takes(), unalias(A), I2 = takes(), P = stopping(), link(P, [priority]),
               I3 = takes(), link(P), I4 = takes(), R = monitor(process, P, [priority]), I5 = takes(), demonitor(R), I6 = takes(),
               monitor(process, self(), [priority]), link(self(), [priority]), I7 = takes(), monitor(time_offset, clock_service, [priority]),
               [I0, I1, I2, I3, I4, I5, I6, I7, takes()] end},
     {"process_info of another",
      fun() -> S = self(), P = spawn(fun() -> alias([priority]), S ! ready, receive stop -> ok end end), receive ready -> ok end,
               [process_info(P, priority_messages), process_info(P, [priority_messages]), process_info(S, priority_messages)] end},
     {"messages", fun() -> A = alias([priority]), [self() ! N || N <- [1, 2]], urgent(A, a), urgent(A, {b, "text"}),
                           process_info(self(), [messages, message_queue_len]) end},
     {"off heap", fun() -> process_flag(message_queue_data, off_heap), A = alias([priority]), self() ! {1}, urgent(A, {a}), urgent(A, {b}),
                           P = stopping(), monitor(process, P, [priority]), P ! stop, timer:sleep(30), garbage_collect(), all() end},
     {"in the same slice", fun() -> A = alias([priority]), self() ! 1, self() ! 2, receive 1 -> ok end, urgent(A, a), others(), all() end},
     {"selective, before", fun() -> A = alias([priority]), self() ! 1, urgent(A, a), urgent(A, b), self() ! 2,
                                    receive b -> ok end, receive 2 -> ok end, urgent(A, c), others(), all() end},
     {"a receive that waits", fun() -> A = alias([priority]), S = self(), [S ! N || N <- lists:seq(1, 5)],
                                spawn(fun() -> timer:sleep(20), urgent(A, found), S ! last end),
                                M = receive found -> found; last -> last end, [M | all()] end},
     {"a receive with a time", fun() -> A = alias([priority]), S = self(), [S ! N || N <- lists:seq(1, 5)],
                                spawn(fun() -> timer:sleep(20), urgent(A, found) end),
                                M = receive found -> found after 2000 -> late end, [M | all()] end},
     {"taken, then more", fun() -> A = alias([priority]), S = self(), S ! 1, urgent(A, a), receive a -> ok end, S ! 2, urgent(A, b), others(),
                                   receive b -> ok end, urgent(A, c), urgent(A, d), others(), receive d -> ok end, urgent(A, e), others(), all() end},
     {"the last one taken", fun() -> A = alias([priority]), urgent(A, a), urgent(A, b), others(), receive b -> ok end, self() ! 1, urgent(A, c), others(), all() end},
     {"marker", fun() -> A = alias([priority]), self() ! 1, R = make_ref(), urgent(A, {R, a}), self() ! {R, b}, receive {R, X} -> X end end},
     {"marker, handled before", fun() -> A = alias([priority]), self() ! 1, R = make_ref(), self() ! {R, b}, others(), urgent(A, {R, a}), others(), receive {R, X} -> X end end},
     {"marker of a monitor", fun() -> A = alias([priority]), [self() ! N || N <- lists:seq(1, 100)], urgent(A, first),
                                P = stopping(), R = monitor(process, P, [priority]), P ! stop,
                                D = receive {'DOWN', R, _, _, Why} -> Why end, {D, hd(all()), takes()} end},
     {"marker that stays", fun() -> A = alias([priority]), R = make_ref(), [self() ! N || N <- lists:seq(1, 3)], urgent(A, a), others(),
                                urgent(A, {R, b}), urgent(A, {R, c}), self() ! {R, d},
                                L = [receive {R, X} -> X end || _ <- [1, 2, 3]], {L, all()} end},
     {"calls with urgent messages between",
      fun() -> A = alias([priority]), [self() ! N || N <- lists:seq(1, 200)],
               Server = spawn_link(fun() -> serve(A) end),
               L = [call(Server, N) || N <- lists:seq(1, 50)], {lists:sum(L), length([1 || {tick, _} <- all()])} end},
     {"many from many", fun many/0},
     {"bad options", fun() -> [reason(F) || F <- [fun() -> alias([{priority, true}]) end, fun() -> link(self(), [foo]) end, fun() -> link(a, []) end,
                         fun() -> link(self(), [priority | x]) end, fun() -> exit(self(), x, [foo]) end, fun() -> exit(a, x, [priority]) end,
                         fun() -> exit({a, node()}, x) end, fun() -> erlang:send(self(), x, [priority | x]) end,
                         fun() -> monitor(process, self(), [priority | x]) end, fun() -> monitor(port, self(), [priority]) end,
                         fun() -> spawn_opt(fun() -> ok end, [{link, foo}]) end, fun() -> spawn_opt(fun() -> ok end, [{link, [foo]}]) end,
                         fun() -> process_flag(priority_messages, true) end]] end}].

serve(A) -> receive {From, R, N} -> urgent(A, {tick, N}), From ! {R, N * 2}, serve(A) end.
call(Server, N) -> R = make_ref(), Server ! {self(), R, N}, receive {R, X} -> X end.

%% Each sender's urgent messages come in its order, and so do its ordinary ones; all of both come.
many() ->
    A = alias([priority]),
    S = self(),
    Senders = [spawn(fun() -> [begin S ! {ordinary, K, N, lists:seq(1, N rem 7)}, urgent(A, {urgent, K, N, lists:seq(1, N rem 5)}) end
                               || N <- lists:seq(1, 300)] end) || K <- lists:seq(1, 4)],
    L = [receive {urgent, _, _, _} = M -> M; {ordinary, 1, _, _} = M -> M end || _ <- lists:seq(1, 5 * 300)]
        ++ [receive {ordinary, K, _, _} = M when K > 1 -> M end || _ <- lists:seq(1, 3 * 300)],
    [] = all(),
    4 = length(Senders),
    [[N || {What, K, N, Rest} <- L, length(Rest) =:= N rem (case What of urgent -> 5; _ -> 7 end)] =:= lists:seq(1, 300)
     || What <- [urgent, ordinary], K <- lists:seq(1, 4)] =:= [],
    [begin Ns = [N || {W, J, N, _} <- L, W =:= What, J =:= K], Ns =:= lists:seq(1, 300) end || What <- [urgent, ordinary], K <- lists:seq(1, 4)].
