%% only on demand
%% A process that wants to wake every millisecond: how late it is (microseconds).
-module(ticker).
-export([lateness/2]).

%% Runs Load() (which starts processes and returns a fun that stops them) beside 1,000 ticks, the latenesses of
%% which are a distribution: `table` makes the percentiles, of all ticks of all rounds. Some ticks before them do
%% not count: what is loaded at its first call has been called then.
lateness(Label, Load) ->
    _ = ticks(10, erlang:monotonic_time(microsecond), []),
    Stop = Load(),
    Late = ticks(1000, erlang:monotonic_time(microsecond), []),
    Stop(),
    {Label, "us", Late}.

%% A tick on time counts as a microsecond late: ratios of nothing are none.
ticks(0, _, Late) -> Late;
ticks(N, Last, Late) ->
    receive after 1 -> ok end,
    Now = erlang:monotonic_time(microsecond),
    ticks(N - 1, Now, [max(1, Now - Last - 1000) | Late]).
