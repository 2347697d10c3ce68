%% Trace sessions (OTP 27): several at once, each with its own tracer, flags and patterns.
-module(trace_sessions).
-compile(nowarn_deprecated_catch).
-export([main/0, main/1, keep/1, f/1, g/1, h/1, timed/1, loop/0]).

f(X) -> X + 1.
g(X) -> h(X) + 1.
h(X) -> X * 2.
timed(0) -> ok;
timed(N) -> timed(N - 1).

main() -> main([]).
main(_) ->
    calls(),
    levels(),
    returns(),
    counters(),
    messages(),
    spawning(),
    infos(),
    destroyed(),
    errors(),
    meta(),
    actions(),
    loaded(),
    beside_default(),
    io:format("done~n").

%% --- helpers
loop() ->
    receive
        {call, From, M, F, A} -> From ! {self(), catch apply(M, F, A)}, loop();
        {run, From, Fun} -> From ! {self(), Fun()}, loop();
        stop -> ok;
        _ -> loop()
    end.
tracee() -> spawn_link(fun loop/0).
run(P, Fun) -> P ! {run, self(), Fun}, receive {P, R} -> R end.
call(P, F, A) -> P ! {call, self(), ?MODULE, F, A}, receive {P, R} -> R end.
stop(P) -> unlink(P), R = monitor(process, P), P ! stop, receive {'DOWN', R, _, _, _} -> ok end.

anonymous([{a_ref, {errors, _}} | T]) -> [session | T];
anonymous(L) -> L.

%% A session whose reference nobody has any more is destroyed.
keep(_) -> ok.

%% A tracer that gives what it got.
tracer() -> spawn_link(fun() -> collect([]) end).
collect(Acc) ->
    receive
        {got, From} -> From ! {self(), lists:reverse(Acc)}, collect([]);
        M -> collect([M | Acc])
    end.
got(T) ->
    R = erlang:trace_delivered(all),
    receive {trace_delivered, all, R} -> ok end,
    T ! {got, self()},
    receive {T, L} -> L end.
show(Name, T, Known) -> io:format("~p: ~p~n", [Name, [norm(M, Known) || M <- got(T)]]).
norm(P, Known) when is_pid(P) -> proplists:get_value(P, Known, case P =:= self() of true -> main; false -> other end);
norm(F, _) when is_function(F) -> a_fun;
norm(R, _) when is_reference(R) -> a_ref;
norm(P, _) when is_port(P) -> a_port;
norm(T, K) when is_tuple(T) -> list_to_tuple([norm(E, K) || E <- tuple_to_list(T)]);
norm([H | T], K) -> [norm(H, K) | norm(T, K)];
norm(T, _) -> T.

%% --- calls: two sessions, other functions, other processes
calls() ->
    T1 = tracer(), T2 = tracer(), P = tracee(), Q = tracee(),
    S1 = trace:session_create(one, T1, []),
    S2 = trace:session_create(two, T2, []),
    io:format("~p~n", [[trace:process(S1, P, true, [call]), trace:process(S2, P, true, [call, arity]), trace:process(S2, Q, true, [call])]]),
    io:format("~p~n", [[trace:function(S1, {?MODULE, f, 1}, true, []), trace:function(S2, {?MODULE, f, '_'}, true, [local]),
                        trace:function(S2, {?MODULE, h, 1}, true, [local])]]),
    call(P, f, [1]), call(P, g, [1]), call(Q, f, [2]), call(Q, g, [3]),
    show(one, T1, [{P, p}, {Q, q}]),
    show(two, T2, [{P, p}, {Q, q}]),
    io:format("~p~n", [[trace:function(S1, {?MODULE, f, 1}, false, [])]]),
    call(P, f, [5]),
    show(one, T1, [{P, p}, {Q, q}]),
    show(two, T2, [{P, p}, {Q, q}]),
    io:format("~p~n", [trace:process(S2, P, false, [call])]),
    call(P, f, [6]), call(Q, f, [7]),
    show(two, T2, [{P, p}, {Q, q}]),
    io:format("~p~n", [[trace:session_destroy(S) || S <- [S1, S2, S1]]]),
    call(P, f, [8]), call(Q, f, [8]),
    show(one, T1, []), show(two, T2, []),
    stop(P), stop(Q).

%% global in one, local in the other, of the same function
levels() ->
    T1 = tracer(), T2 = tracer(), P = tracee(),
    S1 = trace:session_create(one, T1, []),
    S2 = trace:session_create(two, T2, []),
    [trace:process(S, P, true, [call]) || S <- [S1, S2]],
    trace:function(S1, {?MODULE, h, 1}, true, [global]),
    trace:function(S2, {?MODULE, h, 1}, true, [local]),
    call(P, h, [1]), call(P, g, [1]),
    show(global, T1, [{P, p}]), show(local, T2, [{P, p}]),
    io:format("~p~n", [[trace:info(S, {?MODULE, h, 1}, traced) || S <- [S1, S2]]]),
    [trace:session_destroy(S) || S <- [S1, S2]],
    stop(P).

returns() ->
    T1 = tracer(), T2 = tracer(), P = tracee(),
    S1 = trace:session_create(one, T1, []),
    S2 = trace:session_create(two, T2, []),
    trace:process(S1, P, true, [call, return_to]), trace:process(S2, P, true, [call]),
    trace:function(S1, {?MODULE, h, 1}, [{'_', [], [{return_trace}]}], [local]),
    trace:function(S2, {?MODULE, h, 1}, [{[3], [], [{exception_trace}, {message, {{hej}}}]}], [local]),
    trace:function(S2, {?MODULE, g, 1}, [{'_', [], [{return_trace}]}], [local]),
    call(P, g, [1]), call(P, g, [3]), call(P, h, [3]),
    trace:process(S1, P, false, [return_to]),
    call(P, g, [a]),
    show(one, T1, [{P, p}]), show(two, T2, [{P, p}]),
    io:format("~p~n", [[trace:info(S, {?MODULE, h, 1}, match_spec) || S <- [S1, S2]]]),
    [trace:session_destroy(S) || S <- [S1, S2]],
    call(P, g, [1]),
    show(one, T1, [{P, p}]), show(two, T2, [{P, p}]),
    stop(P).

counters() ->
    T = tracer(), P = tracee(), Q = tracee(),
    S1 = trace:session_create(one, T, []),
    S2 = trace:session_create(two, T, []),
    trace:function(S1, {?MODULE, timed, 1}, true, [call_count]),
    call(P, timed, [10]),
    trace:function(S2, {?MODULE, timed, 1}, true, [call_count]),
    call(P, timed, [20]),
    io:format("~p~n", [[trace:info(S, {?MODULE, timed, 1}, call_count) || S <- [S1, S2]]]),
    trace:function(S1, {?MODULE, timed, 1}, pause, [call_count]),
    trace:function(S2, {?MODULE, timed, 1}, restart, [call_count]),
    call(P, timed, [5]),
    io:format("~p~n", [[trace:info(S, {?MODULE, timed, 1}, call_count) || S <- [S1, S2]]]),
    trace:process(S1, P, true, [call]), trace:process(S2, Q, true, [call]),
    [trace:function(S, {?MODULE, timed, 1}, true, [call_time]) || S <- [S1, S2]],
    call(P, timed, [3]), call(Q, timed, [7]),
    [begin {call_time, L} = trace:info(S, {?MODULE, timed, 1}, call_time),
           io:format("~p~n", [[{norm(W, [{P, p}, {Q, q}]), N} || {W, N, _, _} <- L]]) end || S <- [S1, S2]],
    [trace:session_destroy(S) || S <- [S1, S2]],
    stop(P), stop(Q).

messages() ->
    T1 = tracer(), T2 = tracer(), P = tracee(), Q = tracee(),
    Known = [{P, p}, {Q, q}],
    S1 = trace:session_create(one, T1, []),
    S2 = trace:session_create(two, T2, []),
    trace:process(S1, P, true, [send]), trace:process(S2, P, true, ['receive']), trace:process(S2, Q, true, ['receive', send]),
    io:format("~p~n", [trace:send(S2, [{['_', '$1'], [{'=:=', '$1', hej}], []}], [])]),
    run(P, fun() -> Q ! hej, Q ! {ok, 1}, ok end),
    run(Q, fun() -> P ! hej, ok end),
    show(one, T1, Known), show(two, T2, Known),
    io:format("~p~n", [[trace:info(S, send, match_spec) || S <- [S1, S2]]]),
    trace:recv(S2, false, []),
    run(P, fun() -> Q ! hej2, ok end),
    show(one, T1, Known), show(two, T2, Known),
    io:format("~p~n", [[trace:info(S, 'receive', match_spec) || S <- [S1, S2]]]),
    [trace:session_destroy(S) || S <- [S1, S2]],
    stop(P), stop(Q).

spawning() ->
    T1 = tracer(), T2 = tracer(), P = tracee(),
    S1 = trace:session_create(one, T1, []),
    S2 = trace:session_create(two, T2, []),
    trace:process(S1, P, true, [procs, set_on_spawn]),
    trace:process(S2, P, true, [procs, set_on_first_spawn]),
    [C1, C2] = run(P, fun() -> [spawn(fun loop/0), spawn(fun loop/0)] end),
    io:format("~p~n", [[{trace:info(S, C, flags), norm(element(2, trace:info(S, C, tracer)), [{T1, t1}, {T2, t2}])} || S <- [S1, S2], C <- [C1, C2, P]]]),
    stop(C1), stop(C2),
    Known = [{P, p}, {C1, c1}, {C2, c2}],
    show(one, T1, Known), show(two, T2, Known),
    io:format("~p~n", [trace:process(S1, new, true, [procs])]),
    N = spawn(fun loop/0),
    io:format("~p~n", [{trace:info(S1, N, flags), trace:info(S2, N, flags), trace:info(S1, new, flags), trace:info(S2, new_processes, flags)}]),
    trace:process(S1, new, false, [all]),
    stop(N),
    [trace:session_destroy(S) || S <- [S1, S2]],
    stop(P).

infos() ->
    T = tracer(), P = tracee(),
    S = {_, Weak} = trace:session_create(info, T, []),
    io:format("~p ~p~n", [element(1, Weak), is_reference(element(1, S))]),
    trace:process(S, P, true, [call, timestamp, silent]),
    io:format("~p~n", [[trace:info(S, P, flags), trace:info(Weak, P, flags), trace:info(S, self(), flags), norm(trace:info(S, P, tracer), [{T, t}]),
                        trace:info(S, self(), tracer)]]),
    io:format("~p~n", [[norm(trace:session_info(X), []) =:= [norm(Weak, [])] || X <- [P, self(), {?MODULE, f, 1}]]]),
    trace:function(S, {?MODULE, f, 1}, true, [local, call_count]),
    io:format("~p~n", [[trace:info(S, {?MODULE, f, 1}, I) || I <- [traced, match_spec, meta_match_spec, call_count, call_time, all]]]),
    io:format("~p~n", [[trace:info(S, {?MODULE, nonesuch, 1}, I) || I <- [traced, all]]]),
    io:format("~p~n", [[trace:info(S, {?MODULE, g, 1}, I) || I <- [traced, all]]]),
    io:format("~p~n", [trace:session_info({?MODULE, f, 1}) =:= [Weak]]),
    io:format("~p~n", [[trace:session_info(X) || X <- [{?MODULE, g, 1}, {?MODULE, nonesuch, 1}, self(), new, on_load, new_ports]]]),
    io:format("~p~n", [lists:member(Weak, trace:session_info(all))]),
    io:format("~p~n", [trace:session_destroy(Weak)]),
    keep(S),
    io:format("~p~n", [lists:member(Weak, trace:session_info(all))]),
    stop(P).

destroyed() ->
    T = tracer(), P = tracee(),
    S = trace:session_create(gone, T, []),
    trace:process(S, P, true, [call]), trace:function(S, {?MODULE, f, 1}, true, [local]),
    io:format("~p~n", [trace:session_destroy(S)]),
    [io:format("~p~n", [catch F()]) ||
        F <- [fun() -> trace:session_destroy(S) end,
              fun() -> {'EXIT', {R, _}} = (catch trace:process(S, P, true, [call])), R end,
              fun() -> {'EXIT', {R, _}} = (catch trace:info(S, P, flags)), R end,
              fun() -> {'EXIT', {R, _}} = (catch trace:function(S, {?MODULE, f, 1}, true, [])), R end]],
    %% a tracer that ends
    T2 = spawn(fun loop/0),
    S2 = trace:session_create(dead, T2, []),
    trace:process(S2, P, true, [call]),
    stop(T2),
    call(P, f, [1]),
    io:format("~p~n", [{trace:info(S2, P, flags), trace:info(S2, P, tracer)}]),
    trace:session_destroy(S2),
    stop(P).

errors() ->
    T = tracer(),
    S = trace:session_create(errors, T, []),
    Dead = spawn(fun() -> ok end), timer:sleep(10),
    [begin
         {'EXIT', {R, [{M, F, A, I} | _]}} = (catch apply(Mod, Fun, Args)),
         io:format("~0p ~0p: ~0p ~0p ~0p~n", [Fun, anonymous(norm(Args, [])), R, {M, F, if is_list(A) -> length(A); true -> A end}, proplists:get_value(error_info, I)])
     end || {Mod, Fun, Args} <- [
        {trace, session_create, ["x", T, []]}, {trace, session_create, [x, y, []]}, {trace, session_create, [x, T, [a]]}, {trace, session_create, [x, T, a]},
        {trace, session_create, [x, {nomodule, 1}, []]},
        {trace, session_destroy, [x]}, {trace, session_destroy, [make_ref()]}, {trace, session_destroy, [{a, b, c}]},
        {trace, process, [x, self(), true, []]}, {trace, process, [S, x, true, []]}, {trace, process, [S, self(), x, []]}, {trace, process, [S, self(), true, [x]]},
        {trace, process, [S, self(), true, x]}, {trace, process, [S, Dead, true, [call]]}, {trace, process, [S, self(), true, [{tracer, self()}]]},
        {trace, function, [S, x, true, []]}, {trace, function, [S, {a, b, 1}, x, []]}, {trace, function, [S, {a, b, 1}, true, [x]]},
        {trace, function, [S, {'_', b, 1}, true, []]}, {trace, function, [S, {a, b, 1}, true, [global, local]]},
        {trace, info, [S, x, flags]}, {trace, info, [S, self(), x]}, {trace, info, [x, self(), flags]},
        {trace, session_info, [x]}, {trace, send, [S, x, []]}, {trace, recv, [S, [x], []]},
        {erts_internal, trace_session_create, [x, T, [a]]}, {erts_internal, trace, [S, x, true, []]}, {erts_internal, trace_info, [S, x, y]}]],
    trace:session_destroy(S).

meta() ->
    T = tracer(), T2 = tracer(), P = tracee(),
    S = trace:session_create(meta, T, []),
    io:format("~p~n", [catch trace:function(S, {?MODULE, f, 1}, true, [meta])]),
    io:format("~p~n", [norm(trace:info(S, {?MODULE, f, 1}, meta), [{T, t}])]),
    call(P, f, [1]),
    [io:format("~p~n", [setelement(tuple_size(M), norm(M, [{P, p}]), ts)]) || M <- got(T)],
    {'EXIT', {R, _}} = (catch trace:function(S, {?MODULE, f, 1}, [{'_', [], [{return_trace}]}], [{meta, T2}])),
    io:format("~p~n", [R]),
    io:format("~p~n", [norm(trace:info(S, {?MODULE, f, 1}, meta), [{T, t}, {T2, t2}])]),
    call(P, f, [1]),
    [io:format("~p~n", [[setelement(tuple_size(M), norm(M, [{P, p}]), ts) || M <- got(X)]]) || X <- [T, T2]],
    trace:session_destroy(S),
    stop(P).

%% what a match specification does is of its session
actions() ->
    T1 = tracer(), T2 = tracer(), P = tracee(),
    S1 = trace:session_create(one, T1, []),
    S2 = trace:session_create(two, T2, []),
    trace:process(S1, P, true, [call]), trace:process(S2, P, true, [call]),
    trace:function(S1, {?MODULE, f, 1}, [{[1], [], [{enable_trace, arity}]}, {[2], [], [{disable_trace, arity}]}, {[3], [], [{silent, true}]},
                                         {[4], [], [{trace, [call], []}]}], [local]),
    trace:function(S2, {?MODULE, f, 1}, true, [local]),
    [call(P, f, [N]) || N <- [0, 1, 1, 2, 2, 3, 0, 4]],
    show(one, T1, [{P, p}]), show(two, T2, [{P, p}]),
    io:format("~p~n", [[trace:info(S, P, flags) || S <- [S1, S2]]]),
    [trace:session_destroy(S) || S <- [S1, S2]],
    stop(P).

%% on_load, and a new version of a module
loaded() ->
    T = tracer(), P = tracee(),
    S = trace:session_create(one, T, []),
    trace:process(S, P, true, [call]),
    io:format("~p~n", [trace:function(S, on_load, true, [local])]),
    io:format("~p~n", [[trace:info(S, on_load, I) || I <- [traced, all]]]),
    {ok, trace_loaded, Code} = compile:forms([{attribute, 1, module, trace_loaded}, {attribute, 1, export, [{f, 0}]},
        {function, 1, f, 0, [{clause, 1, [], [], [{atom, 1, x}]}]}]),
    {module, _} = code:load_binary(trace_loaded, "x", Code),
    run(P, fun() -> trace_loaded:f() end),
    show(one, T, [{P, p}]),
    trace:function(S, on_load, false, [local]),
    {module, _} = code:load_binary(trace_loaded, "x", Code),
    run(P, fun() -> trace_loaded:f() end),
    show(one, T, [{P, p}]),
    trace:session_destroy(S),
    code:purge(trace_loaded), code:delete(trace_loaded), code:purge(trace_loaded),
    stop(P).

beside_default() ->
    T1 = tracer(), T2 = tracer(), P = tracee(),
    S = trace:session_create(one, T1, []),
    erlang:trace(P, true, [call, arity, {tracer, T2}]),
    erlang:trace_pattern({?MODULE, f, 1}, true, [local]),
    trace:process(S, P, true, [call, procs]),
    trace:function(S, {?MODULE, f, 1}, true, [local]), trace:function(S, {?MODULE, h, 1}, true, [local]),
    call(P, f, [1]), call(P, g, [1]),
    run(P, fun() -> register(a_name, self()), unregister(a_name) end),
    show(session, T1, [{P, p}]), show(default, T2, [{P, p}]),
    io:format("~p~n", [[erlang:trace_info(P, flags), norm(erlang:trace_info(P, tracer), [{T2, t2}]), erlang:trace_info({?MODULE, h, 1}, traced),
                        erlang:trace_info({?MODULE, f, 1}, traced), trace:info(S, P, flags)]]),
    io:format("~p~n", [length(trace:session_info(P))]),
    trace:session_destroy(S),
    call(P, f, [1]),
    show(session, T1, [{P, p}]), show(default, T2, [{P, p}]),
    erlang:trace_pattern({?MODULE, f, 1}, false, [local]),
    io:format("~p~n", [[erlang:trace_info(P, flags), trace:session_info({?MODULE, f, 1})]]),
    erlang:trace(P, false, [all]),
    stop(P).
