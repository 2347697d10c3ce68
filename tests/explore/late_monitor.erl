%% explore: crash
%% A worker tells its result by how it ends; if it has ended before it is monitored, nobody learns it.
-module(late_monitor).
-export([main/1]).

main(_) ->
    Pid = spawn(fun() -> exit({result, 42}) end),
    Ref = monitor(process, Pid),
    receive {'DOWN', Ref, process, Pid, Reason} -> {result, 42} = Reason end,
    ok.
