%% Makes and kills idle processes and measures both. Used by the benchmarks beside it.
%% only on demand
-module(idle_processes).
-export([cost/1, rss/0]).

cost(Count) ->
    erlang:garbage_collect(),
    Before = rss(),
    {Made, Pids} = timed(fun() -> [spawn(fun wait/0) || _ <- lists:seq(1, Count)] end),
    receive after 500 -> ok end, % what a VM keeps for a moment is no part of a process
    Bytes = (rss() - Before) / Count,
    {Killed, ok} = timed(fun() -> kill(Pids, Count) end),
    [{"bytes", "bytes/process", Bytes}, {"spawn", "ns/process", Made / Count},
     {"kill", "ns/process", Killed / Count}].

wait() -> receive stop -> ok end.

%% Until all are gone.
kill(Pids, Count) ->
    Last = erlang:system_info(process_count) - Count,
    [exit(P, kill) || P <- Pids],
    gone(Last).

gone(Last) ->
    case erlang:system_info(process_count) =< Last of
        true -> ok;
        false -> receive after 1 -> gone(Last) end
    end.

timed(F) ->
    Start = erlang:monotonic_time(),
    Result = F(),
    {erlang:convert_time_unit(erlang:monotonic_time() - Start, native, nanosecond), Result}.

%% Resident bytes of this VM.
rss() ->
    {ok, Text} = file:read_file("/proc/self/status"),
    {match, [Kb]} = re:run(Text, "VmRSS:\\s+(\\d+)", [{capture, [1], list}]),
    list_to_integer(Kb) * 1024.
