%% Sequential tracing: how the token goes with messages, exits and spawned processes, what takes it
%% away, and what the tracer is told.
%% args: ports
%% args seeds: none
-module(sequential_tracing).
-export([main/1, marked/1, parts/2]).
-include("support/show.hrl").

main([Outside]) ->
    Ports = Outside =:= "ports",
    components(), whole(), clears(Ports), counters(), stamps(), told(Ports), spawned(), sensitive(), tracers(), patterns().

%% --- the token of this process. Nothing may be printed while there is one: that would send.
token() -> case seq_trace:get_token() of [] -> []; T -> setelement(4, T, from) end.
with(Flags) -> seq_trace:reset_trace(), [seq_trace:set_token(F, true) || F <- Flags], ok.
bare(Fun) -> seq_trace:reset_trace(), R = Fun(), T = token(), seq_trace:set_token([]), {R, T}.

components() ->
    Items = [send, 'receive', print, timestamp, monotonic_timestamp, strict_monotonic_timestamp, label, serial, spawn, foo, 1],
    Get = fun() -> [show:quiet(fun() -> seq_trace:get_token(I) end) || I <- Items] end,
    ?S(bare(Get)),
    ?S(bare(fun() -> seq_trace:set_token(label, {a, "b", 1.5}), Get() end)),
    ?S(bare(fun() -> [show:quiet(fun() -> erlang:seq_trace(I, V) end) ||
        {I, V} <- [{send, true}, {send, false}, {send, perhaps}, {label, x}, {label, <<1:70>>}, {serial, {1, 2}}, {serial, {-1, -2}},
                   {serial, {1}}, {serial, {1, a}}, {serial, 7}, {foo, true}, {1, 2}, {sequential_trace_token, 1},
                   {sequential_trace_token, []}]] end)),
    [?S({I, bare(fun() -> seq_trace:set_token(I, true), element(1, seq_trace:get_token()) end)}) || I <- lists:sublist(Items, 6)],
    ?S(bare(fun() -> [erlang:seq_trace_print(x), erlang:seq_trace_print(l, x), begin seq_trace:set_token(label, l), erlang:seq_trace_print(x) end,
                      erlang:seq_trace_print(l, x), erlang:seq_trace_print(m, x)] end)),
    ?S(bare(fun() -> show:quiet(fun() -> seq_trace:print(l, x) end) end)).

whole() ->
    ?S(bare(fun() -> seq_trace:set_token({63, [x], 7, self(), 5}) end)),
    ?S(bare(fun() -> show:quiet(fun() -> seq_trace:set_token({7, a, b, c, d}) end) end)),
    ?S(bare(fun() -> seq_trace:set_token({1, a, 7, self(), 5}), seq_trace:set_token([]), seq_trace:set_token(label, 2) end)),
    ?S(bare(fun() -> seq_trace:set_token({1, a, 7, self(), 5}), seq_trace:reset_trace(), seq_trace:set_token(label, 2) end)),
    ?S(bare(fun() -> Big = {lists:seq(1, 50), <<0:4000>>}, seq_trace:set_token(label, Big), [erlang:garbage_collect() || _ <- [1, 2, 3]],
                     R = seq_trace:get_token(label) =:= {label, Big}, seq_trace:set_token(label, small), R end)).

%% --- what a message does to the token of its receiver
clears(Ports) ->
    process_flag(trap_exit, true),
    Self = self(),
    Wait = fun(F) -> spawn(fun() -> receive X -> F(X) end end) end,
    Mark = fun() -> seq_trace:set_token(label, my) end,
    Later = fun(P, M) -> seq_trace:set_token([]), P ! M, Mark() end,
    Try = fun(What, F) -> seq_trace:reset_trace(), Mark(), R = F(), T = token(), seq_trace:set_token([]), ?S({What, R, T}) end,
    Try(sent, fun() -> Self ! a, receive a -> ok end end),
    Try(answer, fun() -> Wait(fun(M) -> Self ! M end) ! m, receive m -> ok end end),
    Try(no_token, fun() -> P = Wait(fun(M) -> Self ! M end), Later(P, m), receive m -> ok end end),
    Try(send_after, fun() -> erlang:send_after(1, Self, t), receive t -> ok end end),
    Try(start_timer, fun() -> T = erlang:start_timer(1, Self, t), receive {timeout, T, t} -> ok end end),
    Try('after', fun() -> receive nothing -> ok after 1 -> timeout end end),
    Try(down, fun() -> P = Wait(fun exit/1), R = monitor(process, P), Later(P, word), receive {'DOWN', R, _, _, W} -> W end end),
    Try(down_tuple, fun() -> P = Wait(fun exit/1), R = monitor(process, P), Later(P, {a, b}), receive {'DOWN', R, _, _, W} -> W end end),
    Try(down_gone, fun() -> P = Wait(fun exit/1), R0 = monitor(process, P), exit(P, kill), receive {'DOWN', R0, _, _, _} -> ok end,
                            R = monitor(process, P), receive {'DOWN', R, _, _, W} -> W end end),
    Try(exits, fun() -> P = Wait(fun exit/1), link(P), Later(P, word), receive {'EXIT', P, W} -> W end end),
    Try(exits_with, fun() -> P = Wait(fun exit/1), link(P), P ! {a, b}, receive {'EXIT', P, W} -> W end end),
    Try(exit_signal, fun() -> P = Wait(fun(X) -> exit(Self, X) end), P ! why, receive {'EXIT', P, W} -> W end end),
    Try(exit_self, fun() -> exit(Self, why), receive {'EXIT', Self, W} -> W end end),
    Ports andalso Try(port_data, fun() -> P = open_port({spawn, "echo hi"}, []), receive {P, {data, D}} -> D end end),
    Ports andalso Try(port_exit, fun() -> P = open_port({spawn, "cat"}, []), port_close(P), receive {'EXIT', P, W} -> W end end),
    Try(transfer, fun() -> spawn(fun() -> T = ets:new(t, []), seq_trace:set_token([]), ets:give_away(T, Self, x) end),
                           receive {'ETS-TRANSFER', _, _, X} -> X end end),
    Try(alias, fun() -> A = alias([reply]), Wait(fun(_) -> A ! m end) ! x, receive m -> ok end end),
    Try(off_heap, fun() -> process_flag(message_queue_data, off_heap), P = Wait(fun exit/1), link(P), P ! {a, b},
                           R = receive {'EXIT', P, W} -> W end, process_flag(message_queue_data, on_heap), R end),
    Try(left, fun() -> Self ! {one, [1]}, seq_trace:set_token([]), Self ! two, Mark(), receive two -> ok end, T = token(),
                       erlang:garbage_collect(), receive {one, _} -> T end end),
    Try(reset, fun() -> Self ! one, seq_trace:reset_trace(), T = token(), receive one -> T end end),
    Try(other, fun() -> P = spawn(fun() -> receive m -> Self ! got, receive stop -> ok end end end), P ! m, receive got -> ok end,
                        {_, T} = process_info(P, sequential_trace_token), exit(P, kill), setelement(4, T, from) end),
    process_flag(trap_exit, false).

counters() ->
    Self = self(),
    ?S(bare(fun() -> seq_trace:set_token(label, c), Self ! a, Self ! b, [token(), receive b -> token() end, receive a -> token() end,
        begin Self ! c, token() end, begin seq_trace:print(x), token() end, begin seq_trace:set_token([]), seq_trace:set_token(label, d) end,
        receive c -> token() end] end)),
    Gone = spawn(fun() -> ok end), M = monitor(process, Gone), receive {'DOWN', M, _, _, _} -> ok end,
    ?S(bare(fun() -> seq_trace:set_token(label, c), Gone ! x, catch(nobody_here ! x), {nobody_here, node()} ! x, {x, 'n@elsewhere'} ! x, token() end)),
    ?S(bare(fun() -> seq_trace:set_token(label, c), erlang:send(Self, x, []), receive x -> ok end end)),
    %% from hand to hand
    Hand = fun Hand(Next) -> receive {m, L} -> Next ! {m, [token() | L]}, Hand(Next) end end,
    P1 = spawn(fun() -> Hand(Self) end), P2 = spawn(fun() -> Hand(P1) end), P3 = spawn(fun() -> Hand(P2) end),
    ?S(bare(fun() -> seq_trace:set_token(label, round), P3 ! {m, []}, receive {m, L} -> P3 ! {m, L} end, receive {m, L2} -> lists:reverse(L2) end end)),
    [exit(P, kill) || P <- [P1, P2, P3]].

%% --- what the tracer is told
tracer() ->
    T = spawn(fun Loop() -> receive {get, P} -> {messages, M} = process_info(self(), messages), P ! {all, M, self()} end, Loop() end),
    seq_trace:set_system_tracer(T),
    T.
told_to(T) ->
    seq_trace:set_token([]),
    Ask = fun Ask(N) -> T ! {get, self()}, receive {all, M, T} when N > 0, M =:= [] -> timer:sleep(10), Ask(N - 1); {all, M, T} -> M end end,
    L = Ask(3), R = monitor(process, T), exit(T, kill),
    receive {'DOWN', R, _, _, _} -> lists:sort(names(L)) end.
names(L) -> names(L, self()).
names(S, S) -> self;
names(T, S) when is_tuple(T) -> list_to_tuple(names(tuple_to_list(T), S));
names([H | T], S) -> [names(H, S) | names(T, S)];
names(P, _) when is_pid(P) -> pid;
names(P, _) when is_port(P) -> port;
names(R, _) when is_reference(R) -> ref;
names(F, _) when is_function(F) -> function;
names(I, _) when is_integer(I), abs(I) > 1000 -> number;
names(X, _) -> X.
told(Flags, Do) ->
    T = tracer(), with(Flags), Do(), seq_trace:set_token([]), timer:sleep(20), ?S(told_to(T)).

stamps() ->
    Kinds = [timestamp, monotonic_timestamp, strict_monotonic_timestamp],
    Subsets = [[K || {N, K} <- lists:zip([1, 2, 4], Kinds), B band N > 0] || B <- lists:seq(0, 7)],
    [begin
         T = tracer(), with([print | Ks]), seq_trace:print(hello),
         Shape = fun(X) when is_integer(X) -> integer; (X) when is_tuple(X) -> tuple_size(X) end,
         ?S({Ks, [case tuple_size(M) of 3 -> none; 4 -> Shape(element(4, M)) end || M <- told_to(T)]})
     end || Ks <- Subsets].

told(Ports) ->
    Self = self(),
    Flush = fun Flush() -> receive _ -> Flush() after 150 -> ok end end,
    told([send, 'receive', print], fun() -> Self ! {a, "text"}, receive {a, _} -> ok end, seq_trace:print(hello) end),
    told([send], fun() -> Self ! a, receive a -> ok end, seq_trace:print(hello) end),
    told(['receive'], fun() -> Self ! a, receive a -> ok end end),
    told([print], fun() -> Self ! a, receive a -> ok end, seq_trace:set_token(label, "l"), seq_trace:print("l", hello), seq_trace:print("m", hello) end),
    told([send, 'receive'], fun() ->
        register(me, Self), me ! a, {me, node()} ! b, erlang:send(Self, c, []), unregister(me),
        A = alias(), A ! d, unalias(A), A ! e, Flush() end),
    Ports andalso told([send, 'receive'], fun() -> P = open_port({spawn, "cat"}, []), P ! {Self, {command, "x"}}, port_command(P, "y"), P ! {Self, close}, Flush() end),
    process_flag(trap_exit, true),
    E = spawn(fun() -> receive M -> exit(M) end end), link(E),
    told([send, 'receive'], fun() -> E ! {x, y}, receive {'EXIT', E, _} -> ok end end),
    process_flag(trap_exit, false),
    told([send, 'receive'], fun() -> T = erlang:start_timer(1, Self, t), receive {timeout, T, _} -> ok end end).

spawned() ->
    Self = self(),
    Flush = fun Flush() -> receive _ -> Flush() after 150 -> ok end end,
    Do = fun() -> Self ! here end,
    told([send, 'receive'], fun() -> spawn(Do), Flush() end),
    told([send, 'receive'], fun() -> spawn(lists, reverse, [[a]]), Flush() end),
    told([send, 'receive'], fun() -> spawn_link(lists, reverse, [[a]]), timer:sleep(20), Flush() end),
    told([send, 'receive'], fun() -> spawn_monitor(Do), Flush() end),
    told([send, 'receive'], fun() -> spawn_opt(Do, [link, monitor, {priority, high}]), Flush() end),
    told([send, 'receive'], fun() -> spawn_request(Do, [monitor, {reply_tag, tag}]), Flush() end),
    told([send, 'receive'], fun() -> spawn_request(Do, [{reply, no}]), Flush() end),
    told([send, 'receive'], fun() -> spawn_request(Do, [{reply, error_only}]), Flush() end),
    told([send, 'receive'], fun() -> spawn_request(Do, [no_option]), Flush() end),
    ?S(bare(fun() -> seq_trace:set_token(label, s), spawn(fun() -> Self ! token() end), T = token(), receive X -> {T, X} end end)),
    ?S(bare(fun() -> seq_trace:set_token(label, s), R = spawn_request(fun() -> Self ! token() end), T = token(),
                     receive {spawn_reply, R, ok, _} -> T2 = token(), receive X -> {T, T2, X} end end end)).

sensitive() ->
    Self = self(),
    told([send, 'receive', print], fun() ->
        process_flag(sensitive, true), Self ! a, receive a -> ok end, seq_trace:print(x), process_flag(sensitive, false), seq_trace:print(y) end).

tracers() ->
    Self = self(),
    ?S([show:quiet(fun() -> seq_trace:set_system_tracer(X) end) || X <- [foo, 1, "x"]]),
    ?S(seq_trace:get_system_tracer()),
    seq_trace:set_system_tracer(Self),
    ?S(bare(fun() -> with([send, 'receive', print]), Self ! a, seq_trace:print(x), T = token(), receive a -> T end end)),
    ?S(seq_trace:set_system_tracer(false) =:= Self),
    P = spawn(fun() -> receive stop -> ok end end), seq_trace:set_system_tracer(P), M = monitor(process, P), exit(P, kill),
    receive {'DOWN', M, _, _, _} -> ok end,
    ?S({seq_trace:get_system_tracer(), element(2, erlang:system_info(sequential_tracer))}),
    ?S(bare(fun() -> with([send]), Self ! a, receive a -> ok end end)).

%% --- match specifications
marked(X) -> X.
parts(A, _) -> A.
patterns() ->
    Self = self(),
    Bodies = [{set_seq_token, label, a}, {set_seq_token, foo, true}, {message, {set_seq_token, foo, true}}, {message, {set_seq_token, label, x}},
              {message, {set_seq_token, send, 3}}, {message, {set_seq_token, spawn, []}}, {message, {get_seq_token}}, {message, {is_seq_trace}}],
    ?S([erlang:match_spec_test([x], [{'_', [], [B]}], trace) || B <- Bodies]),
    ?S(bare(fun() -> seq_trace:set_token(label, m), names([erlang:match_spec_test([x], [{'_', [], [B]}], trace) || B <- Bodies]) end)),
    T = spawn(fun L() -> receive {get, P} -> P ! {got, process_info(self(), messages)} end, L() end),
    seq_trace:reset_trace(),
    erlang:trace(Self, true, [call, {tracer, T}]),
    erlang:trace_pattern({?MODULE, marked, 1}, [{['$1'], [], [{set_seq_token, label, '$1'}, {message, {{{get_seq_token}, {is_seq_trace}}}}]}], [local]),
    erlang:trace_pattern({?MODULE, parts, 2}, [{['$1', '$2'], [], [{message, {{{set_seq_token, '$1', '$2'}, {get_seq_token}}}}]}], [local]),
    marked({1, 2.0, "abc"}), [parts(A, B) || {A, B} <- [{send, true}, {serial, {3, 4}}, {send, perhaps}, {foo, true}, {sequential_trace_token, []}]],
    erlang:trace_pattern({?MODULE, marked, 1}, [{'_', [{is_seq_trace}], [{message, traced}]}], [local]),
    marked(1), seq_trace:set_token(label, 1), marked(2), seq_trace:set_token([]), marked(3),
    erlang:trace(Self, false, [all]),
    erlang:trace_pattern({?MODULE, '_', '_'}, false, [local]),
    T ! {get, Self}, receive {got, M} -> ?S(names(M)) end.
