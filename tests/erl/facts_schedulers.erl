%% What OTP settles about scheduling, and about signals from and to ports, row by row. README.md lists which row is
%% reproduced by which case.
%% skip seeds: slices are as long as a seed says
-module(facts_schedulers).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    %% 9. scheduling
    ?S(slices()), ?S([shares(L) || L <- [[normal, low], [normal, low, low, low], [normal, normal, low]]]), ?S([strict(A, B) || {A, B} <- [{high, normal}, {max, high}]]), ?S(shares([normal, normal, normal])), ?S([costs(W) || W <- [calls, sends, reverse, copy]]), ?S(long_work()), ?S(preempted()),
    %% 4., 8. and 10.: what ports take part in
    ?S(of_port()), ?S(port_relations()), ?S(ports()).

apart(Fun) -> {_, R} = spawn_monitor(fun() -> exit({said, Fun()}) end), receive {'DOWN', R, _, _, {said, X}} -> X; {'DOWN', R, _, _, Why} -> {died, Why} end.
flushed() -> receive M -> [M | flushed()] after 0 -> [] end.

%% --- scheduling: everybody on the first scheduler, watched from above
on_first(Fun, Priority) -> spawn_opt(Fun, [link, {scheduler, 1}, {priority, Priority}]).
%% Reductions between two times that another one ran.
slices() ->
    A = atomics:new(1, []), Me = self(),
    Ps = [on_first(fun() -> Me ! {slices, lists:nth(20, lists:sort(sliced(A, N, reductions(), 41)))} end, normal) || N <- [1, 2]],
    L = [receive {slices, S} -> S >= 3900 andalso S =< 4400 end || _ <- Ps], L.
reductions() -> element(2, process_info(self(), reductions)).
sliced(_, _, _, 0) -> [];
sliced(A, N, Since, Left) ->
    case atomics:exchange(A, 1, N) of
        N -> sliced(A, N, Since, Left);
        _ -> Now = reductions(), [Now - Since | sliced(A, N, Now, Left - 1)]
    end.
%% How often each ran, about: the least often as 1; when the first has had 300 slices.
shares(Priorities) ->
    Counts = counted(Priorities, fun(C) -> counters:get(C, 1) > 300 * 400 end),
    Least = lists:min(Counts),
    [if N < 1.3 * Least -> 1; N > 6.5 * Least, N < 9.7 * Least -> 8; true -> N / Least end || N <- Counts].
%% What the lower one had while the higher one ran.
strict(Higher, Lower) -> [_, Low] = counted([Higher, Lower], fun(C) -> counters:get(C, 1) > 300 * 400 end), Low =:= 0.
counted(Priorities, Enough) ->
    Old = process_flag(priority, max),
    C = counters:new(length(Priorities), []), Go = atomics:new(1, []),
    Ps = [on_first(fun() -> until(Go), counting(C, I) end, P) || {I, P} <- lists:zip(lists:seq(1, length(Priorities)), Priorities)],
    atomics:put(Go, 1, 1),
    until_enough(fun() -> Enough(C) end),
    L = [counters:get(C, I) || I <- lists:seq(1, length(Priorities))],
    [begin unlink(P), exit(P, kill) end || P <- Ps],
    process_flag(priority, Old), L.
until(Go) -> case atomics:get(Go, 1) of 1 -> ok; 0 -> erlang:yield(), until(Go) end.
until_enough(F) -> F() orelse begin receive after 1 -> ok end, until_enough(F) end.
counting(C, I) -> counters:add(C, I, 1), counting(C, I).
costs(What) ->
    L = lists:seq(1, 1000), B = binary:copy(<<1>>, 1000000), Me = self(),
    Cost = fun(F) -> A = reductions(), F(), reductions() - A end,
    {What, case What of
        calls -> within(Cost(fun() -> looped(1000) end), 1000, 1100);
        sends -> Me ! warm, N = Cost(fun() -> Me ! m end), flushed(), within(N, 1, 60);
        reverse -> within(Cost(fun() -> lists:reverse(L, []) end), 1, 300);
        copy -> within(Cost(fun() -> binary:copy(B) end), 5, 20000)
    end}.
within(N, Low, High) -> N >= Low andalso N =< High orelse N.
looped(0) -> ok;
looped(N) -> looped(N - 1).
%% Long native work lets others run.
long_work() ->
    C = counters:new(1, []), P = on_first(fun() -> counting(C, 1) end, normal), Me = self(), L = lists:seq(1, 2000000),
    W = on_first(fun() -> A = counters:get(C, 1), id(term_to_binary(L)), Me ! {ran, counters:get(C, 1) > A} end, normal),
    R = receive {ran, X} -> X end, _ = W, unlink(P), exit(P, kill), R.
%% A loop that only calls itself is interrupted.
preempted() -> Me = self(), P = on_first(fun Spin() -> Spin() end, normal), Q = on_first(fun() -> Me ! ran end, normal), R = receive ran -> ran end, _ = Q, unlink(P), exit(P, kill), R.

%% --- ports
of_port() -> P = open_port({spawn, "cat"}, []), R = monitor(port, P), port_close(P), receive {'DOWN', R, port, P, W} -> W end.
port_relations() ->
    apart(fun() ->
        P = open_port({spawn, "cat"}, []), monitor(port, P),
        {process_info(self(), links) =:= {links, [P]}, process_info(self(), monitors) =:= {monitors, [{port, P}]}, erlang:port_info(P, links) =:= {links, [self()]}, erlang:port_info(P, monitored_by) =:= {monitored_by, [self()]}}
    end).
ports() ->
    apart(fun() ->
        process_flag(trap_exit, true),
        P = open_port({spawn, "cat"}, []), port_close(P), A = receive {'EXIT', P, X} -> X end,
        Q = open_port({spawn, "cat"}, []), exit(Q, over), B = receive {'EXIT', Q, Y} -> Y end,
        Me = self(), {O, R} = spawn_monitor(fun() -> Me ! {port, open_port({spawn, "cat"}, [])} end), S = receive {port, Z} -> Z end,
        M = monitor(port, S), receive {'DOWN', R, process, O, _} -> ok end, {A, B, receive {'DOWN', M, port, S, _} -> closed end, erlang:port_info(S)}
    end).
