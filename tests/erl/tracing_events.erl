%% Tracing of what processes do apart from calls: messages, links, names, spawns, exits.
-module(tracing_events).
-export([main/1, server/0]).

main(_) ->
    P = spawn(fun server/0),
    Q = spawn(fun server/0),
    put(names, [{self(), me}, {P, p}, {Q, q}]),
    register(q, Q),
    1 = erlang:trace(P, true, [send, procs]),
    sends(P, Q),
    links(P, Q),
    spawns(P),
    names(P, Q),
    receives(P, Q),
    flags(P),
    tracers(P, Q),
    inherited(),
    arguments(P),
    exits(),
    sensitive(),
    yields().

server() ->
    receive
        {do, From, F} -> F(), From ! {self(), done}, server();
        _ -> server()
    end.

do(P, F) ->
    P ! {do, self(), F},
    receive {P, done} -> ok end.

%% What the tracer got of an action, without the answer of the server.
show(What, P, F) ->
    do(P, F),
    show(What, P).
show(What, P) ->
    Ref = erlang:trace_delivered(P),
    receive {trace_delivered, P, Ref} -> ok end,
    io:format("~s~n", [What]),
    [io:format("    ~p~n", [named(M)]) || M <- all(), element(3, M) =/= send orelse
                                                        element(5, M) =/= self()].
all() ->
    receive M when element(1, M) =:= trace; element(1, M) =:= trace_ts -> [M | all()]
    after 0 -> []
    end.

named(T) when is_pid(T) -> proplists:get_value(T, get(names), somebody);
named(T) when is_reference(T) -> ref;
named(T) when is_function(T) -> function;
named(T) when is_tuple(T) -> list_to_tuple(named(tuple_to_list(T)));
named([H | T]) -> [named(H) | named(T)];
named(T) -> T.

sends(P, Q) ->
    Dead = spawn(fun() -> ok end),
    down(Dead),
    show("to a pid", P, fun() -> Q ! a end),
    show("to a name", P, fun() -> q ! {b, [1, "text", 2.5, <<0:1000>>]} end),
    show("to a name here", P, fun() -> {q, node()} ! c end),
    show("to nobody's name", P, fun() -> catch nobody ! c end),
    show("to nobody's name here", P, fun() -> {nobody, node()} ! c end),
    show("to another node", P, fun() -> {nobody, 'a@b'} ! c end),
    show("send/2", P, fun() -> erlang:send(Q, d) end),
    show("send/3", P, fun() -> erlang:send(Q, e, [nosuspend]) end),
    show("to the dead", P, fun() -> Dead ! e end),
    show("to itself", P, fun() -> self() ! e end),
    show("to an alias", P, fun() -> A = alias(), A ! e, unalias(A), A ! f, make_ref() ! g end),
    show("later", P, fun() -> erlang:send_after(1, Q, later) end).

links(P, Q) ->
    Dead = spawn(fun() -> ok end),
    down(Dead),
    show("link", P, fun() -> link(Q), link(Q), unlink(Q), unlink(Q) end),
    show("with itself", P, fun() -> link(self()), unlink(self()) end),
    show("with the dead", P, fun() -> catch link(Dead) end),
    link(P),
    do(P, fun() -> ok end),
    show("from outside", P),
    unlink(P),
    do(P, fun() -> ok end),
    show("and away", P),
    show("monitor", P, fun() -> demonitor(monitor(process, Q)) end).

spawns(P) ->
    show("spawn", P, fun() -> spawn(lists, seq, [1, 2]) end),
    show("spawn a fun", P, fun() -> spawn(fun() -> ok end) end),
    show("spawn_monitor", P, fun() -> spawn_monitor(lists, seq, [1, 2]) end),
    show("spawn_link", P, fun() ->
        C = spawn_link(fun server/0),
        unlink(C),
        exit(C, kill)
    end),
    do(P, fun() -> process_flag(trap_exit, true) end),
    show("a linked one ends", P, fun() ->
        C = spawn_link(lists, seq, [1, 2]),
        receive {'EXIT', C, normal} -> ok end,
        process_flag(trap_exit, false)
    end).

names(P, Q) ->
    show("register", P, fun() -> register(foo, self()), unregister(foo) end),
    unregister(q),
    register(bar, P),
    show("by another", P),
    unregister(bar),
    show("and away", P),
    show("of another", P, fun() -> register(q, Q) end).

receives(P, Q) ->
    erlang:trace(P, false, [all]),
    receive after 50 -> ok end,  % who was watched before has ended, and that was told
    erlang:trace(P, true, ['receive']),
    show("receive", P, fun() -> ok end),
    show("timeout", P, fun() -> receive none -> ok after 10 -> ok end end),
    show("timeout 0", P, fun() -> receive none -> ok after 0 -> ok end end),
    show("timeout with a message", P, fun() ->
        self() ! y,
        receive none -> ok after 10 -> ok end,
        receive y -> ok end
    end),
    show("from a timer", P, fun() ->
        erlang:send_after(1, self(), later),
        receive later -> ok end
    end),
    show("an exit", P, fun() ->
        process_flag(trap_exit, true),
        exit(self(), why),
        receive {'EXIT', _, why} -> ok end,
        process_flag(trap_exit, false)
    end),
    show("a monitor", P, fun() ->
        {C, R} = spawn_monitor(fun() -> ok end),
        receive {'DOWN', R, _, C, _} -> ok end
    end),
    show("asked by others", P, fun() -> do(Q, fun() -> process_info(P, messages) end) end),
    erlang:trace(P, false, [all]).

flags(P) ->
    Flags = [send, 'receive', call, procs, ports, running, garbage_collection, timestamp,
             monotonic_timestamp, strict_monotonic_timestamp, arity, set_on_spawn,
             set_on_first_spawn, set_on_link, set_on_first_link, return_to, silent, exiting,
             running_procs, running_ports, scheduler_id],
    [begin
         1 = erlang:trace(P, true, [F]),
         {flags, [F]} = erlang:trace_info(P, flags),
         io:format("~p: ~p~n", [F, process_info(P, trace)]),
         1 = erlang:trace(P, false, [F]),
         {tracer, []} = erlang:trace_info(P, tracer)
     end || F <- Flags],
    1 = erlang:trace(P, true, [all]),
    io:format("~p ~p ~p~n", [erlang:trace_info(P, flags), process_info(P, trace), process_info(self(), trace)]),
    1 = erlang:trace(P, false, [all]),
    all(),
    [begin
         erlang:trace(P, true, [send | F]),
         do(P, fun() -> q ! x end),
         [M] = [M || M <- all(), element(4, M) =:= x],
         io:format("~p ~p~n", [F, stamp(lists:last(tuple_to_list(M)))]),
         erlang:trace(P, false, [all])
     end || F <- [[], [timestamp], [monotonic_timestamp], [strict_monotonic_timestamp],
                  [monotonic_timestamp, strict_monotonic_timestamp],
                  [monotonic_timestamp, strict_monotonic_timestamp, timestamp]]].

stamp({_, _, _}) -> now;
stamp({_, _}) -> strict;
stamp(N) when is_integer(N) -> monotonic;
stamp(A) when is_atom(A) -> A.

tracers(P, Q) ->
    1 = erlang:trace(P, true, [send, {tracer, Q}]),
    io:format("~p~n", [named({erlang:trace_info(P, tracer), erlang:trace_info(P, flags)})]),
    {C, R} = spawn_monitor(fun() -> 1 = erlang:trace(P, false, [send]) end),
    receive {'DOWN', R, _, C, Why} -> io:format("taken away by anybody: ~p~n", [Why]) end,
    io:format("~p~n", [erlang:trace_info(P, tracer)]),
    %% A tracer that has ended counts for nothing.
    {T, TR} = spawn_monitor(fun server/0),
    1 = erlang:trace(P, true, [send, {tracer, T}]),
    0 = erlang:trace(new, true, [procs, {tracer, T}]),
    {flags, [procs]} = erlang:trace_info(new, flags),
    exit(T, kill),
    receive {'DOWN', TR, _, _, _} -> ok end,
    io:format("~p~n", [[erlang:trace_info(W, I) || W <- [P, new], I <- [flags, tracer]]]),
    1 = erlang:trace(P, true, [send, {tracer, T}]),
    io:format("~p~n", [erlang:trace_info(P, flags)]),
    %% Nobody is told of himself.
    1 = erlang:trace(self(), true, [all]),
    self() ! {to, myself},
    link(P),
    unlink(P),
    1 = erlang:trace(self(), false, [all]),
    io:format("~p~n", [receive M -> M after 0 -> nothing end]),
    do(P, fun() -> ok end).

inherited() ->
    F = fun server/0,
    [begin
         P = spawn(F),
         1 = erlang:trace(P, true, [procs | Flags]),
         Self = self(),
         do(P, fun() -> Self ! {children, spawn(F), spawn_link(F), spawn(F), spawn_link(F)} end),
         receive {children, A, B, C, D} -> ok end,
         io:format("~p~n   ~p~n", [Flags, [element(2, erlang:trace_info(X, flags)) || X <- [P, A, B, C, D]]]),
         [begin unlink(X), exit(X, kill), down(X) end || X <- [P, A, B, C, D]],
         all()
     end || Flags <- [[], [set_on_spawn], [set_on_first_spawn], [set_on_link], [set_on_first_link],
                      [set_on_spawn, set_on_link], [set_on_first_spawn, set_on_link],
                      [set_on_spawn, set_on_first_link], [set_on_spawn, set_on_first_spawn]]],
    0 = erlang:trace(new, true, [procs]),
    P = spawn(F),
    0 = erlang:trace(new, false, [procs]),
    put(names, [{self(), me}]),
    show("new", P),
    P ! {do, self(), fun() -> exit(done) end},
    down(P),
    show("its end", P).

arguments(P) ->
    Dead = spawn(fun() -> ok end),
    down(Dead),
    Try = fun(F) -> try F() catch C:R:S -> {C, R, element(2, hd(S)), element(4, hd(S))} end end,
    [io:format("~p~n", [Try(fun() -> erlang:trace(A, B, C) end)])
     || {A, B, C} <- [{foo, true, [all]}, {Dead, true, [all]}, {P, maybe_so, [all]},
                      {P, true, [{tracer, foo, bar, baz}]}, {P, true, foo}, {P, true, [foo]},
                      {P, true, [send | x]}, {P, true, [{a}]}, {P, true, [cpu_timestamp]},
                      {new, true, [not_a_flag]}, {new_ports, false, []}, {new_processes, false, []}]],
    [io:format("~p~n", [Try(fun() -> erlang:trace_info(A, B) end)])
     || {A, B} <- [{foo, flags}, {P, foo}, {new, flags}, {new_ports, tracer}, {new_processes, tracer},
                   {Dead, flags}, {Dead, tracer}, {new, foo}]],
    io:format("~p~n", [Try(fun() -> erlang:trace_delivered(foo) end)]).

exits() ->
    [begin
         P = spawn(fun server/0),
         put(names, [{self(), me}, {P, p}]),
         1 = erlang:trace(P, true, [procs, exiting]),
         P ! {do, self(), F},
         down(P),
         show("exit", P)
     end || F <- [fun() -> exit(normal) end, fun() -> exit({foo, bar}) end,
                  fun() -> register(hopp, self()), exit(shutdown) end,
                  fun() -> spawn_link(fun() -> exit(broken) end), receive after infinity -> ok end end]].

down(P) ->
    R = monitor(process, P),
    receive {'DOWN', R, _, _, _} -> ok end.

%% Whatever a sensitive process is traced for, nobody hears of it, nor of what it holds.
sensitive() ->
    P = spawn(fun server/0),
    put(names, [{self(), me}, {P, p}]),
    1 = erlang:trace(P, true, [send, 'receive', procs]),
    Me = self(),
    show("sensitive", P, fun() ->
        put(key, value),
        io:format("~p~n", [process_flag(sensitive, true)]),
        register(secret, self()), Me ! secret, spawn(fun() -> ok end), self() ! kept,
        io:format("~p~n", [process_info(self(), [dictionary, messages, backtrace])]),
        io:format("~p~n", [catch_reason(fun() -> process_flag(sensitive, 1) end)]),
        Me ! still_secret,
        io:format("~p~n", [process_flag(sensitive, true)])
    end),
    receive secret -> ok end, receive still_secret -> ok end,
    io:format("~p ~p~n", [lists:sort(element(2, erlang:trace_info(P, flags))), process_info(P, [dictionary, messages, message_queue_len])]),
    show("not any more", P, fun() -> true = process_flag(sensitive, false), unregister(secret) end),
    io:format("~p~n", [process_info(P, dictionary)]),
    exit(P, kill), down(P).

catch_reason(F) -> try F() catch C:R -> {C, R} end.

%% A process that yields is where it goes on.
yields() ->
    Me = self(),
    P = spawn(fun() -> receive {go, Me} -> yielding(), Me ! done end, receive stop -> ok end end),
    put(names, [{self(), me}, {P, p}]),
    1 = erlang:trace(P, true, [running]),
    P ! {go, Me},
    receive done -> ok end,
    1 = erlang:trace(P, false, [running]),
    Ref = erlang:trace_delivered(P),
    receive {trace_delivered, P, Ref} -> ok end,
    Places = [Place || {trace, _, out, {_, yielding, _} = Place} <- all()],
    io:format("~p~n", [length(Places) >= 3 andalso lists:usort(Places)]),
    exit(P, kill), down(P).

yielding() ->
    true = erlang:yield(),
    true = erlang:yield(),
    true = erlang:yield(),
    lists:reverse([1]),
    ok.
