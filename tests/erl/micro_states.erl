%% statistics(microstate_accounting): what threads are told of, in which states, and that each state
%% grows with what belongs to it; nothing grows while it is off.
%% skip seeds: with a seed virtual time stands still where ports work
-module(micro_states).
-export([main/1]).

main(_Args) ->
    io:format("~p~n", [[{Name, F()} || {Name, F} <- [{off, fun off/0}, {shape, fun shape/0}, {grows, fun grows/0}, {quiet, fun quiet/0}, {sums, fun sums/0}]]]),
    io:format("~p~n", [[catch erlang:system_flag(microstate_accounting, X) || X <- [maybe_, 1]] =/= []]).

flag(X) -> erlang:system_flag(microstate_accounting, X).
states() -> erlang:statistics(microstate_accounting).
sum() ->
    lists:foldl(fun(#{counters := C}, S) -> maps:merge_with(fun(_, A, B) -> A + B end, C, S) end, #{}, states()).

off() -> {flag(false), lists:usort(maps:values(sum())), flag(reset)}.

shape() ->
    States = states(),
    Types = [T || #{type := T} <- States],
    Count = fun(T) -> length([X || X <- Types, X =:= T]) end,
    Expected = [{scheduler, schedulers}, {dirty_cpu_scheduler, dirty_cpu_schedulers}, {dirty_io_scheduler, dirty_io_schedulers}],
    {lists:usort([lists:sort(maps:keys(S)) || S <- States]), lists:usort([lists:sort(maps:keys(C)) || #{counters := C} <- States]),
     [{T, Count(T) =:= erlang:system_info(I), lists:sort([I2 || #{type := T2, id := I2} <- States, T2 =:= T]) =:= lists:seq(1, Count(T))} || {T, I} <- Expected]}.

%% Until each has something, or for a minute.
grows() ->
    false = flag(true),
    Wanted = [check_io, emulator, gc, other, port, sleep, aux],
    R = work(Wanted, erlang:monotonic_time(second) + 60),
    {R, flag(false)}.
work(Wanted, Until) ->
    [erlang:garbage_collect() || _ <- lists:seq(1, 20)],
    P = open_port({spawn, "cat"}, [binary]),
    P ! {self(), {command, <<"through a pipe">>}},
    receive {P, {data, _}} -> ok end,
    port_close(P),
    Ms = [element(2, spawn_monitor(fun() -> lists:sort([rand:uniform(1000) || _ <- lists:seq(1, 1000)]) end)) || _ <- lists:seq(1, 20)],
    [receive {'DOWN', M, _, _, _} -> ok end || M <- Ms],
    [ets:delete(ets:new(t, [named_table])) || _ <- lists:seq(1, 10)],
    erlang:start_timer(1, self(), x), receive {timeout, _, x} -> ok end,
    Sum = sum(),
    case [W || W <- Wanted, map_get(W, Sum) =:= 0] of
        [] -> all;
        Left -> case erlang:monotonic_time(second) > Until of true -> {none_of, Left}; false -> work(Wanted, Until) end
    end.

%% Off: it stands still, and what was counted stays until it is reset.
quiet() ->
    A = sum(),
    lists:sort(lists:seq(1000, 1, -1)), erlang:garbage_collect(),
    B = sum(),
    Had = lists:sum(maps:values(A)) > 0,
    {A =:= B, Had, flag(reset), lists:usort(maps:values(sum()))}.

%% A scheduler's states come to the time that it was on, more or less. (The second time everything that is called
%% is compiled: between looking at the clock and at the states passes little.)
sums() ->
    measure(),
    measured(5).
%% Once more if the system has kept this from running meanwhile.
measured(N) ->
    L = measure(),
    case N > 1 andalso lists:member(false, L) of true -> measured(N - 1); false -> L end.
measure() ->
    false = flag(true),
    T0 = erlang:monotonic_time(),
    work([], 0),
    receive after 50 -> ok end,
    T = erlang:convert_time_unit(erlang:monotonic_time() - T0, native, nanosecond),
    Sums = [erlang:convert_time_unit(lists:sum(maps:values(C)), perf_counter, nanosecond) || #{type := scheduler, counters := C} <- states()],
    true = flag(false),
    flag(reset),
    lists:usort([S > T * 0.5 andalso S < T * 2 || S <- Sums]).
