%% Call tracing: local and global patterns, match specifications and their actions, returns,
%% exceptions, meta tracing, counters.
-module(tracing_calls).
-export([main/1, exported/1, wrap/1, fact/2, thrower/1, catcher/1, deep/1, tail1/1, tail2/1,
         bin/2, fib/1, bifs/1, call_undef/0, lots/10]).

main(_) ->
    %% Everything at once, there and back.
    true = is_integer(erlang:trace_pattern({'_', '_', '_'}, true, [local])),
    true = is_integer(erlang:trace_pattern({'_', '_', '_'}, false, [local])),
    Quick = ms([]),
    returns(Quick),
    arguments(),
    specifications(),
    switching(),
    meta(),
    counting(),
    information(),
    natively(),
    messages(),
    off(all).

ms(Body) -> [{'_', [], Body}].

do(P, F) ->
    P ! {do, self(), F},
    receive {P, R} -> R end.
start(Flags) ->
    off(all),
    P = traced_server:start(),
    put(p, P),
    1 = erlang:trace(P, true, Flags),
    P.
off(all) ->
    erlang:trace(all, false, [all]),
    [begin
         erlang:trace_pattern(F, false, [local, meta, call_count, call_time]),
         erlang:trace_pattern(F, false, [])
     end || F <- [{?MODULE, '_', '_'}, {erlang, phash2, '_'}, {erlang, error, 1}, {erlang, atom_to_list, 1},
                  {lists, reverse, 2}]].
pattern(MFA, Spec, Options) -> erlang:trace_pattern(MFA, Spec, Options).

show(What, F) ->
    P = get(p),
    R = do(P, F),
    Ref = erlang:trace_delivered(P),
    receive {trace_delivered, P, Ref} -> ok end,
    io:format("~s: ~p~n", [What, named(R)]),
    [io:format("    ~p~n", [named(M)]) || M <- all()].
all() ->
    receive M when element(1, M) =:= trace -> [M | all()];
            M when element(1, M) =:= trace_ts -> [setelement(tuple_size(M), M, time) | all()]
    after 0 -> []
    end.
named(T) when is_pid(T) -> case T =:= get(p) of true -> p; false -> case T =:= self() of true -> me; _ -> pid end end;
named(T) when is_reference(T) -> ref;
named(T) when is_function(T) -> function;
named(T) when is_tuple(T) -> list_to_tuple(named(tuple_to_list(T)));
named([H | T]) -> [named(H) | named(T)];
named(T) -> T.

%% --- what is called
wrap(X) -> exported(X).
exported(X) -> [X | local(X)].
local(X) -> [X | local2(X)].
local2(X) -> tail(X).
tail(X) -> [X, erlang:phash2(1, 1023)].
fact(0, A) -> A;
fact(N, A) -> fact(N - 1, N * A).
thrower(X) -> id(X), case X of exit -> exit(out); error -> error(wrong); badarg -> atom_to_list(id(1));
                         clause -> only(X); throw -> throw(ball) end.
only(none) -> ok.
catcher(X) -> try thrower(X) catch C:R -> {caught, C, R} end.
near(X) -> try erlang:error(X) catch C:R -> {C, R} end.
applied() -> apply(erlang, error, id([why])).
deep(0) -> thrower(error);
deep(N) -> [N | deep(N - 1)].
tail1(X) -> tail2(X).
tail2(X) -> id(X).
id(X) -> X.
bin(<<H, T/binary>>, A) -> bin(T, H + A);
bin(<<>>, A) -> A.
fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
bifs(X) -> L = atom_to_list(X), [list_to_atom(L) | lists:reverse(L, [])].
call_undef() -> ?MODULE:there_is_none(1).
lots(A, B, C, D, E, F, G, H, I, J) -> {A, B, C, D, E, F, G, H, I, J}.

returns(Quick) ->
    start([call]),
    N = pattern({?MODULE, '_', '_'}, Quick, [local]),
    true = N =:= pattern({?MODULE, '_', '_'}, Quick, [local]),
    show("local", fun() -> wrap(1) end),
    show("a fun", fun() -> (fun(X) -> X + 1 end)(3) end),
    show("apply", fun() -> apply(?MODULE, id(wrap), [2]) end),
    pattern({?MODULE, '_', '_'}, true, []),
    show("global", fun() -> ?MODULE:wrap(1) end),
    show("global, called locally", fun() -> wrap(1) end),
    start([call]),
    pattern({?MODULE, '_', '_'}, ms([{return_trace}]), [local]),
    pattern({erlang, phash2, '_'}, ms([{return_trace}]), [local]),
    show("return_trace", fun() -> wrap(1) end),
    start([call, return_to]),
    pattern({?MODULE, '_', '_'}, true, [local]),
    pattern({erlang, phash2, '_'}, true, [local]),
    show("return_to", fun() -> wrap(1) end),
    show("tail calls", fun() -> tail1(fact(3, 1)) end),
    pattern({?MODULE, '_', '_'}, ms([{return_trace}]), [local]),
    show("both", fun() -> wrap(1) end),
    show("exception without trace", fun() -> catcher(error) end),
    pattern({?MODULE, '_', '_'}, ms([{exception_trace}]), [local]),
    [show(io_lib:format("exception ~p", [W]), fun() -> catcher(W) end)
     || W <- [exit, error, badarg, clause, throw]],
    show("through many frames", fun() -> catch deep(3) end),
    start([call, return_to]),
    pattern({erlang, error, 1}, ms([{exception_trace}]), [local]),
    pattern({erlang, atom_to_list, 1}, ms([{exception_trace}]), [local]),
    show("a BIF that fails", fun() -> catcher(error) end),
    show("another", fun() -> catcher(badarg) end),
    show("one that returns to its handler's function", fun() -> near(id(why)) end),
    erlang:trace(get(p), false, [return_to]),
    show("one that is applied", fun() ->
        try applied() catch _:_:S -> [F || {?MODULE, F, _, _} <- lists:sublist(S, 1)] end
    end),
    P = start([call, procs]),
    pattern({?MODULE, thrower, 1}, ms([{exception_trace}]), [local]),
    logger:set_primary_config(level, none),
    R = monitor(process, P),
    exit(P, normal),
    erlang:trace(P, true, [set_on_spawn]),
    P ! {do, self(), fun() -> spawn_link(?MODULE, thrower, [throw]), receive after infinity -> ok end end},
    receive {'DOWN', R, _, _, _} -> ok end,
    io:format("~p~n", [[named(M) || M <- all(), element(3, M) =:= exception_from]]).

arguments() ->
    start([call, arity]),
    pattern({?MODULE, '_', '_'}, true, [local]),
    show("arity", fun() -> wrap(1) end),
    start([call]),
    pattern({?MODULE, bin, 2}, true, [local]),
    show("binaries", fun() -> bin(<<1, 2, 3>>, 0) end),
    pattern({?MODULE, lots, 10}, true, [local]),
    show("many", fun() -> lots(1, [2], {3}, "4", 5.0, <<6>>, #{7 => 8}, fun id/1, make_ref(), self()) end),
    start([call, timestamp]),
    pattern({?MODULE, id, 1}, true, [local]),
    show("timestamp", fun() -> id(1) end),
    start([call, silent]),
    pattern({?MODULE, id, 1}, true, [local]),
    show("silent", fun() -> id(1) end).

specifications() ->
    start([call]),
    Try = fun(Spec, F) -> 1 = pattern({?MODULE, lots, 10}, false, [local]),
                          1 = pattern({?MODULE, tail2, 1}, Spec, [local]),
                          show(io_lib:format("~p", [Spec]), F) end,
    F = fun() -> tail1(1), ?MODULE:tail2({a, [b]}) end,
    Try([{[1], [], []}], F),
    Try([{['$1'], [{is_integer, '$1'}], [{message, {{got, '$1'}}}]}], F),
    Try([{['$1'], [{is_integer, '$1'}], [{message, false}]}, {'_', [], [{message, true}]}], F),
    Try([{{'$1'}, [], [{message, '$_'}]}], F),
    Try([{'$1', [], [{message, '$$'}]}], F),
    Try([{'_', [], [{message, {caller}}]}], F),
    Try([{'_', [], [{message, {self}}]}], F),
    Try([{'_', [], [{message, {hd, 1}}]}], F),
    Try([{'_', [{get_tcw}], []}], F),
    erlang:system_flag(trace_control_word, 17),
    Try([{'_', [{'=:=', {get_tcw}, 17}], [{message, [{set_tcw, 18}, {get_tcw}]}]}], F),
    io:format("~p~n", [erlang:system_flag(trace_control_word, 0)]),
    Try([{[1], [], [{silent, true}, {message, a}]}, {'_', [], [{silent, false}, {message, b}]}], F),
    Try([{[1], [], [{enable_trace, arity}]}, {'_', [], [{disable_trace, arity}]}], F),
    Try([{[1], [], [{trace, [arity], [timestamp]}]}, {'_', [], [{message, {trace, [all], []}}]}], F),
    io:format("~p~n", [erlang:trace_info(get(p), flags)]).

switching() ->
    start([call]),
    {O, _} = spawn_monitor(fun traced_server:loop/0),
    pattern({?MODULE, id, 1}, [{['$1'], [{is_pid, '$1'}], [{message, {enable_trace, '$1', call}}]}, {'_', [], []}], [local]),
    show("another is switched on", fun() -> id(O) end),
    do(O, fun() -> id(now_traced) end),
    io:format("~p~n", [[named(M) || M <- all()]]),
    io:format("~p~n", [erlang:trace_info(O, flags)]),
    Me = self(),
    pattern({?MODULE, id, 1}, [{['$1'], [{is_pid, '$1'}], [{message, {trace, '$1', [call], [procs]}}]}], [local]),
    show("another is changed", fun() -> id(O) end),
    io:format("~p~n", [erlang:trace_info(O, flags)]),
    io:format("~p~n", [element(2, erlang:trace_info(O, tracer)) =:= Me]),
    exit(O, kill),
    receive {'DOWN', _, _, O, _} -> ok end,
    all(),
    %% Nobody traces the caller: the other one is not traced any more, either.
    {T, _} = spawn_monitor(fun traced_server:loop/0),
    1 = erlang:trace(T, true, [call, send]),
    erlang:trace(get(p), false, [all]),
    pattern({?MODULE, id, 1}, [{['$1'], [{is_pid, '$1'}], [{message, {trace, '$1', [call], []}}]}], [meta]),
    show("by one that is not traced", fun() -> id(T) end),
    io:format("~p~n", [erlang:trace_info(T, flags)]),
    %% A meta tracer that has ended is noticed by a call.
    {D, DR} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', DR, _, _, _} -> ok end,
    pattern({?MODULE, id, 1}, true, [{meta, D}]),
    io:format("~p~n", [named(erlang:trace_info({?MODULE, id, 1}, meta))]),
    do(get(p), fun() -> id(1) end),
    io:format("~p~n", [erlang:trace_info({?MODULE, id, 1}, meta)]).

meta() ->
    start([send]),
    erlang:trace(get(p), false, [all]),
    1 = pattern({?MODULE, id, 1}, ms([{return_trace}]), [meta]),
    show("meta", fun() -> tail1(1) end),
    1 = pattern({?MODULE, catcher, 1}, ms([{exception_trace}]), [{meta, self()}]),
    1 = pattern({?MODULE, thrower, 1}, ms([{exception_trace}]), [{meta, self()}]),
    show("meta exception", fun() -> catcher(exit) end),
    2 = pattern({erlang, phash2, '_'}, true, [meta]),
    show("meta bif", fun() -> wrap(a) end),
    %% Local and meta at once.
    erlang:trace(get(p), true, [call, return_to]),
    1 = pattern({?MODULE, id, 1}, true, [local]),
    show("meta and local", fun() -> tail1(1) end).

counting() ->
    start([call]),
    1 = pattern({?MODULE, fib, 1}, true, [call_count, call_time]),
    P = get(p),
    do(P, fun() -> fib(10) end),
    Count = fun() -> {call_count, C} = erlang:trace_info({?MODULE, fib, 1}, call_count), C end,
    Time = fun() -> case erlang:trace_info({?MODULE, fib, 1}, call_time) of
                        {call_time, [{P, N, _, _}]} -> N;
                        {call_time, Other} -> Other end end,
    io:format("~p ~p~n", [Count(), Time()]),
    pattern({?MODULE, fib, 1}, pause, [call_count]),
    do(P, fun() -> fib(5) end),
    io:format("~p ~p~n", [Count(), Time()]),
    pattern({?MODULE, fib, 1}, restart, [call_count, call_time]),
    io:format("~p ~p~n", [Count(), Time()]),
    do(P, fun() -> fib(7) end),
    pattern({?MODULE, fib, 1}, pause, [call_time]),
    do(P, fun() -> fib(7) end),
    io:format("~p ~p~n", [Count(), Time()]),
    %% Nobody need be traced to be counted, but to be timed.
    erlang:trace(P, false, [call]),
    pattern({?MODULE, fib, 1}, true, [call_count, call_time]),
    do(P, fun() -> fib(7) end),
    io:format("~p ~p~n", [Count(), Time()]),
    pattern({?MODULE, fib, 1}, false, [call_count]),
    pattern({?MODULE, fib, 1}, false, [call_time]),
    io:format("~p ~p~n", [Count(), Time()]),
    1 = pattern({lists, reverse, 2}, true, [call_count]),
    do(P, fun() -> bifs(abc) end),
    io:format("~p~n", [erlang:trace_info({lists, reverse, 2}, call_count)]).

information() ->
    start([call]),
    F = {?MODULE, id, 1},
    Info = fun(What) ->
        io:format("~p~n    ~p~n", [What, named(erlang:trace_info(F, all))])
    end,
    [begin
         R = try pattern(F, S, O) catch error:E:St -> {E, element(4, hd(St))} end,
         Info({S, O, R})
     end || {S, O} <- [{true, [local]}, {ms([]), [meta]}, {true, [call_count]}, {true, [call_time]},
                       {pause, [call_count]}, {false, [local]}, {false, [global]}, {ms([]), [call_time, local]},
                       {false, [local, meta, call_count, call_time]}, {true, [local, local]},
                       {true, [meta, global]}, {foo, [local]}, {ms([{foo}]), [local]}, {ms([]), [call_count]},
                       {[], [call_count]}, {true, [foo]}, {true, [{meta, foo}]}, {restart, [local]}, {false, [local]}]],
    [io:format("~p: ~p~n", [MFA, try pattern(MFA, true, [local]) catch error:E:St -> {E, element(4, hd(St))} end])
     || MFA <- [{?MODULE, id, '_'}, {?MODULE, id, 2}, {?MODULE, nothing, '_'}, {nowhere, '_', '_'}, {?MODULE, '_', 1},
                {'_', id, '_'}, {?MODULE, id, -1}, {?MODULE, id, 300}, {?MODULE, id}, foo, {1, 2, 3}]],
    [io:format("~p: ~p~n", [X, try erlang:trace_info(X, traced) catch error:E -> E end])
     || X <- [{?MODULE, id, 1}, {?MODULE, id, 2}, {nowhere, a, 1}, {?MODULE, id, -1}, {lists, reverse, 2}]],
    pattern(on_load, true, [local, call_count]),
    io:format("~p~n", [erlang:trace_info(on_load, all)]),
    pattern(on_load, true, []),
    io:format("~p~n", [erlang:trace_info(on_load, all)]),
    pattern(on_load, false, []),
    io:format("~p~n", [erlang:trace_info(on_load, all)]).

%% Functions that run natively or call themselves are traced from now on, and not any more.
natively() ->
    P = start([call]),
    [do(P, fun() -> fib(15) end) || _ <- [1, 2, 3]],
    1 = pattern({?MODULE, fib, 1}, true, [local]),
    do(P, fun() -> fib(10) end),
    io:format("~p calls~n", [length(all())]),
    1 = pattern({?MODULE, fib, 1}, false, [local]),
    do(P, fun() -> fib(10) end),
    io:format("~p calls~n", [length(all())]),
    1 = pattern({?MODULE, fib, 1}, true, [global]),
    do(P, fun() -> fib(10) + ?MODULE:fib(9) end),
    io:format("~p calls~n", [length(all())]),
    [begin pattern({?MODULE, fact, 2}, true, [local]), pattern({?MODULE, fact, 2}, false, [local]) end || _ <- lists:seq(1, 5)],
    io:format("~p~n", [do(P, fun() -> fact(20, 1) end)]),
    1 = pattern({?MODULE, fact, 2}, ms([{return_trace}]), [local]),
    io:format("~p~n", [do(P, fun() -> fact(300, 1) end) rem 1000]),
    io:format("~p messages~n", [length(all())]).

messages() ->
    P = start([send, 'receive']),
    Me = self(),
    erlang:trace_pattern(send, [{[Me, '_'], [], [{message, mine}]}, {['_', {'_', '$1'}], [{is_integer, '$1'}], []}], []),
    erlang:trace_pattern('receive', [{[node(), Me, '_'], [], [{message, {node}}]}, {[clock_service, undefined, timeout], [], []}], []),
    show("filtered", fun() -> self() ! {x, 1}, self() ! {x, y}, receive {x, 1} -> ok end, receive none -> ok after 1 -> ok end end),
    io:format("~p~n", [[length(element(2, erlang:trace_info(X, match_spec))) || X <- [send, 'receive']]]),
    erlang:trace_pattern(send, false, []),
    erlang:trace_pattern('receive', false, []),
    show("nothing", fun() -> self() ! {x, 1} end),
    erlang:trace_pattern(send, [{'_', [], [{silent, true}]}], []),
    show("silent", fun() -> self() ! {x, 1} end),
    erlang:trace(P, false, [silent]),
    erlang:trace_pattern(send, false, []),
    io:format("~p~n", [[erlang:trace_info(X, match_spec) || X <- [send, 'receive']]]),
    erlang:trace_pattern(send, true, []),
    erlang:trace_pattern('receive', [], []),
    io:format("~p~n", [[erlang:trace_info(X, match_spec) || X <- [send, 'receive']]]),
    show("all", fun() -> self() ! {x, 1} end),
    unlink(P).
