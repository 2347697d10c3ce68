%% `in` and `out` of processes that do not run Erlang code: that are asked something, linked to or killed while they
%% wait, and that are on a dirty scheduler; there the number of the scheduler is 0.
%% skip replay: other threads send trace messages
%% skip seeds: the work of dirty schedulers follows real time
%% skip repeats: the same
-module(tracing_turns).
-export([main/1]).

main(_) ->
    code:ensure_loaded(erts_debug),
    show(asked, [running, procs], fun waits/0, [fun(P) -> link(P) end, fun(P) -> unlink(P) end, fun(P) -> erlang:process_info(P, messages) end, fun(P) -> P ! x end]),
    [show(killed, Flags, fun waits/0, [fun(P) -> exit(P, kill) end]) || Flags <- [[running], [exiting], [procs], [running, exiting, procs]]],
    [show({Kind, Flags}, Flags, fun() -> receive go -> erts_debug:Kind(wait, 50) end, waits() end, [fun(P) -> P ! go, timer:sleep(200) end])
     || Kind <- [dirty_cpu, dirty_io], Flags <- [[running], [running, scheduler_id], [exiting]]],
    Me = self(),
    [show({killed, Kind, Flags}, Flags, fun() -> receive go -> erts_debug:Kind(alive_waitexiting, Me) end end,
          [fun(P) -> P ! go, receive {alive, P} -> timer:sleep(50) end end, fun(P) -> exit(P, kill), timer:sleep(300) end])
     || Kind <- [dirty_cpu, dirty_io], Flags <- [[running], [exiting], [running, exiting, procs], [exiting, scheduler_id]]].

waits() -> receive never -> ok end.

show(What, Flags, F, Steps) ->
    P = spawn(F),
    timer:sleep(20),
    1 = erlang:trace(P, true, Flags),
    [begin S(P), timer:sleep(30) end || S <- Steps],
    io:format("~p ~p~n", [What, all(P)]),
    exit(P, kill).

all(P) -> receive {trace, P, Tag, What} -> [{Tag, named(What)} | all(P)]; {trace, P, Tag, What, Scheduler} -> [{Tag, named(What), Scheduler =:= 0} | all(P)] after 0 -> [] end.

named(Pid) when is_pid(Pid) -> pid;
named({?MODULE, _, _}) -> here;
named(What) -> What.
