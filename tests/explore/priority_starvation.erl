%% explore: starvation
%% A process of high priority polls for what one of normal priority is still to write: it never gets a turn.
-module(priority_starvation).
-export([main/1]).

main(_) ->
    Table = ets:new(flags, [public]),
    {Writer, One} = spawn_monitor(fun() -> ets:insert(Table, {ready, true}) end),
    timer:sleep(10),
    {Poller, Two} = spawn_opt(fun() -> poll(Table) end, [monitor, {priority, high}]),
    [receive {'DOWN', Ref, process, Pid, normal} -> ok end || {Pid, Ref} <- [{Writer, One}, {Poller, Two}]],
    ok.

poll(Table) ->
    case ets:lookup(Table, ready) of
        [] ->
            poll(Table);
        _ -> ok
    end.
