%% explore: crash
%% A process that wants to survive its children traps exits only after it has linked to one.
-module(late_trap_exit).
-export([main/1]).

main(_) ->
    {Parent, Ref} = spawn_monitor(fun parent/0),
    receive {'DOWN', Ref, process, Parent, Reason} -> normal = Reason end,
    ok.

parent() ->
    Child = spawn_link(fun() -> exit(shutdown) end),
    process_flag(trap_exit, true),
    receive {'EXIT', Child, shutdown} -> ok end.
