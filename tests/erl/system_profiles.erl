%% erlang:system_profile: who is told of processes, ports and schedulers that become runnable and stop being so.
%% args: 300 40
%% args gc-stress: 20 8
%% args tsan: 60 12
-module(system_profiles).
-export([main/1, idle/0]).
-include("show.hrl").

main([Laps, Crowd]) ->
    settings(), signals(), lives(), dirty_work(), stamps(), ports(), callers_of_ports(),
    ring(list_to_integer(Laps)), crowd(list_to_integer(Crowd), list_to_integer(Laps)),
    schedulers(), profilers(), purges().

settings() ->
    All = [runnable_ports, exclusive, timestamp, scheduler, runnable_procs],
    ?S([begin true = undefined =:= erlang:system_profile(self(), W), named(erlang:system_profile(undefined, [])) end
        || W <- [All, [timestamp], [exclusive, runnable_procs], [monotonic_timestamp, scheduler, strict_monotonic_timestamp]]]),
    [?S(try erlang:system_profile(Who, W) catch E:R -> {E, R} end)
     || {Who, W} <- [{self(), []}, {self(), [all]}, {self(), [{timestamp, 1}]}, {self(), [runnable_procs | x]}, {a, [scheduler]},
                     {a, []}, {undefined, x}, {dead(), [runnable_procs]}]],
    ?S(erlang:system_profile()).
named({Pid, Wishes}) when Pid =:= self() -> {me, Wishes}.
dead() -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> P end.

profile(Wishes) -> undefined = erlang:system_profile(self(), Wishes).
over() ->
    Old = erlang:system_profile(undefined, []),
    delivered(), flush(), Old.
delivered() -> Ref = erlang:trace_delivered(all), receive {trace_delivered, all, Ref} -> ok end.
flush() -> receive {profile, _, _, _, _} -> flush(); {profile, _, _, _, _, _} -> flush() after 0 -> ok end.

%% The next thing told of `Who`, without its time.
told(Who) -> receive {profile, Who, State, Where, _} -> {State, Where} after 5000 -> nothing end.
told(Who, N) -> [told(Who) || _ <- lists:seq(1, N)].

idle() -> receive {From, echo} -> From ! {self(), echo}, idle(); stop -> ok; {do, F} -> F(), idle() end.
asleep() ->
    P = spawn(fun idle/0),
    P ! {self(), echo}, receive {P, echo} -> ok end,
    await(P), P.
await(P) -> case process_info(P, status) of {status, waiting} -> ok; _ -> erlang:yield(), await(P) end.

%% What wakes a process, and what it looks like before and after.
signals() ->
    P = asleep(),
    profile([runnable_procs]),
    P ! {self(), echo}, ?S(told(P, 2)),
    R = monitor(process, P), ?S(told(P, 2)),
    demonitor(R), ?S(told(P, 2)),
    link(P), ?S(told(P, 2)),
    unlink(P), ?S(told(P, 2)),
    erlang:garbage_collect(P), ?S(told(P, 2)),
    exit(P, normal), ?S(told(P, 2)),
    P ! {do, fun() -> receive after 5 -> ok end end}, ?S([S || {S, _} <- told(P, 4)]),
    P ! stop, ?S(told(P, 2)),
    ?S(named(over())).

%% From the first moment to the last.
lives() ->
    profile([runnable_procs]),
    ?S(told(spawn(fun() -> ok end), 2)),
    ?S(told(spawn(lists, last, [[1]]), 2)),
    P = spawn(?MODULE, idle, []), ?S(told(P, 2)),
    exit(P, kill), ?S(told(P, 2)),
    Q = spawn_opt(?MODULE, idle, [], [{priority, high}, {min_heap_size, 5000}]), ?S(told(Q, 2)),
    Q ! {do, fun() -> erlang:yield(), erlang:garbage_collect(), [erlang:yield() || _ <- lists:seq(1, 100)] end}, ?S(told(Q, 2)),
    Q ! {do, fun() -> erlang:hibernate(?MODULE, idle, []) end}, ?S(told(Q, 2)),
    Q ! stop, ?S(told(Q, 2)),
    %% Nobody knows of an end before the profiler does.
    ?S([begin
            {E, M} = spawn_monitor(fun() -> exit(x) end),
            receive {'DOWN', M, _, _, _} -> ok end,
            T = erlang:trace_delivered(all), receive {trace_delivered, all, T} -> ok end,
            receive {profile, E, inactive, 0, _} -> told after 0 -> late end
        end || _ <- lists:seq(1, 10)]),
    over().

%% Who computes elsewhere is not inactive.
dirty_work() ->
    P = asleep(), Me = self(),
    profile([runnable_procs]),
    Big = binary:copy(<<"abcdefgh">>, 100000),
    P ! {do, fun() -> Me ! {hash, byte_size(term_to_binary(Big, [compressed]))} end},
    ?S(told(P, 2)), true = receive {hash, N} -> N < 10000 end,
    P ! stop, ?S(told(P, 2)), over().

stamps() ->
    [begin
         P = asleep(),
         profile([runnable_procs | W]),
         [begin P ! {self(), echo}, receive {P, echo} -> ok end end || _ <- lists:seq(1, 20)],
         P ! stop,
         Ts = stamps_of(P),
         over(),
         ?S({W, kind(hd(Ts)), length(Ts) >= 4, lists:sort(Ts) =:= Ts})
     end || W <- [[], [timestamp], [monotonic_timestamp], [strict_monotonic_timestamp], [timestamp, monotonic_timestamp],
                  [strict_monotonic_timestamp, timestamp], [monotonic_timestamp, strict_monotonic_timestamp]]],
    Before = erlang:monotonic_time(),
    profile([runnable_procs, monotonic_timestamp]),
    [T | _] = stamps_of(spawn(fun() -> ok end)), over(),
    ?S(Before =< T andalso T =< erlang:monotonic_time()).
stamps_of(P) -> receive {profile, P, inactive, 0, T} -> [T]; {profile, P, _, _, T} -> [T | stamps_of(P)] end.
kind({A, B, C}) when is_integer(A), B < 1000000, C < 1000000 -> timestamp;
kind(M) when is_integer(M) -> monotonic;
kind({M, U}) when is_integer(M), is_integer(U) -> strict.

ports() ->
    Port = open_port({spawn, "cat"}, [binary]),
    profile([runnable_ports]),
    true = port_command(Port, <<"abc">>), receive {Port, {data, _}} -> ok end, ?S(told(Port, 4)),
    Port ! {self(), {command, <<"def">>}}, receive {Port, {data, _}} -> ok end, ?S(told(Port, 4)),
    {name, "cat"} = erlang:port_info(Port, name), ?S(told(Port, 2)),
    unlink(Port), ?S(told(Port, 2)),
    true = port_close(Port), ?S(told(Port, 2)),
    over().

%% With `exclusive` who calls a port is not runnable meanwhile.
callers_of_ports() ->
    P = asleep(), Me = self(),
    P ! {do, fun() -> Port = open_port({spawn, "cat"}, []), Me ! {port, Port} end},
    Port = receive {port, X} -> X end,
    await(P),
    [begin
         profile([runnable_ports, runnable_procs | W]),
         P ! {do, fun() -> {name, _} = erlang:port_info(Port, name) end},
         ?S({W, order(P, Port, case W of [] -> 4; _ -> 6 end)}),
         over()
     end || W <- [[], [exclusive]]],
    P ! stop.
order(_, _, 0) -> [];
order(P, Port, N) ->
    receive
        {profile, P, State, _, _} -> [{caller, State} | order(P, Port, N - 1)];
        {profile, Port, State, _, _} -> [{port, State} | order(P, Port, N - 1)]
    after 5000 -> nothing
    end.

%% A message goes round: each time everybody wakes at most once.
ring(Laps) ->
    Me = self(),
    Ps = [First | Others] = [spawn(fun() -> node(Me, Laps) end) || _ <- lists:seq(1, 8)],
    [P ! {next, Next} || {P, Next} <- lists:zip(Ps, Others ++ [First])],
    [receive {P, ready} -> await(P) end || P <- Ps],
    profile([runnable_procs]),
    First ! 0,
    %% The last one to have it keeps it; each is told to end when all wait.
    receive last -> ok end,
    [await(P) || P <- Ps],
    [P ! stop || P <- Ps],
    Told = [until_end(P) || P <- Ps],
    over(),
    ?S([lists:all(fun alternate/1, Told), length(lists:append(Told)) =< 2 * (8 * Laps + 1) + 2 * 8, lists:usort(lists:append(Told))]).
node(Me, Laps) -> receive {next, Next} -> Me ! {self(), ready}, node(Me, Next, 8 * Laps) end.
node(Me, Next, Last) ->
    receive
        Last -> Me ! last, node(Me, Next, Last);
        stop -> ok;
        N -> Next ! N + 1, node(Me, Next, Last)
    end.
until_end(P) -> receive {profile, P, inactive, 0, _} -> [inactive]; {profile, P, S, _, _} -> [S | until_end(P)] after 5000 -> [nothing] end.
%% From its first event on: active, inactive, active ... inactive.
alternate([active, inactive]) -> true;
alternate([active, inactive | T]) -> alternate(T);
alternate(_) -> false.

%% Many at once, on all schedulers: messages, links, timers, collections, suspensions, ends.
crowd(Size, Rounds) ->
    Me = self(),
    profile([runnable_procs]),
    Ps = [spawn(fun() -> receive {begin_with, All} -> member(Me, All, Rounds, rand:seed(exsss, N)) end end) || N <- lists:seq(1, Size)],
    [P ! {begin_with, Ps} || P <- Ps],
    [receive {P, done} -> ok end || P <- Ps],
    [P ! stop || P <- Ps],
    Told = [until_end(P) || P <- Ps],
    over(),
    ?S(lists:all(fun alternate/1, Told)).
member(Me, _, 0, _) -> Me ! {self(), done}, wait_for_stop();
member(Me, All, N, Seed) ->
    {X, Next} = rand:uniform_s(1000, Seed),
    Other = lists:nth(X rem length(All) + 1, All),
    case X rem 11 of
        0 -> link(Other), unlink(Other);
        1 -> demonitor(monitor(process, Other));
        2 -> receive after 1 -> ok end;
        3 -> erlang:garbage_collect();
        4 -> _ = process_info(Other, [message_queue_len, current_function]);
        5 -> erlang:yield();
        6 -> try erlang:suspend_process(Other, [asynchronous]), erlang:resume_process(Other) catch error:_ -> ok end;
        7 -> spawn(fun() -> Other ! x end);
        _ -> Other ! x, receive x -> ok after 0 -> ok end
    end,
    member(Me, All, N - 1, Next).
wait_for_stop() -> receive stop -> ok; _ -> wait_for_stop() end.

schedulers() ->
    profile([scheduler]),
    Seen = [receive
                {profile, scheduler, Id, State, N, {_, _, _}} when is_integer(Id), is_integer(N) ->
                    true = Id >= 1 andalso Id =< erlang:system_info(schedulers),
                    true = N >= 0 andalso N =< erlang:system_info(schedulers),
                    {Id, State}
            after 5000 -> nothing
            end || _ <- [1]],
    {me, [scheduler]} = named(over()),
    ?S([State || {_, State} <- Seen, State =:= active orelse State =:= inactive] =/= []).

%% Who asked last is told; who has ended is forgotten.
profilers() ->
    P = asleep(), Me = self(),
    First = spawn(fun() -> relay(Me, first) end), Second = spawn(fun() -> relay(Me, second) end),
    await(First), await(Second),
    undefined = erlang:system_profile(First, [runnable_procs]),
    P ! {self(), echo}, ?S([relayed(P), relayed(P)]),
    {First, [runnable_procs]} = erlang:system_profile(Second, [runnable_procs]),
    P ! {self(), echo}, ?S([relayed(P), relayed(P)]),
    {Second, [runnable_procs]} = erlang:system_profile(),
    R = monitor(process, Second), exit(Second, kill), receive {'DOWN', R, _, _, _} -> ok end,
    P ! {self(), echo}, receive {P, echo} -> ok end,
    ?S(erlang:system_profile()),
    await(P), delivered(),  % else erl may tell the next one of this
    profile([runnable_procs]),
    P ! stop, ?S(told(P, 2)), over(),
    exit(First, kill).
relay(To, Name) -> receive {profile, P, State, Where, _} -> To ! {Name, P, State, Where}, relay(To, Name) end.
relayed(P) -> receive {Name, P, State, Where} -> {Name, State, Where} after 5000 -> nothing end.

%% Literals of a purged module wake a process of the system, which is in nobody's way.
purges() ->
    Forms = [{attribute, 1, module, purged}, {attribute, 1, export, [{f, 0}]},
             {function, 1, f, 0, [{clause, 1, [], [], [{cons, 1, {integer, 1, 1}, {string, 1, "text"}}]}]}],
    {ok, purged, Code} = compile:forms(Forms),
    profile([runnable_procs]),
    [begin {module, purged} = code:load_binary(purged, "purged", Code), [1 | "text"] = purged:f(), code:purge(purged), timer:sleep(1) end
     || _ <- lists:seq(1, 60)],
    over(),
    ?S(purged:f()).
