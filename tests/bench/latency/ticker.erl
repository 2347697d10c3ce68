%% only on demand
%% A process that wants to wake every millisecond: how late it is (microseconds).
-module(ticker).
-export([lateness/2]).

%% Runs Load() (which starts processes and returns a fun that stops them) beside 400 ticks. Some before
%% them do not count: what is loaded at its first call has been called then.
lateness(Label, Load) ->
    _ = ticks(10, erlang:monotonic_time(microsecond), []),
    Stop = Load(),
    Late = lists:sort(ticks(400, erlang:monotonic_time(microsecond), [])),
    Stop(),
    N = length(Late),
    [{[Label, "_", Name], "us", lists:nth(max(1, min(N, round(N * P))), Late)}
     || {Name, P} <- [{"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}, {"worst", 1.0}]].

ticks(0, _, Late) -> Late;
ticks(N, Last, Late) ->
    receive after 1 -> ok end,
    Now = erlang:monotonic_time(microsecond),
    ticks(N - 1, Now, [max(0, Now - Last - 1000) | Late]).
