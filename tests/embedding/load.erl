%% Work of all kinds for two_machines: messages, spawns, lists, maps, binaries, ETS.
-module(load).
-export([run/1]).

run(Rounds) ->
    T = ets:new(load, [public]),
    Echo = spawn_link(fun echo/0),
    lists:foreach(fun(N) -> round(N, T, Echo) end, lists:seq(1, Rounds)),
    ets:delete(T),
    Rounds.

round(N, T, Echo) ->
    [begin Echo ! {self(), K}, receive {echo, K} -> ok end end || K <- lists:seq(1, 200)],
    Pids = [spawn_monitor(fun() -> ok end) || _ <- lists:seq(1, 50)],
    [receive {'DOWN', M, _, _, _} -> ok end || {_, M} <- Pids],
    L = lists:sort([{erlang:phash2({N, K}), K} || K <- lists:seq(1, 1000)]),
    M = maps:from_list(L),
    true = lists:sum(maps:values(M)) > 0,
    B = << <<K:32>> || {K, _} <- L >>,
    [_ | _] = binary:matches(B, <<0>>),
    [ets:insert(T, {K, N}) || K <- lists:seq(1, 200)],
    _ = lists:sum([V || {_, V} <- ets:tab2list(T)]).

echo() -> receive {From, K} -> From ! {echo, K}, echo() end.
