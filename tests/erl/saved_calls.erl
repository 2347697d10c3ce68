%% process_flag(save_calls, N) and process_info(P, last_calls): which calls and events are saved.
%% Left out is what BEAM's own functions written in Erlang call (here some of them are native), the loading of modules,
%% BIFs that take so long that BEAM saves them again at each of their pieces, and the call of a function that comes next
%% after process_flag/2 has switched it on, which BEAM's native code may miss.
-module(saved_calls).
-export([main/1, id/1, ext/0, fact/1, many/9, same/1, woken/1, loop/0]).

id(X) -> X.
ext() -> ?MODULE:id(3).
local(X) -> X + 1.
same(X) -> X.
many(A, _, _, _, _, _, _, _, I) -> A + I.
fact(0) -> 1;
fact(N) -> N * ?MODULE:fact(N - 1).

%% What a process that runs F has called, from F's first call on.
calls(F) -> calls(40, F).
calls(N, F) ->
    Me = self(),
    {Pid, Monitor} = spawn_monitor(fun() ->
        process_flag(save_calls, N),
        _ = F(),
        Me ! {self(), process_info(self(), last_calls)}
    end),
    receive
        {Pid, {last_calls, L}} -> erlang:demonitor(Monitor, [flush]), L;
        {'DOWN', Monitor, _, _, Why} -> {down, Why}
    end.
show(Name, F) -> show(Name, 40, F).
show(Name, N, F) -> io:format("~p: ~p~n", [Name, calls(N, F)]).

main(_) ->
    register(main, self()),
    [{module, M} = code:ensure_loaded(M) || M <- [math, compile, io_lib]],
    kinds_of_calls(),
    applied(),
    natives(),
    failing(),
    messages(),
    receivers(),
    sizes(),
    hidden(),
    others(),
    nobody(),
    reloaded(),
    traced(),
    churn().

kinds_of_calls() ->
    show(nothing, fun() -> ok end),
    show(external, fun() -> ?MODULE:id(1), ok end),
    show(tail, fun() -> ?MODULE:ext() end),
    show(local, fun() -> local(1), id(2) end),
    show(lists, fun() -> lists:map(fun(X) -> local(X) end, [1, 2]) end),
    show(recursive, fun() -> ?MODULE:fact(20) end),
    show(more_than_kept, 5, fun() -> ?MODULE:fact(20) end),
    show(external_fun, fun() -> F = id(fun lists:seq/2), F(1, 2) end),
    show(funs_of_bifs, fun() -> lists:map(fun erlang:abs/1, [1, -2]), lists:map(fun erlang:node/1, [self()]) end),
    show(many, fun() ->
        ?MODULE:many(1, 2, 3, 4, 5, 6, 7, 8, 9),
        apply(?MODULE, many, id(lists:seq(1, 9))),
        (id(fun ?MODULE:many/9))(1, 2, 3, 4, 5, 6, 7, 8, 9)
    end),
    show(comprehensions, fun() -> [?MODULE:id(X) || X <- [1, 2, 3]], [math:sin(X) || X <- [1, 2]], ok end).

applied() ->
    {E, A} = {id(erlang), id(apply)},
    show(apply3, fun() -> apply(id(lists), id(seq), [1, 2]) end),
    show(apply3_list, fun() -> apply(id(lists), id(seq), id([1, 2])) end),
    show(module, fun() -> M = id(lists), M:seq(1, 2) end),
    show(apply2, fun() -> apply(id(fun(X) -> X end), [2]), apply(id(fun(X) -> X end), id([2])) end),
    show(apply2_external, fun() -> apply(id(fun lists:seq/2), id([1, 2])) end),
    show(applied_apply, fun() -> E:A(id(fun(X) -> X end), [1]), E:A(fun lists:seq/2, [1, 2]), E:A(lists, seq, [1, 2]) end),
    show(applied_twice, fun() -> apply(E, A, [id(fun(X) -> X end), [1]]), apply(E, A, [lists, seq, [1, 2]]) end),
    show(applied_bifs, fun() -> E:monotonic_time(), E:element(1, {a}), E:length([1]), apply(E, id(length), [[2]]), E:self() end).

natives() ->
    show(in_guards, fun() -> {element(1, id({a})), length(id([])), node(), is_atom(id(a)), id(1) + id(2), self()} end),
    show(bifs, fun() -> {erlang:monotonic_time(), put(a, 1), get(a), term_to_binary(id(a)), make_ref(), erlang:phash2(x)} end),
    show(other_bifs, fun() -> {list_to_atom(id("a")), lists:reverse(id([1, 2])), maps:get(id(a), id(#{a => 1})), lists:member(1, id([1]))} end),
    show(operators, fun() -> {id([a]) ++ id([b]), id([a]) -- id([b]), id(1) bsl id(2)} end),
    show(binaries, fun() -> {binary:part(id(<<"abc">>), 0, 1), binary_to_list(id(<<"a">>)), byte_size(id(<<>>)), iolist_size(id([]))} end),
    show(links, fun() -> P = id(self()), link(P), unlink(P), register(saved_calls_name, P), Q = whereis(saved_calls_name), unregister(saved_calls_name), Q end),
    show(long, fun() -> L = lists:seq(1, 60000), length(L), io_lib:format("", []), ok end).

failing() ->
    show(raised, fun() -> catch exit(id(y)), catch throw(id(z)), (catch error(id(x))), (catch error(id(x), id([]))) end),
    show(bad, fun() -> catch id(a) + 1, catch hd(id([])), catch (id(fun(X) -> X end))(1, 2), catch list_to_atom(id(1)) end),
    show(clauses, fun() -> catch lists:nth(3, id([])), catch lists:last(id([])) end),
    show(no_module, fun() -> M = id(3), catch M:foo(1), catch M:foo() end),
    show(no_list, fun() -> catch apply(lists, seq, id(foo)), catch apply(lists, id(seq), id([1 | 2])) end),
    First = fun(L) -> hd(L) end,
    io:format("undefined: ~p~n", [First(calls(fun() -> catch lists:nobody_has_this(1) end))]).

messages() ->
    show(send, fun() -> self() ! a, receive a -> ok end, erlang:send(self(), b), receive b -> ok end, erlang:send(self(), c, []) end),
    show(timeouts, fun() -> receive after 0 -> ok end, receive after 2 -> ok end, receive x -> ok after 0 -> ok end, receive x -> ok after 3 -> ok end end),
    show(selective, fun() ->
        self() ! 1, self() ! 2,
        receive 2 -> ok end, receive 3 -> ok after 0 -> ok end, receive X when X == 1 -> ok end, receive Y -> Y after 5 -> ok end
    end),
    show(infinity, fun() -> self() ! 1, receive _ -> ok after id(infinity) -> ok end, catch receive _ -> ok after id(foo) -> ok end end),
    show(timer, fun() -> erlang:start_timer(0, self(), x), receive {timeout, _, x} -> ok end end).

receivers() ->
    Dead = spawn(fun() -> ok end),
    Monitor = monitor(process, Dead), receive {'DOWN', Monitor, _, _, _} -> ok end,
    Node = node(),
    Far = [binary_to_term(B) || B <- [<<131,88,119,7,"foo@bar",0,0,0,1,0,0,0,2,0,0,0,3>>, <<131,89,119,7,"foo@bar",0,0,0,1,0,0,0,3>>,
                                      <<131,90,0,2,119,7,"foo@bar",0,0,0,1,0,0,0,3,0,0,0,5>>]],
    All = [Dead, main, nobody, 3, "a", <<"a">>, {main, Node}, {nobody, Node}, {main, foo@bar}, {3, Node}, {main, 3}, {main, Node, 1}, make_ref(), alias() | Far],
    Calls = fun(F) ->
        process_flag(save_calls, 10), catch F(), {last_calls, L} = process_info(self(), last_calls), process_flag(save_calls, 0), L
    end,
    [io:format("to ~p: ~w ~w~n", [N, Calls(fun() -> To ! x end), Calls(fun() -> erlang:send(To, x, id([])) end)])
     || {N, To} <- lists:zip(lists:seq(1, length(All)), All)].

sizes() ->
    show(again, fun() -> lists:seq(1, 2), 40 = process_flag(save_calls, 40) end),
    show(smaller, fun() -> lists:seq(1, 2), 40 = process_flag(save_calls, 3), lists:seq(1, 2), lists:max([1]), lists:min([1]), lists:sum([1]) end),
    show(larger, 2, fun() -> lists:seq(1, 2), 2 = process_flag(save_calls, 10), lists:max([1]) end),
    show(off_and_on, fun() -> lists:seq(1, 2), 40 = process_flag(save_calls, 0), lists:max([1]), 0 = process_flag(save_calls, 3), erlang:phash2(a), lists:min([1]) end),
    show(wrong, fun() -> catch process_flag(save_calls, id(-1)), catch process_flag(save_calls, id(10001)), catch process_flag(save_calls, id(a)) end),
    show(one, 1, fun() -> lists:seq(1, 2) end).

hidden() ->
    show(sensitive, fun() -> process_flag(sensitive, true), lists:seq(1, 2), self() ! x, receive x -> ok end, process_flag(sensitive, false), lists:max([1]) end),
    show(sensitive_first, fun() ->
        process_flag(save_calls, 0), process_flag(sensitive, true), process_flag(save_calls, 10), lists:max([1]), process_flag(sensitive, false), lists:sum([1])
    end),
    show(sensitive_asked, fun() -> lists:seq(1, 2), process_flag(sensitive, true), exit(process_info(self(), last_calls)) end).

%% Of another process; not inherited; over hibernation.
others() ->
    Me = self(),
    Pid = spawn(fun() ->
        Me ! {self(), begun},
        receive go -> ok end,
        lists:seq(1, 2), receive after 1 -> ok end,
        Me ! {self(), done},
        receive stop -> ok end
    end),
    receive {Pid, begun} -> ok end,
    Old = process_flag(Pid, save_calls, 10),
    Before = process_info(Pid, last_calls),
    Pid ! go, receive {Pid, done} -> ok end,
    After = process_info(Pid, last_calls),
    io:format("~p~n", [{Old, Before, After, process_flag(Pid, save_calls, 0), process_info(Pid, last_calls)}]),
    io:format("~p~n", [[fails(fun() -> process_flag(Pid, save_calls, X) end) || X <- [-1, 10001, a]]]),
    Monitor = monitor(process, Pid), Pid ! stop, receive {'DOWN', Monitor, _, _, _} -> ok end,
    io:format("~p~n", [fails(fun() -> process_flag(Pid, save_calls, 1) end)]),
    show(inherited, fun() ->
        Parent = self(),
        spawn_link(fun() -> Parent ! {child, process_info(self(), last_calls)} end),
        receive {child, L} -> exit(L) end
    end),
    spawn(fun() -> process_flag(save_calls, 10), erlang:phash2(a), lists:seq(1, 2), self() ! x, erlang:hibernate(?MODULE, woken, [Me]) end),
    receive {woken, L} -> io:format("hibernated: ~p~n", [L]) end.
fails(F) -> try F() catch C:R -> {C, R} end.
woken(To) -> To ! {woken, process_info(self(), last_calls)}.

%% Whose calls are not saved goes on as ever while another one's are.
nobody() ->
    Me = self(),
    Loop = spawn(?MODULE, loop, []),
    process_flag(Loop, save_calls, 100),
    erlang:phash2(a),
    L = lists:seq(1, 1000),
    Sum = lists:foldl(fun(X, A) -> ?MODULE:id(X) + A + erlang:phash2(X, 1) end, 0, lists:map(fun ?MODULE:same/1, lists:reverse(L))),
    Top = fun([{M, F, A, _} | _]) -> {M, F, if is_list(A) -> length(A); true -> A end} end,
    Errors = [try F() catch C:R:Trace -> {C, R, Top(Trace)} end
              || F <- [fun() -> list_to_atom(id(1)) end, fun() -> lists:nth(id(2), []) end, fun() -> ets:lookup(id(x), 1) end]],
    io:format("~p ~p ~p~n", [Sum, Errors, process_info(Me, last_calls)]),
    exit(Loop, kill).
loop() -> ?MODULE:id(1), receive after 0 -> ok end, ?MODULE:loop().

%% Modules that come, go and come again.
reloaded() ->
    show(reloaded, fun() ->
        Load = fun(N) ->
            {ok, M, Code} = compile:forms([{attribute, 1, module, saved_calls_new}, {attribute, 1, export, [{f, 0}]},
                                           {function, 1, f, 0, [{clause, 1, [], [], [{integer, 1, N}]}]}]),
            {module, M} = code:load_binary(M, "none", Code), M
        end,
        New = Load(1), process_flag(save_calls, 10), erlang:phash2(a), New:f(),
        process_flag(save_calls, 0), Load(2), process_flag(save_calls, 10), erlang:phash2(a), New:f(),
        R = New:f(), 2 = R, {last_calls, L} = process_info(self(), last_calls),
        process_flag(save_calls, 0), code:purge(New), code:delete(New), exit(L)
    end).

%% Beside tracing of the same functions.
traced() ->
    Me = self(),
    Pid = spawn(fun() ->
        process_flag(save_calls, 10), Me ! {self(), begun}, receive go -> ok end,
        lists:seq(1, 2), erlang:phash2(a), Me ! {self(), process_info(self(), last_calls)}, receive stop -> ok end
    end),
    receive {Pid, begun} -> ok end,
    N1 = erlang:trace_pattern({lists, seq, 2}, true, []), N2 = erlang:trace_pattern({erlang, phash2, 1}, [{'_', [], [{return_trace}]}], [global]),
    erlang:trace(Pid, true, [call]),
    Pid ! go,
    receive {Pid, L} -> ok end,
    Ref = erlang:trace_delivered(Pid), receive {trace_delivered, Pid, Ref} -> ok end,
    Traced = (fun Collect() -> receive T when element(1, T) == trace -> [setelement(2, T, pid) | Collect()] after 0 -> [] end end)(),
    io:format("~p~n~p~n~p~n", [{N1, N2}, L, Traced]),
    io:format("~p~n", [[erlang:trace_info({lists, F, A}, all) || {F, A} <- [{seq, 2}, {max, 1}]]]),
    io:format("~p~n", [erlang:trace_pattern({lists, seq, 2}, false, [global]) + erlang:trace_pattern({erlang, phash2, 1}, false, [])]),
    Pid ! stop,
    show(after_tracing, fun() -> lists:seq(1, 2), erlang:phash2(a) end).

%% Many begin and end at once.
churn() ->
    Me = self(),
    Pids = [spawn_link(fun() ->
        Good = [process_flag(save_calls, 3) =:= 0 andalso erlang:phash2(N, 1) =:= 0 andalso lists:max([N, 1]) >= 1 andalso
                process_info(self(), last_calls) =:= {last_calls, [{erlang, phash2, 2}, {lists, max, 1}, {erlang, process_info, 2}]} andalso
                process_flag(save_calls, 0) =:= 3 || _ <- lists:seq(1, 5)],
        Me ! {self(), lists:all(fun(B) -> B end, Good)}
    end) || N <- lists:seq(1, 20)],
    io:format("~p~n", [lists:usort([receive {P, B} -> B end || P <- Pids])]).
