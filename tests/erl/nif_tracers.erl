%% Tracer modules of native functions: what they are asked and told, and what their answers lead to.
%% The modules are made here, so that they can be deleted and come back.
%% erl itself dies of return_to with such a module, and of `meta` with one that has enabled_call.
-module(nif_tracers).
-export([main/1, f/1, g/1, fails/1]).

f(X) -> X.
g(X) -> f(X) + 1.
fails(X) -> error({bad, X}).

directory() -> os:getenv("WB_NIFS", "build/release/nif").

%% A module whose functions are all in the library of its name.
module(Name, Functions) ->
    Calls = [{function, 1, F, A, [{clause, 1, [{var, 1, '_'} || _ <- lists:seq(1, A)], [], [{call, 1, {remote, 1, {atom, 1, erlang}, {atom, 1, nif_error}}, [{atom, 1, no}]}]}]} || {F, A} <- Functions],
    Load = {function, 1, load, 0, [{clause, 1, [], [], [{call, 1, {remote, 1, {atom, 1, erlang}, {atom, 1, load_nif}}, [{string, 1, directory() ++ "/" ++ atom_to_list(Name)}, {integer, 1, 0}]}]}]},
    {ok, Name, Beam} = compile:forms([{attribute, 1, module, Name}, {attribute, 1, export, [{load, 0} | Functions]}, {attribute, 1, on_load, {load, 0}}, Load | Calls]),
    {Name, Beam}.

main(_) ->
    Plain = [{enabled, 3}, {trace, 5}],
    All = Plain ++ [{list_to_atom(P ++ K), A} || {P, A} <- [{"enabled_", 3}, {"trace_", 5}], K <- ["call", "procs", "send", "receive", "ports", "running_ports", "running_procs", "garbage_collection"]],
    {_, Beam} = module(nif_tracer, Plain), {_, BeamAll} = module(nif_tracer_all, All),
    load(nif_tracer, Beam), load(nif_tracer_all, BeamAll),
    [begin
         io:format("~n~p~n", [M]),
         events(M), stamps(M), calls(M), answers(M)
     end || M <- [nif_tracer, nif_tracer_all]],
    meta(nif_tracer),
    sequential(), given(), gone(Beam), many().

load(M, Beam) -> {module, M} = code:load_binary(M, "nowhere", Beam).

%% A process that does what it is asked to.
worker() -> idle(spawn_link(fun Loop() -> receive {do, F, From} -> F(), From ! done, Loop() end end)).
%% Its first call is over.
idle(P) -> case process_info(P, status) of {status, waiting} -> P; _ -> erlang:yield(), idle(P) end.
do(P, F) -> P ! {do, F, self()}, receive done -> ok end.

%% What the tracer was told meanwhile; pids and times replaced. How often it is asked whether it is still there is erl's own affair.
heard(P) ->
    R = erlang:trace_delivered(P), receive {trace_delivered, P, R} -> ok end,
    heard(P, []).
heard(P, L) -> receive M when is_tuple(M), is_integer(element(2, M)) -> heard(P, [M || element(3, M) =/= trace_status] ++ L) after 0 -> [plain(P, M) || M <- lists:reverse(L)] end.
plain(P, T) when is_tuple(T) -> list_to_tuple([plain(P, X) || X <- tuple_to_list(T)]);
plain(P, [H | T]) -> [plain(P, H) | plain(P, T)];
plain(P, M) when is_map(M) -> maps:map(fun(scheduler_id, N) when is_integer(N) -> number; (_, X) -> plain(P, X) end, M);
plain(P, P) -> worker;
plain(_, X) when X =:= self() -> me;
plain(_, X) when is_pid(X) -> other;
plain(_, X) when is_reference(X) -> reference;
plain(_, X) when is_function(X) -> function;
plain(_, X) -> X.
show(Name, X) -> io:format("~p~n   ~0p~n", [Name, X]).

trace(P, M, State, Flags) -> erlang:trace(P, true, Flags ++ [{tracer, M, State}]).

%% What is told of garbage collections and of running is not the same twice.
events(M) ->
    S = {self(), #{other => trace}, state},
    Did = fun(Name, Flags, F) -> P = worker(), erlang:trace(P, true, Flags ++ [{tracer, M, S}]), do(P, F), show({M, Name}, heard(P)), erlang:trace(P, false, [all]), heard(P) end,
    Did(send, [send], fun() -> self() ! a, (catch nobody ! b) end),
    Did(send_to_nobody, [send], fun() -> {X, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> ok end, X ! c end),
    Did('receive', ['receive'], fun() -> self() ! a, receive a -> ok end, receive z -> ok after 1 -> ok end end),
    Did(procs, [procs], fun() -> X = spawn_link(fun() -> receive _ -> ok end end), unlink(X), link(X), register(nif_traced, self()), unregister(nif_traced), unlink(X), X ! end_ end),
    Kinds = fun(Flags, F) -> P = worker(), erlang:trace(P, true, Flags ++ [{tracer, M, S}]), do(P, F), erlang:trace(P, false, [all]), lists:usort([{element(1, X), element(3, X), element(tuple_size(X), X)} || X <- heard(P)]) end,
    show(running, Kinds([running], fun() -> receive after 5 -> ok end end)),
    show(collections, Kinds([garbage_collection], fun() -> erlang:garbage_collect() end)),
    P = spawn(fun() -> receive _ -> exit(bye) end end), trace(P, M, S, [procs]), R = monitor(process, P), P ! go, receive {'DOWN', R, _, _, _} -> ok end,
    show(exit, heard(P)).

stamps(M) ->
    S = {self(), #{other => trace}, state},
    [begin P = worker(), trace(P, M, S, [send, scheduler_id | F]), do(P, fun() -> self() ! a end), show({stamp, F}, heard(P)) end || F <- [[], [timestamp], [monotonic_timestamp], [strict_monotonic_timestamp], [timestamp, monotonic_timestamp]]].

calls(M) ->
    Did = fun(Name, Answers, Spec, Options, Flags) ->
        P = worker(), erlang:trace_pattern({?MODULE, '_', '_'}, Spec, Options), trace(P, M, {self(), Answers, s}, [call | Flags]),
        do(P, fun() -> ?MODULE:g(1), catch ?MODULE:fails(2), ok end), show({Name, Answers, Flags}, [X || X <- heard(P), not other(X)]), erlang:trace(P, false, [all]), erlang:trace_pattern({?MODULE, '_', '_'}, false, Options) end,
    [begin
         Did(global, A, true, [], []), Did(local, A, true, [local], []), Did(arity, A, true, [local], [arity]), Did(returns, A, [{'_', [], [{return_trace}]}], [local], []),
         Did(exceptions, A, [{'_', [], [{exception_trace}, {message, {{self}}}]}], [local], []), Did(message_false, A, [{'_', [], [{message, false}, {return_trace}]}], [local], [])
     end || A <- [#{other => trace}, #{call => trace}, #{call => discard, other => trace}, #{call => trace, return_from => discard, return_to => discard, exception_from => discard, other => trace}]].
%% Of funs of this module.
other(X) -> case element(5, erlang:append_element(erlang:append_element(X, x), x)) of {?MODULE, F, _} -> not lists:member(F, [f, g, fails]); _ -> false end.

meta(M) ->
    Did = fun(Answers, Spec) ->
        S = {self(), Answers, meta}, N = erlang:trace_pattern({?MODULE, f, 1}, Spec, [{meta, M, S}]), {meta, T} = erlang:trace_info({?MODULE, f, 1}, meta),
        P = worker(), do(P, fun() -> ?MODULE:f(5) end), show({meta, Answers}, {N, T =:= {M, S}, heard(P)}), {meta, After} = erlang:trace_info({?MODULE, f, 1}, meta), show(meta_after, After =:= {M, S}), erlang:trace_pattern({?MODULE, f, 1}, false, [meta]) end,
    [Did(A, Sp) || A <- [#{other => trace}, #{trace_status => discard, call => trace}, #{call => discard}], Sp <- [true, [{'_', [], [{return_trace}]}]]].

answers(M) ->
    Did = fun(Answers) ->
        S = {self(), Answers, s}, P = worker(), N = trace(P, M, S, [send]), heard(P), do(P, fun() -> self() ! a, self() ! b end), H = heard(P),
        I = [erlang:trace_info(P, W) || W <- [flags, tracer]], show({answers, Answers}, {N, H, [{K, if V =:= {M, S} -> it; true -> V end} || {K, V} <- I]}), heard(P),
        Again = (catch trace(P, M, {self(), #{other => trace}, second}, [send])), show(second, {case Again of {'EXIT', {W, _}} -> W; _ -> Again end}) end,
    [Did(A) || A <- [#{send => trace}, #{send => discard}, #{send => remove}, #{send => nonsense}, #{send => 5}, #{trace_status => remove, send => trace}, #{trace_status => trace, send => trace}]].

given() ->
    Try = fun(Name, F) -> show(Name, try F() catch C:R -> {C, R} end) end,
    P = worker(),
    Try(no_module, fun() -> trace(P, no_such_module_here, x, [send]) end),
    Try(erlang_module, fun() -> trace(P, lists, x, [send]) end),
    Try(any_state, fun() -> [begin N = trace(worker(), nif_tracer, S, [send]), N end || S <- [[], x, 1.5, {}, #{a => b}, <<"state">>, self()]] end),
    Try(same_state_again, fun() -> Q = worker(), {trace(Q, nif_tracer, {x, [1, 2]}, [send]), trace(Q, nif_tracer, {x, [1, 2]}, ['receive']), erlang:trace_info(Q, flags), try trace(Q, nif_tracer, {x, [1, 3]}, [call]) catch C:W -> {C, W} end} end),
    Try(off, fun() -> Q = worker(), trace(Q, nif_tracer, x, [send]), {erlang:trace(Q, false, [all, {tracer, nif_tracer, y}]), erlang:trace_info(Q, flags)} end),
    Try(new, fun() -> erlang:trace(new, true, [send, {tracer, nif_tracer, x}]), I = {erlang:trace_info(new, tracer), erlang:trace_info(new, flags)}, erlang:trace(new, false, [all]), {I, erlang:trace_info(new, tracer)} end),
    Try(inherited, fun() -> Q = worker(), S = {self(), #{send => trace}, x}, trace(Q, nif_tracer, S, [send, set_on_spawn]), Me = self(), do(Q, fun() -> spawn(fun() -> Me ! {child, self()}, receive x -> ok end end) end), receive {child, C} -> {erlang:trace_info(C, tracer) =:= {tracer, {nif_tracer, S}}, erlang:trace_info(C, flags)} end end),
    heard(P),
    Try(by_specification, fun() -> S = {self(), #{other => trace}, x}, erlang:trace_pattern({?MODULE, f, 1}, [{'_', [], [{trace, [], [send, {{tracer, nif_tracer, {const, S}}}]}]}], [local]), Q = worker(), erlang:trace(Q, true, [call]), do(Q, fun() -> ?MODULE:f(1) end), I = erlang:trace_info(Q, flags), erlang:trace_pattern({?MODULE, f, 1}, false, [local]), I end),
    receive_all().

%% The tracer of sequential tracing.
sequential() ->
    Set = fun(T) -> try seq_trace:set_system_tracer(T) catch C:R -> {C, R} end end,
    show(none, [Set({lists, x}), Set({3, x}), Set({no_such_module_here, x})]),
    [begin
         S = {nif_tracer, {self(), A, s}}, show(before, Set(S)), show(is, {seq_trace:get_system_tracer() =:= S, erlang:system_info(sequential_tracer) =:= {sequential_tracer, S}}),
         {_, R} = spawn_monitor(fun() -> seq_trace:set_token(label, {a, "label"}), [seq_trace:set_token(F, true) || F <- [print, send, 'receive' | Fs]], seq_trace:print("text"), self() ! hello, receive hello -> ok end, seq_trace:set_token([]) end),
         receive {'DOWN', R, _, _, _} -> ok end, timer:sleep(20),
         show({sequential, A, Fs}, [case X of {trace, 3, T, L, {K, _, _, _, What}, O} -> {T, L, K, What, maps:keys(O)}; {E, 3, T, L} -> {E, T, L} end || X <- once(heard(self()))]),
         show(after_, seq_trace:get_system_tracer() =:= S), Set(false)
     end || A <- [#{seq_trace => trace}, #{seq_trace => discard}, #{}], Fs <- [[], [timestamp], [monotonic_timestamp]]],
    show(off, seq_trace:get_system_tracer()).

%% erl asks twice about some events.
once([{E, 3, T, L}, {E, 3, T, L} | M]) -> once([{E, 3, T, L} | M]);
once([X | M]) -> [X | once(M)];
once([]) -> [].

%% The module goes: tracing ends at the next event; it comes back.
gone(Beam) ->
    P = worker(), S = {self(), #{other => trace}, s},
    trace(P, nif_tracer, S, [send]), do(P, fun() -> self() ! a end), show(there, heard(P)),
    code:purge(nif_tracer), code:delete(nif_tracer), code:purge(nif_tracer),
    do(P, fun() -> self() ! b end), show(gone, {heard(P), erlang:trace_info(P, flags), erlang:trace_info(P, tracer)}),
    load(nif_tracer, Beam),
    do(P, fun() -> self() ! c end), show(back, heard(P)),
    trace(P, nif_tracer, S, [send]), do(P, fun() -> self() ! d end), show(again, heard(P)).

%% Many states: those that nobody has are forgotten.
many() ->
    Ps = [begin P = worker(), 1 = trace(P, nif_tracer, {self(), #{send => trace}, K}, [send]), P end || K <- lists:seq(1, 200)],
    [begin erlang:trace(P, false, [all]), 1 = trace(P, nif_tracer, {self(), #{send => trace}, K, R}, [send]) end || R <- lists:seq(1, 20), {K, P} <- lists:zip(lists:seq(1, 200), Ps)],
    show(many, lists:usort([begin {tracer, {nif_tracer, {_, _, N, 20}}} = erlang:trace_info(P, tracer), N =:= K end || {K, P} <- lists:zip(lists:seq(1, 200), Ps)])),
    receive_all(),
    [do(P, fun() -> self() ! a end) || P <- Ps],
    show(told, length(lists:append([[X || X <- heard(P), element(1, X) =:= trace] || P <- Ps]))).
receive_all() -> receive _ -> receive_all() after 0 -> ok end.
