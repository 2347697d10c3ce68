%% explore: crash
%% Two clients want the same child of a supervisor and look whether it is there before they start it.
-module(double_start).
-behaviour(supervisor).
-export([main/1, init/1, start_child/0]).

main(_) ->
    {ok, Sup} = supervisor:start_link(?MODULE, []),
    Clients = [spawn_monitor(fun() -> timer:sleep(N), _ = worker(Sup) end) || N <- [1, 10]],
    [receive {'DOWN', Ref, process, Pid, Reason} -> normal = Reason end || {Pid, Ref} <- Clients],
    process_flag(trap_exit, true),
    exit(Sup, shutdown),
    receive {'EXIT', Sup, shutdown} -> ok end.

worker(Sup) ->
    case lists:keyfind(worker, 1, supervisor:which_children(Sup)) of
        {worker, Pid, _, _} -> Pid;
        false ->
            {ok, Pid} = supervisor:start_child(Sup, #{id => worker, start => {?MODULE, start_child, []}}),
            Pid
    end.

init(_) -> {ok, {#{strategy => one_for_one}, []}}.
start_child() -> {ok, proc_lib:spawn_link(fun() -> receive stop -> ok end end)}.
