%% What the machine tells of itself beneath the language, and what programs may set: schedulers' time and
%% state, whom the emulator's reports go to, numbers to come, loaded code as text.
%% skip replay: its native work sends messages from another thread
%% skip seeds: there is one scheduler, and native work of another thread never comes to its end meanwhile
-module(machine_state).
-export([main/1, loop/0]).
-include("support/show.hrl").

main(_) ->
    erts_debug:set_internal_state(available_internal_state, true),
    ?S([F || {M, F, _} <- erlang:system_info(snifs), lists:member(M, [zlib, asn1rt_nif, prim_buffer, whitebeam]) orelse (M =:= prim_file andalso lists:suffix("_nif", atom_to_list(F)))]),
    ?S([lists:member(F, erlang:system_info(snifs)) || F <- [{erlang, yield, 0}, {erlang, self, 0}, {ets, new, 2}, {erts_internal, ets_search, 3}]]),
    loggers(), numbers(), memory(), code(), processors(),
    ?S(wall_times()), ?S(dirty_time()), ?S(blocked()), ?S(dirty_suspended()), ?S(dirty_begun()), ?S(urgent_tasks()), ?S(balances()).

%% --- system_flag(system_logger, ...)
loggers() ->
    Me = self(),
    {Log, Mon} = spawn_monitor(fun F() -> receive M -> Me ! {told, element(1, M), element(2, M), element(4, M)}, F() end end),
    ?S([show:quiet(fun() -> erlang:system_flag(system_logger, X) end) || X <- [foo, 1, true]]),
    erlang:system_flag(system_logger, Log),
    ?S(erlang:system_info(system_logger) =:= Log),
    P = crash(),
    ?S(receive {told, log, error, [P, {{badmatch, no}, [_ | _]}]} -> told end),
    ?S({erlang:system_flag(system_logger, undefined) =:= Log, erlang:system_info(system_logger)}),
    crash(),
    ?S(erlang:system_flag(system_logger, Log)),
    exit(Log, kill),
    receive {'DOWN', Mon, _, _, _} -> ok end,
    ?S({erlang:system_info(system_logger), receive X -> X after 50 -> nothing end}).

crash() ->
    {P, R} = spawn_monitor(fun() -> ok = id(no) end),
    receive {'DOWN', R, _, _, _} -> P end.

%% --- numbers
numbers() ->
    Old = erts_debug:get_internal_state(next_port),
    ?S(is_integer(Old)),
    N = erts_debug:set_internal_state(next_port, 100000000),
    ?S(N >= 100000000),
    Port = open_port({spawn, "true"}, []),
    "#Port<0." ++ Number = erlang:port_to_list(Port),
    ?S(element(1, string:to_integer(Number)) >= 100000000),
    ?S(show:quiet(fun() -> erts_debug:set_internal_state(next_port, a) end)).

memory() ->
    Tab = ets:new(tab, []),
    M = erts_debug:get_internal_state(memory),
    ets:delete(Tab),
    ?S([K || {K, V} <- M, V > 0]),
    [Total, Processes, System] = [proplists:get_value(K, M) || K <- [total, processes, system]],
    ?S(Total =:= Processes + System).

%% --- loaded code
code() ->
    Loop = {?MODULE, loop, 0},
    ?S(case erts_debug:disassemble(Loop) of
           false -> ok;  % the machine has no instructions
           {Next, <<Address:16/binary, ": ", _/binary>>, Loop} -> ok = element(1, {ok, {_, _, _} = erts_debug:disassemble(binary_to_integer(Address, 16)), Next > 0})
       end),
    ?S([erts_debug:disassemble(X) || X <- [{no_module, f, 0}, {?MODULE, no_function, 0}, 12345, a, {a, b}, {a, b, c}, {1, b, 0}, -1]]),
    ?S(length([list_to_atom(I) || I <- erts_debug:instructions()]) > 100),
    {ok, Before} = file:get_cwd(),
    Scratch = filename:join(os:getenv("TMPDIR", "/tmp"), "machine_state_" ++ os:getpid()),  % other runs write such a file, too
    ok = file:make_dir(Scratch),
    ok = file:set_cwd(Scratch),
    ?S({erts_debug:df(?MODULE, loop, 0), file:delete(atom_to_list(?MODULE) ++ "_loop_0.dis")}),
    file:set_cwd(Before),
    file:del_dir(Scratch).

processors() ->
    ?S([erlang:system_info(update_cpu_info) || _ <- [1, 2]]),
    ?S(case erlang:system_info(cpu_quota) of unknown -> true; N -> is_integer(N) andalso N > 0 end),
    ?S(erlang:system_info(logical_processors_available) =< erlang:system_info(logical_processors)).

%% --- schedulers
wall_times() ->
    Was = erlang:system_flag(scheduler_wall_time, true),
    [Normal, Cpu, Io] = [erlang:system_info(X) || X <- [schedulers, dirty_cpu_schedulers, dirty_io_schedulers]],
    Ids = lists:sort([I || {I, _, _} <- erlang:statistics(scheduler_wall_time)]),
    All = lists:sort([I || {I, _, _} <- erlang:statistics(scheduler_wall_time_all)]),
    {Was, Ids =:= lists:seq(1, Normal + Cpu), All =:= lists:seq(1, Normal + Cpu + Io)}.

%% Native work makes dirty schedulers busy, and no others. (On a busy machine much time may pass beside it: one of
%% several times counts.)
dirty_time() ->
    erlang:system_flag(scheduler_wall_time, true),
    Normal = erlang:system_info(schedulers), Cpu = Normal + erlang:system_info(dirty_cpu_schedulers),
    Io = Cpu + erlang:system_info(dirty_io_schedulers),
    Busy = {busy(fun() -> erts_debug:dirty_cpu(wait, 300) end, Normal, Cpu, 5),
            busy(fun() -> erts_debug:dirty_io(wait, 300) end, Cpu, Io, 5)},
    erlang:system_flag(scheduler_wall_time, false),
    Busy.
busy(_, _, _, 0) -> false;
busy(Work, From, To, Attempts) ->
    Times = fun() -> lists:sort(erlang:statistics(scheduler_wall_time_all)) end,
    Before = Times(), Work(), After = Times(),
    Shares = [(A1 - A0) / (T1 - T0) || {{I, A0, T0}, {I, A1, T1}} <- lists:zip(Before, After), I > From, I =< To],
    lists:max(Shares) > 0.5 orelse busy(Work, From, To, Attempts - 1).

%% One scheduler does everything, the work of the dirty ones too.
blocked() ->
    States = fun() -> [{K, T =:= O orelse K =:= normal, A} || {K, T, O, A} <- erlang:system_info(all_schedulers_state), K =/= dirty_io orelse T > 0] end,
    Blocked = erlang:system_flag(multi_scheduling, block),
    timer:sleep(300),
    During = States(),
    Done = [erts_debug:dirty_cpu(scheduler, type), erts_debug:dirty_io(wait, 10), erts_debug:dirty_cpu(copy, a) =:= lists:duplicate(1000, a),
            show:quiet(fun() -> erts_debug:dirty_cpu(error, badarith) end)],
    Read = element(1, file:read_file(code:which(?MODULE))),
    {Blocked, During, Done, Read, erlang:system_flag(multi_scheduling, unblock)}.

dirty_suspended() ->
    {P, M} = spawn_monitor(fun() -> erts_debug:dirty_io(wait, 1500), exit(back) end),
    Until = fun Wait(S) -> case process_info(P, status) of {status, S} -> S; _ -> timer:sleep(10), Wait(S) end end,
    Until(running),
    erlang:suspend_process(P, [asynchronous]),
    timer:sleep(50),
    Meanwhile = process_info(P, [status, current_function]),
    Then = Until(suspended),
    erlang:resume_process(P),
    {Meanwhile, Then, receive {'DOWN', M, process, P, R} -> R end}.

%% Who says that it is at work is: what it has stays while the work goes on, although it is killed at once.
dirty_begun() ->
    Me = self(), Size = 4711,
    Bin = list_to_binary(lists:duplicate(Size, $r)),
    Holders = fun() -> element(3, lists:keyfind(Size, 2, element(2, process_info(Me, binary)))) end,
    {P, M} = spawn_monitor(fun() -> erts_debug:dirty_cpu(alive_waitexiting, Me), id(Bin) end),
    receive {alive, P} -> exit(P, kill) end,
    Down = receive {'DOWN', M, process, P, R} -> R end,
    Then = {Down, Holders(), is_process_alive(P)},
    Gone = fun Wait() -> Holders() =:= 1 orelse begin timer:sleep(20), Wait() end end,
    {Then, Gone(), byte_size(Bin)}.

%% A task is served in its own priority if that is above the process'.
urgent_tasks() ->
    Old = process_flag(priority, max),
    Spinners = [spawn_opt(?MODULE, loop, [], [{priority, max}, {scheduler, S}, monitor]) || S <- lists:seq(1, erlang:system_info(schedulers_online))],
    {Low, _} = spawn_opt(fun() -> receive after infinity -> ok end end, [{priority, low}, monitor]),
    [erts_internal:request_system_task(Low, Prio, {system_task_test, Prio}) || Prio <- [low, normal, high]],
    Early = receive {system_task_test, X, _} -> X after 200 -> none end,
    erts_internal:request_system_task(Low, max, {system_task_test, max}),
    First = receive {system_task_test, max, true} -> max after 5000 -> none end,
    [begin exit(P, kill), receive {'DOWN', M, _, _, _} -> ok end end || {P, M} <- Spinners],
    Rest = lists:sort([receive {system_task_test, Y, true} -> Y after 5000 -> none end || _ <- [1, 2, 3]]),
    exit(Low, kill),
    process_flag(priority, Old),
    {Early, First, Rest, show:quiet(fun() -> erts_internal:request_system_task(self(), urgent, {system_task_test, a}) end)}.

%% Busy schedulers compare their queues now and then.
balances() ->
    Online = erlang:system_info(schedulers_online),
    Ps = [spawn(?MODULE, loop, []) || _ <- lists:seq(1, 4 * Online)],
    Start = erts_debug:get_internal_state(nbalance),
    Grown = fun Wait(0) -> false;
                Wait(N) -> timer:sleep(50), erts_debug:get_internal_state(nbalance) >= Start + 2 orelse Wait(N - 1) end,
    Result = Grown(400),
    [exit(P, kill) || P <- Ps],
    Result.

loop() -> loop().
