%% Tasks that a process is asked for by others: those of low priority go one after each eight.
-module(system_tasks).
-export([main/1]).

main(_Args) ->
    process_flag(priority, high),
    process_flag(scheduler, 1),
    io:format("~w~n", [order([{low, 2}, {normal, 11}, {low, 3}, {normal, 16}])]),
    io:format("~w~n", [order([{low, 2}, {normal, 21}])]),
    io:format("~w~n", [order([{low, 3}])]),
    io:format("~w~n", [order([{normal, 5}])]),
    io:format("~w~n", [ended()]).

sleeper() -> spawn_opt(fun() -> receive after infinity -> ok end end, [{scheduler, 1}]).

order(Asked) ->
    P = sleeper(),
    All = lists:append([[{Priority, N} || N <- lists:seq(1, Count)] || {Priority, Count} <- Asked]),
    Ids = [{Priority, N, I} || {I, {Priority, N}} <- lists:enumerate(All)],
    [erts_internal:request_system_task(P, Priority, {system_task_test, Id}) || {Priority, _, _} = Id <- Ids],
    Answers = [receive {system_task_test, Id, true} -> Id end || _ <- Ids],
    exit(P, kill),
    [I || {_, _, I} <- Answers].

%% Who has ended has done none of them.
ended() ->
    P = sleeper(),
    exit(P, kill),
    M = monitor(process, P),
    receive {'DOWN', M, _, _, _} -> ok end,
    [erts_internal:request_system_task(P, Priority, {system_task_test, Priority}) || Priority <- [low, normal, low]],
    lists:sort([receive {system_task_test, Id, What} -> {Id, What} end || _ <- [1, 2, 3]]).
