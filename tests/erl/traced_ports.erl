%% Tracing of ports: which ports, which events, how they are told.
%% skip repeats: programs have the numbers that the operating system gives them
-module(traced_ports).
-export([main/1]).

main(_) ->
    %% The services for names and sockets are started when they are first needed.
    inet:gethostbyname("localhost"), {ok, L} = gen_tcp:listen(0, []), gen_tcp:close(L), {ok, U} = gen_udp:open(0), gen_udp:close(U), timer:sleep(100),
    T = spawn_link(fun() -> collect([]) end), put(tracer, T),
    which(), programs(), files(), sockets(), ends(), messages(), flags(), infos().

collect(L) -> receive {get, From} -> From ! {events, lists:reverse(L)}, collect([]); M -> collect([M | L]) end.
heard() ->
    R = erlang:trace_delivered(all), receive {trace_delivered, all, R} -> ok end,
    get(tracer) ! {get, self()}, receive {events, L} -> [plain(E) || E <- L] end.
plain(T) when is_tuple(T) -> list_to_tuple([plain(X) || X <- tuple_to_list(T)]);
plain([H | T]) -> [plain(H) | plain(T)];
plain(P) when is_port(P) -> port;
plain(P) when P =:= self() -> me;
plain(P) when is_pid(P) -> pid;
plain(X) -> X.
show(Name, X) -> io:format("~p: ~0p~n", [Name, X]).
trace(What, Flags) -> erlang:trace(What, true, Flags ++ [{tracer, get(tracer)}]).
off() -> erlang:trace(ports, false, [all]), erlang:trace(new_ports, false, [all]).
gone(P) -> case erlang:port_info(P) of undefined -> ok; _ -> timer:sleep(5), gone(P) end.

which() ->
    Open = fun() -> open_port({spawn, "cat"}, [binary]) end,
    Flags = fun(P) -> {element(2, erlang:trace_info(P, flags)), plain(element(2, erlang:trace_info(P, tracer)))} end,
    [begin
         A = Open(), show({which, W}, is_integer(trace(W, ['receive']))), show(new, {erlang:trace_info(new_ports, flags), element(1, erlang:trace_info(new_ports, tracer))}), B = Open(), show({which, W}, {Flags(A), Flags(B)}),
         erlang:trace(all, false, [all]), show(after_, {Flags(A), Flags(B)}), port_close(A), port_close(B)
     end || W <- [ports, existing_ports, new_ports]],
    P = Open(), show(one, trace(P, [send])), show(one, Flags(P)), show(more, trace(P, [ports])), show(more, Flags(P)), show(less, erlang:trace(P, false, [send])), show(less, Flags(P)), port_close(P), gone(P),
    show(closed, [try erlang:F(P, X, [send]) catch C:R -> {C, R} end || {F, X} <- [{trace, true}]]), show(closed, erlang:trace_info(P, flags)), show(closed, erlang:trace_info(P, tracer)), heard().

programs() ->
    trace(new_ports, [send, 'receive', ports]),
    P = open_port({spawn, "cat"}, [binary]), show(opened, heard()),
    port_command(P, "abc"), receive {P, {data, _}} -> ok end, show(command, heard()),
    port_command(P, [<<"a">>, $b, [<<"c">>]]), receive {P, {data, _}} -> ok end, show(iolist, heard()),
    port_command(P, <<"binary">>), receive {P, {data, _}} -> ok end, show(binary, heard()),
    P ! {self(), {command, "by message"}}, receive {P, {data, _}} -> ok end, show(message, heard()),
    port_command(P, []), show(nothing, heard()),
    register(traced_port, P), unregister(traced_port), register(traced_port, P), show(names, heard()),
    unlink(P), link(P), show(links, heard()),
    M = monitor(port, P), demonitor(M), show(monitors, heard()),
    catch port_control(P, 1, "x"), catch erlang:port_call(P, 1, x), show(no_driver, heard()),
    port_close(P), show(closed, heard()),
    Q = open_port({spawn, "cat"}, [binary]), heard(), Q ! {self(), close}, receive {Q, closed} -> ok end, show(closed_by_message, heard()),
    X = open_port({spawn, "echo hi"}, [{line, 80}, exit_status, eof]), receive {X, eof} -> ok end, receive {X, {exit_status, _}} -> ok end, show(line_eof_status, lists:sort([E || E <- heard(), not of_erl(E)])), port_close(X), heard(),
    E = open_port({spawn_executable, "/bin/echo"}, [{args, ["x"]}]), gone(E), show(executable, heard()), flush(),
    off(), heard().
%% How erl starts a program is its own affair.
of_erl({trace, port, _, {_, {control, _}}}) -> true;
of_erl({trace, port, _, {_, {control, _}}, _}) -> true;
of_erl(_) -> false.

flush() -> receive _ -> flush() after 0 -> ok end.

files() ->
    trace(new_ports, [send, 'receive', ports]),
    {ok, F} = file:open(<<"data">>, [ram, read]), catch file:read(F, 4), file:close(F), show(ram, length(heard()) > 0),
    off(), heard().

sockets() ->
    trace(new_ports, [ports]),
    {ok, L} = gen_tcp:listen(0, []), show(listen, heard()), gen_tcp:close(L), show(close, heard()),
    {ok, U} = gen_udp:open(0), show(udp, heard()), gen_udp:close(U), show(close, heard()),
    off().

ends() ->
    trace(new_ports, [ports]),
    Owner = fun(F) -> {Pid, R} = spawn_monitor(fun() -> P = open_port({spawn, "cat"}, []), F(P) end), receive {'DOWN', R, _, Pid, _} -> ok end, timer:sleep(50), heard() end,
    show(owner_ends, Owner(fun(_) -> ok end)), show(owner_fails, Owner(fun(_) -> exit(bad) end)), show(killed, Owner(fun(P) -> process_flag(trap_exit, true), exit(P, kill), receive {'EXIT', P, _} -> ok end end)),
    show(exit_signal, Owner(fun(P) -> process_flag(trap_exit, true), exit(P, because), receive {'EXIT', P, _} -> ok end end)),
    show(program_ends, Owner(fun(P) -> process_flag(trap_exit, true), {os_pid, Os} = erlang:port_info(P, os_pid), os:cmd("kill " ++ integer_to_list(Os)), receive {'EXIT', P, _} -> ok end end) =/= []),
    off(), heard().

messages() ->
    trace(new_ports, [send, 'receive', ports]), process_flag(trap_exit, true),
    P = open_port({spawn, "cat"}, []), heard(),
    Other = spawn_link(fun() -> receive stop -> ok end end),
    port_connect(P, Other), show(connect, heard()),
    unlink(P), show(unlinked, heard()),
    P ! {Other, {connect, self()}}, timer:sleep(10), show(connect_by_message, heard()),
    Other ! stop, receive {'EXIT', Other, _} -> ok end,
    timer:sleep(20), show(other_ended, heard()),
    B = open_port({spawn, "cat"}, []), heard(), B ! rubbish, receive {'EXIT', B, _} -> ok after 100 -> ok end, show(rubbish, heard()),
    catch port_close(B), heard(), catch port_close(P), heard(), flush(), off().

flags() ->
    [begin trace(new_ports, F), P = open_port({spawn, "cat"}, [binary]), port_command(P, "x"), receive {P, {data, _}} -> ok end, port_close(P), off(),
           show(F, [stamped(E) || E <- heard()]) end || F <- [[send], ['receive'], [ports], [send, timestamp], [send, scheduler_id], [send, monotonic_timestamp], [procs], [call]]].
stamped(T) -> list_to_tuple([case X of {_, _, _} -> time; N when is_integer(N) -> number; _ -> X end || X <- tuple_to_list(T)]).

infos() ->
    P = open_port({spawn, "cat"}, []),
    show(info, [try erlang:trace_info(P, X) catch C:R -> {C, R} end || X <- [flags, tracer, nothing]]),
    show(unknown, [try erlang:trace_info(list_to_port("#Port<0.99999>"), X) catch C:R -> {C, R} end || X <- [flags, tracer, nothing]]),
    show(wrong, [try erlang:trace(X, true, [send]) catch C:R -> {C, R} end || X <- [list_to_port("#Port<0.99999>"), port]]),
    port_close(P).
