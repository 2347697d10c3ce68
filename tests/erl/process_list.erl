%% processes/0: all of one moment, in the order in which they were spawned, without holding a scheduler.
%% args: 100000
%% args gc-stress: 3000
%% args seeds: 20000
%% args asan: 20000
%% args tsan: 20000
-module(process_list).
-export([main/1]).

main([Arg]) ->
    N = list_to_integer(Arg),
    io:format("~p~n", [begun]),  % which may start services
    little_left(),
    Before = processes(),
    small(Before),
    Many = [sleeper() || _ <- lists:seq(1, N)],
    io:format("~p~n", [lists:sort(processes() -- Before) =:= Many]),
    gives_turns(N),
    at_once(Many),
    stop(Many),
    io:format("~p~n", [processes() -- Before]).

sleeper() -> spawn(fun() -> receive stop -> ok end end).
stop(Pids) ->
    [{_, _} = spawn_monitor_stop(P) || P <- Pids],
    [receive {'DOWN', _, process, P, _} -> ok end || P <- Pids],
    ok.
spawn_monitor_stop(P) -> R = monitor(process, P), P ! stop, {P, R}.

%% Slots that are used again, and those that are new.
small(Before) ->
    Ps = [sleeper() || _ <- lists:seq(1, 1000)],
    {Gone, Stay} = lists:partition(fun(P) -> erlang:phash2(P) rem 3 =:= 0 end, Ps),
    stop(Gone),
    New = [sleeper() || _ <- lists:seq(1, 700)],
    Now = processes(),
    io:format("~p ~p ~p~n", [Now =:= lists:sort(Now), Now -- Before =:= Stay ++ New, lists:last(Now) =:= lists:last(New)]),
    stop(Stay ++ New),
    io:format("~p~n", [processes() =:= Before]).

%% Somebody who lists many processes leaves his scheduler now and then.
gives_turns(N) ->
    Me = self(),
    Pid = spawn_link(fun() -> receive go -> ok end, L = processes(), Me ! {length(L) > N, self()}, receive stop -> ok end end),
    erlang:trace(Pid, true, [running]),
    Pid ! go,
    R = receive {B, Pid} -> B end,
    Ref = erlang:trace_delivered(Pid), receive {trace_delivered, Pid, Ref} -> ok end,
    Outs = (fun Count(K) -> receive {trace, Pid, out, {erlang, F, _}} -> true = is_atom(F), Count(K + 1); {trace, Pid, _, _} -> Count(K) after 0 -> K end end)(0),
    Pid ! stop,
    io:format("~p ~p~n", [R, N < 100000 orelse Outs >= 2]).

%% Whoever has little left of his slice goes on in the next one.
little_left() ->
    Me = self(),
    erts_debug:set_internal_state(available_internal_state, true),
    Least = element(2, erts_debug:get_internal_state(processes_bif_info)),
    Pid = spawn_link(fun() ->
        receive go -> ok end,
        erts_debug:set_internal_state(reds_left, Least + 10),
        L = processes(), Me ! {hd(L) =:= hd(processes()), self()}, receive stop -> ok end
    end),
    erlang:trace(Pid, true, [running]),
    Pid ! go,
    R = receive {B, Pid} -> B end,
    Ref = erlang:trace_delivered(Pid), receive {trace_delivered, Pid, Ref} -> ok end,
    Rests = (fun Count(K) ->
        receive {trace, Pid, out, {erlang, ptab_list_continue, 2}} -> Count(K + 1); {trace, Pid, _, _} -> Count(K) after 0 -> K end
    end)(0),
    stop([Pid]),
    io:format("~p ~p~n", [R, Rests >= 1]).

%% While others come and go, each list is of one moment. Chains: each of them is one process, which begins its heir,
%% waits until that has told so, and ends. So every list has one or two of each chain.
at_once(Many) ->
    Me = self(),
    Chains = 4,
    Table = ets:new(stop, [public]),
    [spawn(fun() -> link_of(Me, C, 0, Table) end) || C <- lists:seq(1, Chains)],
    Good = [begin
        L = processes(),
        Many -- L =:= [] andalso length(L) =:= length(lists:usort(L)) andalso length(L) >= length(Many) + Chains
    end || _ <- lists:seq(1, 20)],
    ets:insert(Table, {stop, true}),
    [receive {ended, C} -> ok end || C <- lists:seq(1, Chains)],
    io:format("~p~n", [lists:usort(Good)]).
link_of(Main, C, K, Table) ->
    Self = self(),
    case ets:member(Table, stop) of
        true -> Main ! {ended, C};
        false -> spawn(fun() -> Self ! begun, link_of(Main, C, K + 1, Table) end), receive begun -> ok end
    end.
