%% ets_lost_update.erl, mended.
-module(ets_lost_update_mended).
-export([main/1]).

main(_) ->
    Table = ets:new(counters, [public]),
    ets:insert(Table, {hits, 0}),
    Workers = [spawn_monitor(fun() -> hit(Table) end) || _ <- lists:seq(1, 3)],
    [receive {'DOWN', Ref, process, Pid, normal} -> ok end || {Pid, Ref} <- Workers],
    [{hits, 3}] = ets:lookup(Table, hits),
    ok.

hit(Table) ->
    ets:update_counter(Table, hits, 1).
