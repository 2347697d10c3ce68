%% late_trap_exit.erl, mended.
-module(late_trap_exit_mended).
-export([main/1]).

main(_) ->
    {Parent, Ref} = spawn_monitor(fun parent/0),
    receive {'DOWN', Ref, process, Parent, Reason} -> normal = Reason end,
    ok.

parent() ->
    process_flag(trap_exit, true),
    Child = spawn_link(fun() -> exit(shutdown) end),
    receive {'EXIT', Child, shutdown} -> ok end.
