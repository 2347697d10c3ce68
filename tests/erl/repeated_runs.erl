%% Everything whose moment could depend on the computer, in one run: functions that get hot, take others in line, meet
%% other funs and other types of numbers and are left again, collections, timeouts, timers that are cancelled, links,
%% monitors, tables, and traces of functions that are being compiled. `tests/differential --repeats` runs it again and
%% again with a seed, in every tier, and compares the event logs.
%% args: 300
%% args gc-stress: 2
%% args asan: 40
%% args tsan: 20
-module(repeated_runs).
-export([main/1, twice/1, half/1, sum_to/2]).

main([Text]) ->
    Rounds = list_to_integer(Text),
    Workers = [element(1, spawn_monitor(fun() -> work(K, Rounds) end)) || K <- lists:seq(1, 4)],
    Ticker = spawn_link(fun() -> tick(0) end),
    Tracer = spawn_link(fun() -> count_traces(#{}) end),
    trace(Workers, Tracer),
    Results = lists:sort([ended(W) || W <- Workers]),
    [io:format("~p~n", [R]) || R <- Results],
    Ticker ! {stop, self()},
    io:format("ticked: ~p~n", [receive {ticked, N} -> N > 0 end]),
    Tracer ! {report, self()},
    receive {traces, Counts} -> io:format("~p~n", [lists:sort(maps:keys(Counts))]) end.

ended(Worker) -> receive {'DOWN', _, process, Worker, Reason} -> Reason end.

%% On and off while the functions are on their way through the tiers.
trace([First, Second | _], Tracer) ->
    erlang:trace(First, true, [call, return_to, garbage_collection, monotonic_timestamp, {tracer, Tracer}]),
    erlang:trace(Second, true, [procs, send, 'receive', timestamp, {tracer, Tracer}]),
    lists:foreach(fun(_) ->
        receive after 20 -> ok end,
        erlang:trace_pattern({?MODULE, twice, 1}, [{['_'], [], [{return_trace}]}], [local]),
        receive after 1 -> ok end,
        erlang:trace_pattern({?MODULE, twice, 1}, false, [local])
    end, lists:seq(1, 36)).

count_traces(Counts) ->
    receive
        {report, To} -> To ! {traces, Counts};
        Trace when element(1, Trace) =:= trace; element(1, Trace) =:= trace_ts ->
            count_traces(maps:update_with(known(element(3, Trace)), fun(N) -> N + 1 end, 1, Counts))
    end.
%% What every run has.
known(send) -> send;
known('receive') -> 'receive';
known(_) -> other.

tick(N) ->
    receive {stop, To} -> To ! {ticked, N}
    after 3 -> tick(N + 1)
    end.

work(K, Rounds) ->
    Table = ets:new(table, [if K rem 2 =:= 0 -> ordered_set; true -> set end]),
    exit({K, rounds(K, Rounds, Table, 0)}).

rounds(K, 0, Table, Sum) ->
    receive after K -> {Sum rem 1000003, length(ets:tab2list(Table))} end;
rounds(K, N, Table, Sum) ->
    Fun = if N > 100 -> fun ?MODULE:twice/1; true -> fun(X) -> X + N end end,
    Mapped = lists:map(Fun, lists:seq(1, 3000)),
    Halves = lists:foldl(fun(X, Acc) -> half(X) + Acc end, 0.0, Mapped),
    Number = sum_to(4000, if N > 150 -> Halves; true -> 0 end),
    Timer = erlang:start_timer(1 + N rem 3, self(), {tick, N}),
    {Child, Ref} = spawn_monitor(fun() -> exit(lists:sum(Mapped)) end),
    true = ets:insert(Table, [{{N, X rem 7}, make_ref(), Child} || X <- Mapped, X rem 5 =:= 0]),
    Add = receive {'DOWN', Ref, process, Child, S} -> S end,
    erlang:cancel_timer(Timer),
    receive {timeout, Timer, _} -> ok after 0 -> ok end,
    receive nothing -> ok after N rem 2 -> ok end,
    rounds(K, N - 1, Table, Sum + Add + trunc(Number)).

twice(X) -> X + X.
half(X) -> X / 2.

sum_to(0, Acc) -> Acc;
sum_to(N, Acc) -> sum_to(N - 1, Acc + N).
