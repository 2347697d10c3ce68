%% system_flag(multi_scheduling, ...): who blocks, how often, and that nothing runs elsewhere meanwhile.
%% skip seeds: there is one scheduler
-module(multi_scheduling).
-export([main/1]).
-include("support/show.hrl").

main(_) ->
    Self = self(),
    State = fun() -> {erlang:system_info(multi_scheduling), erlang:system_info(multi_scheduling_blockers) =:= [Self],
                      erlang:system_info(normal_multi_scheduling_blockers) =:= [Self]} end,
    Set = fun(F) -> {F, show:quiet(fun() -> erlang:system_flag(multi_scheduling, F) end), State()} end,
    ?S([Set(F) || F <- [unblock, block, block, unblock, block_normal, block_normal, unblock, unblock_normal, block,
                        unblock_normal, unblock, unblock, unblock_normal, foo, block_normal, unblock_normal]]),
    Online = erlang:system_info(schedulers_online),
    Elsewhere = fun() -> schedulers_seen(4 * Online) end,
    ?S(begin erlang:system_flag(multi_scheduling, block_normal), Elsewhere() end),
    ?S(begin erlang:system_flag(multi_scheduling, unblock_normal), spreads(100) end),
    %% another one blocks, and ends
    {P, M} = spawn_monitor(fun() -> erlang:system_flag(multi_scheduling, block), Self ! {self(), there}, receive stop -> ok end end),
    receive {P, there} -> ok end,
    ?S({erlang:system_info(multi_scheduling), erlang:system_info(multi_scheduling_blockers) =:= [P], Elsewhere(),
        erlang:system_flag(multi_scheduling, unblock)}),
    exit(P, kill), receive {'DOWN', M, _, _, _} -> ok end,
    ?S(State()),
    %% how many are online is what it will be
    ?S(begin erlang:system_flag(multi_scheduling, block), erlang:system_flag(schedulers_online, 1) =:= Online end),
    ?S({erlang:system_info(schedulers_online), erlang:system_flag(multi_scheduling, unblock), erlang:system_info(multi_scheduling)}),
    ?S(erlang:system_flag(schedulers_online, Online)),
    bound(Online),
    dirty_ones(Online).

%% Bound to one scheduler after the other, it goes on there at once, and gets nowhere else.
bound(Online) ->
    To = fun(I) -> 1 + I rem Online end,
    Wrong = fun(Before) ->
        [I || I <- lists:seq(1, 200),
              begin
                  Old = process_flag(scheduler, To(I)), Here = erlang:system_info(scheduler_id), work(3000),
                  {Old, Here, erlang:system_info(scheduler_id)} =/= {case I of 1 -> Before; _ -> To(I - 1) end, To(I), To(I)}
              end]
    end,
    ?S(Wrong(0)), ?S(show:quiet(fun() -> process_flag(scheduler, Online + 1) end)),
    Self = self(),
    [spawn_opt(fun() -> Self ! {bound, erlang:system_info(scheduler_id) =:= N andalso Wrong(N)} end, [{scheduler, N}]) || N <- lists:seq(1, Online)],
    ?S([receive {bound, R} -> R end || _ <- lists:seq(1, Online)]),
    ?S(process_flag(scheduler, 0) =:= To(200)).

%% Those for long native work that computes: how many work at a time, and that they follow the others.
dirty_ones(Online) ->
    Dirty = fun() -> erlang:system_info(dirty_cpu_schedulers_online) end,
    Set = fun(N) -> show:quiet(fun() -> erlang:system_flag(dirty_cpu_schedulers_online, N) end) end,
    %% BEAM makes it so a little later.
    Becomes = fun B(N) -> Dirty() =:= N orelse begin erlang:yield(), B(N) end end,
    ?S([erlang:system_flag(dirty_cpu_schedulers_online, N) || N <- [0]]), ?S([Set(N) || N <- [-1, a, 1.0, 1 bsl 70, Online + 1]]),
    ?S([begin Old = Set(N), {Old, Becomes(N)} end || N <- lists:seq(1, Online)]),
    ?S([begin
            Many = Dirty(), Before = erlang:system_flag(schedulers_online, N),
            {N, Becomes(max(1, Many * (100 * N div Before) div 100)), Set(N + 1)}
        end || N <- lists:seq(Online, 1, -1) ++ [Online]]),
    Set(1), Becomes(1),
    ?S(taken(6, 30) >= 120),
    Set(Online).

taken(N, Ms) ->
    Start = erlang:monotonic_time(millisecond),
    Refs = [element(2, spawn_monitor(fun() -> erts_debug:dirty_cpu(wait, Ms) end)) || _ <- lists:seq(1, N)],
    [receive {'DOWN', R, _, _, normal} -> ok end || R <- Refs],
    erlang:monotonic_time(millisecond) - Start.

spreads(0) -> false;
spreads(N) -> length(schedulers_seen(2 * erlang:system_info(schedulers_online))) > 1 orelse spreads(N - 1).

%% Where so many busy processes run.
schedulers_seen(N) ->
    Self = self(),
    Pids = [spawn_link(fun() -> Self ! {self(), seen(50, [])} end) || _ <- lists:seq(1, N)],
    lists:usort(lists:append([receive {P, L} -> L end || P <- Pids])).
seen(0, L) -> lists:usort(L);
seen(N, L) -> work(20000), seen(N - 1, [erlang:system_info(scheduler_id) | L]).
work(0) -> ok;
work(N) -> work(N - 1).
