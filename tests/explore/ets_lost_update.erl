%% explore: crash
%% Three processes read a counter in a table and write back one more: an update between the two is lost.
-module(ets_lost_update).
-export([main/1]).

main(_) ->
    Table = ets:new(counters, [public]),
    ets:insert(Table, {hits, 0}),
    Workers = [spawn_monitor(fun() -> hit(Table) end) || _ <- lists:seq(1, 3)],
    [receive {'DOWN', Ref, process, Pid, normal} -> ok end || {Pid, Ref} <- Workers],
    [{hits, 3}] = ets:lookup(Table, hits),
    ok.

hit(Table) ->
    [{hits, N}] = ets:lookup(Table, hits),
    ets:insert(Table, {hits, N + 1}).
