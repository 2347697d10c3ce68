%% scheduler_wall_time is on as long as a process wants it that lives; a process may want it more than once.
-module(wall_time_users).
-export([main/1]).

main(_) ->
    say(first, [set(true), on(), set(true), set(false), on(), set(false), on(), set(false)]),
    Other = spawn_monitor(fun() -> set(true), receive stop -> ok end end),
    wait(true),
    say(another, [set(true), set(false), on(), set(false), on()]),
    element(1, Other) ! stop,
    receive {'DOWN', _, process, _, Reason} -> say(ended, Reason) end,
    wait(false),
    show:is(wrong, fun() -> erlang:system_flag(scheduler_wall_time, show:id(yes)) end),
    say(sample, [scheduler_sample(), on()]),
    set(true),
    process_flag(scheduler, 1),
    say(busy, lists:usort([busy(N * 500) || N <- lists:seq(1, 40)])).

set(On) -> erlang:system_flag(scheduler_wall_time, On).

on() -> erlang:statistics(scheduler_wall_time) =/= undefined.

%% As scheduler:utilization/1 of runtime_tools does it.
scheduler_sample() ->
    false = set(true),
    true = set(true),
    Sample = erlang:statistics(scheduler_wall_time),
    true = set(false),
    {is_list(Sample), on(), set(false)}.

%% A scheduler that does not rest is active all the time, and not longer.
busy(N) ->
    [{1, Active, All} | _] = lists:sort(erlang:statistics(scheduler_wall_time)),
    lists:sum([X * X || X <- lists:seq(1, N)]),
    [{1, Active2, All2} | _] = lists:sort(erlang:statistics(scheduler_wall_time)),
    Active2 - Active =< All2 - All.

%% Somebody else switches it.
wait(On) ->
    case on() of
        On -> ok;
        _ -> erlang:yield(), wait(On)
    end.

say(What, Term) -> io:format("~p: ~0p~n", [What, Term]).
