%% Tracer modules: OTP's own, those that are no native code, those that are not there; erl_tracer's functions.
-module(tracer_modules).
-export([main/1, enabled/3, trace/5]).

%% Written in Erlang they are nobody's.
enabled(_, _, _) -> trace.
trace(_, _, _, _, _) -> ok.

show(Name, F) ->
    io:format("~p: ~0p~n", [Name, try F() catch C:R:St -> {C, R, [{M, Fu, if is_list(A) -> length(A); true -> A end, proplists:get_value(cause, maps:to_list(proplists:get_value(error_info, I, #{})))}
                                                            || {M, Fu, A, I} <- lists:sublist(St, 2)]} end]).

main(_) ->
    Me = self(),
    P = spawn(fun Loop() -> receive {M, From} -> From ! M, Loop() end end),
    {D, Mo} = spawn_monitor(fun() -> ok end), receive {'DOWN', Mo, _, _, _} -> ok end,
    Who = fun(X) when X =:= Me -> me; (X) when X =:= D -> dead; (X) -> X end,
    Info = fun() -> {Who(element(2, erlang:trace_info(P, tracer))), erlang:trace_info(P, flags)} end,
    Trace = fun(Name, On, Flags) -> show(Name, fun() -> {erlang:trace(P, On, Flags), Info()} end) end,
    processes(Trace, D),
    heard(P),
    functions(Who, D),
    sequential(Who),
    show(spec, fun() -> erlang:match_spec_test([x], [{'_', [], [{trace, [], [send, {tracer, ?MODULE, x}]}]}], trace) end),
    called(P, D),
    [io:format("~p ~0p~n", [M, lists:sort(M:module_info(nifs))]) || M <- [erl_tracer, lists, ?MODULE]].

processes(Trace, D) ->
    Trace(nothing, true, [send, {tracer, erl_tracer, []}]),
    Trace(atom, true, [send, {tracer, erl_tracer, st}]),
    Trace(tuple, true, [send, {tracer, erl_tracer, {self(), 1}}]),
    Trace(dead, true, [send, {tracer, erl_tracer, D}]),
    Trace(me, true, [send, {tracer, erl_tracer, self()}]),
    Trace(off, false, [send, {tracer, erl_tracer, self()}]),
    Trace(last, true, [send, {tracer, self()}, {tracer, erl_tracer, self()}]),
    Trace(off, false, [all]),
    Trace(erlang, true, [send, {tracer, ?MODULE, x}]),
    Trace(erlang_off, false, [send, {tracer, ?MODULE, x}]),
    Trace(library, true, [send, {tracer, lists, x}]),
    Trace(no_atom, true, [send, {tracer, 3, x}]),
    Trace(two, true, [send, {tracer, self()}, {tracer, ?MODULE, x}]),
    Trace(no_module, true, [send, {tracer, tracer_modules_no, x}]),
    Trace(no_module_off, false, [send, {tracer, tracer_modules_no, x}]),
    Trace(bad_flag, true, [send, bad, {tracer, ?MODULE, x}]),
    Trace(bad_on, foo, [send, {tracer, ?MODULE, x}]),
    Trace(improper, true, [send, {tracer, ?MODULE, x} | foo]),
    show(new, fun() -> erlang:trace(new, true, [send, {tracer, ?MODULE, x}]) end),
    show(new_nobody, fun() -> {erlang:trace(new, true, [send, {tracer, erl_tracer, x}]), erlang:trace_info(new, tracer), erlang:trace_info(new, flags)} end),
    show(wrong, fun() -> erlang:trace(foo, true, [send, {tracer, ?MODULE, x}]) end).

heard(P) ->
    1 = erlang:trace(P, true, [send, 'receive', {tracer, erl_tracer, self()}]),
    P ! {hi, self()}, receive hi -> ok end,
    R = erlang:trace_delivered(P), receive {trace_delivered, P, R} -> ok end,
    io:format("~0p~n", [[receive T when element(2, T) =:= P -> {element(1, T), element(3, T), tuple_size(T)} end || _ <- [1, 2]]]),
    1 = erlang:trace(P, false, [all]).

functions(Who, D) ->
    F = {lists, seq, 2},
    [show(T, fun() -> N = erlang:trace_pattern(F, true, [M]), {meta, X} = erlang:trace_info(F, meta), {N, Who(X)} end)
     || {T, M} <- [{me, {meta, erl_tracer, self()}}, {nobody, {meta, erl_tracer, []}}, {dead, {meta, erl_tracer, D}}, {erlang, {meta, ?MODULE, []}},
                   {none, {meta, tracer_modules_no, []}}, {no_atom, {meta, 3, []}}, {more, {meta, erl_tracer, [], []}}, {less, {meta}}]],
    erlang:trace_pattern(F, true, [{meta, erl_tracer, self()}]),
    lists:seq(1, 2),
    io:format("~0p~n", [receive {trace_ts, Me, call, What, _} when Me =:= self() -> What after 0 -> nothing end]),
    erlang:trace_pattern(F, false, [meta]).

sequential(Who) ->
    Old = fun(X) -> Who(X) end,
    [show(T, fun() -> {Old(seq_trace:set_system_tracer(X)), Who(seq_trace:get_system_tracer())} end)
     || {T, X} <- [{me, {erl_tracer, self()}}, {nobody, {erl_tracer, []}}, {atom, {erl_tracer, foo}}, {erlang, {?MODULE, foo}}, {none, {tracer_modules_no, x}}, {off, false}]].

%% Called as any function.
called(P, D) ->
    Me = self(),
    [show({enabled, T}, fun() -> [erl_tracer:enabled(T, X, Y) || X <- [Me, P, D, foo, [], 1], Y <- [Me, P, undefined, foo]] end)
     || T <- [call, send, trace_status, seq_trace, foo, 1]],
    Stamped = fun(M) -> case element(1, M) of trace_ts -> setelement(tuple_size(M), M, stamp(element(tuple_size(M), M))); _ -> M end end,
    [begin
        R = erl_tracer:trace(T, Me, tracee, m, O),
        M = receive X -> X after 0 -> none end,
        io:format("~0p ~0p: ~0p ~0p~n", [T, lists:sort(if is_map(O) -> maps:keys(O); true -> [O] end), R, if M =:= none -> M; T =:= seq_trace, is_map_key(timestamp, O) -> {element(1, M), tuple_size(M)}; true -> Stamped(M) end])
     end || T <- [send, seq_trace, foo, 1],
            O <- [#{}, #{extra => e}, #{match_spec_result => r}, #{scheduler_id => 7}, #{extra => e, match_spec_result => r, scheduler_id => 7}, #{foo => x}, [], foo, #{timestamp => foo}]
                 ++ [#{timestamp => S} || S <- [monotonic, strict_monotonic, timestamp]]
                 ++ [#{timestamp => monotonic, extra => e, scheduler_id => 0}, #{timestamp => monotonic, match_spec_result => true}]],
    [io:format("~0p~n", [{erl_tracer:trace(send, T, P, m, #{}), receive X -> X after 0 -> none end}]) || T <- [foo, D, []]].
stamp(T) when is_integer(T) -> integer;
stamp(T) when is_tuple(T) -> tuple_size(T).
