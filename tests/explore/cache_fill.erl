%% explore: crash
%% A value that is to be computed once is computed by everybody who misses it in time.
-module(cache_fill).
-export([main/1]).

main(_) ->
    Cache = ets:new(cache, [public]),
    ets:insert(Cache, {computed, 0}),
    Readers = [spawn_monitor(fun() -> 42 = value(Cache) end) || _ <- [1, 2, 3]],
    [receive {'DOWN', Ref, process, Pid, normal} -> ok end || {Pid, Ref} <- Readers],
    [{computed, 1}] = ets:lookup(Cache, computed),
    ok.

value(Cache) ->
    case ets:lookup(Cache, answer) of
        [{answer, Value}] -> Value;
        [] -> compute(Cache)
    end.

compute(Cache) ->
    ets:update_counter(Cache, computed, 1),
    ets:insert(Cache, {answer, 42}),
    42.
