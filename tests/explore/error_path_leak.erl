%% explore: leak
%% A helper is told to stop when all went well; where the value is not there in time, nobody tells it.
-module(error_path_leak).
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
        Result = Work(),
        Helper ! stop,
        {ok, Result}
    catch error:badarg -> error
    end.
