%% late_monitor.erl, mended.
-module(late_monitor_mended).
-export([main/1]).

main(_) ->
    {Pid, Ref} = spawn_monitor(fun() -> exit({result, 42}) end),
    receive {'DOWN', Ref, process, Pid, Reason} -> {result, 42} = Reason end,
    ok.
