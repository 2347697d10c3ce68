%% A run of some thousand events by thirteen processes, which ends with a crash.
-module(long).
-export([main/1, worker/2]).

main(_) ->
    Table = ets:new(t, [public]),
    Workers = [spawn_monitor(?MODULE, worker, [Table, 100]) || _ <- lists:seq(1, 12)],
    [receive {'DOWN', Ref, _, _, _} -> ok end || {_, Ref} <- Workers],
    exit(too_long).

worker(_, 0) -> ok;
worker(Table, N) ->
    ets:insert(Table, {N, self()}),
    self() ! {tick, N},
    receive {tick, N} -> worker(Table, N - 1) end.
