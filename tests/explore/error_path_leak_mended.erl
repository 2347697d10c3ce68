%% error_path_leak.erl, mended.
-module(error_path_leak_mended).
-export([main/1]).

main(_) ->
    Table = ets:new(values, [public]),
    {Writer, Ref} = spawn_monitor(fun() -> ets:insert(Table, {value, 1}) end),
    timer:sleep(10),
    _ = with_helper(fun() -> ets:lookup_element(Table, value, 2) end),
    receive {'DOWN', Ref, process, Writer, normal} -> ok end.

with_helper(Work) ->
    Helper = spawn(fun() -> receive stop -> ok end end),
    try
        {ok, Work()}
    catch error:badarg -> error
    after Helper ! stop
    end.
