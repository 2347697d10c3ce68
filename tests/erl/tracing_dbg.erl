%% OTP's dbg on top of trace/3 and trace_pattern/3.
-module(tracing_dbg).
-include_lib("stdlib/include/ms_transform.hrl").
-export([main/1, f/1, g/1, server/0]).
f(X) -> [g(X)].
g(0) -> error(zero);
g(X) -> X + 1.
server() -> receive {From, X} -> From ! {self(), (catch f(X))}, server() end.
main(_) ->
    Me = self(),
    {ok, T} = dbg:tracer(process, {fun(M, N) -> Me ! {traced, M}, N + 1 end, 0}),
    true = is_pid(T),
    P = spawn(?MODULE, server, []),
    io:format("~p~n", [show(dbg:p(P, [c, m]))]),
    io:format("~p~n", [show(dbg:tpl(?MODULE, g, x))]),
    io:format("~p~n", [show(dbg:tp(?MODULE, f, 1, dbg:fun2ms(fun([X]) when X > 1 -> return_trace(), message(X) end)))]),
    [begin P ! {self(), X}, receive {P, R} -> io:format("~p~n", [case R of {'EXIT', _} -> exit; _ -> R end]) end end || X <- [1, 2, 0]],
    handled(P),
    flush(P),
    dbg:stop_clear(),
    P ! {self(), 7}, receive {P, _} -> ok end,
    timer:sleep(50),
    flush(P).
%% Until the tracer has done with what P was traced for.
handled(P) ->
    Ref = erlang:trace_delivered(P),
    receive {trace_delivered, P, Ref} -> ok end,
    {ok, Tracer} = dbg:get_tracer(),
    idle(Tracer).
idle(P) ->
    case process_info(P, [status, message_queue_len]) of
        [{status, waiting}, {message_queue_len, 0}] -> ok;
        _ -> timer:sleep(5), idle(P)
    end.
show({ok, L}) -> {ok, [case X of {matched, _, N} -> {matched, N}; _ -> X end || X <- L]}.
flush(P) ->
    receive {traced, M} ->
        io:format("~p~n", [[if E =:= P -> p; E =:= self() -> me; true -> case E of {{_, R}, _} when is_list(R) -> E; _ when element(1, E) =:= P -> {p, case element(2,E) of {'EXIT',_} -> exit; O -> O end}; _ when element(1,E) =:= self() -> {me, element(2,E)}; _ -> E end end || E <- tuple_to_list(M)]]),
        flush(P)
    after 0 -> ok end.
