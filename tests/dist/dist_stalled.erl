-module(dist_stalled).
-export([main/1]).

%% The other node is stopped, and a message larger than what the kernel takes fills the way there: who sends anything is suspended.
main([O]) ->
    true = net_kernel:connect_node(O),
    [P, Ended] = [spawn(O, timer, sleep, [infinity]) || _ <- [1, 2]],
    Os = rpc:call(O, os, getpid, []),
    Self = self(),
    M = monitor(process, Ended),
    os:cmd("kill -STOP " ++ Os),
    Large = spawn(fun() -> erlang:send({none, O}, <<0:(16000000 * 8)>>) end),
    until_said(Large),
    timer:sleep(300),
    Operations = [fun() -> link(P) end, fun() -> link(P), unlink(P) end, fun() -> is_reference(monitor(process, P)) end,
                  fun() -> demonitor(monitor(process, P)) end, fun() -> exit(Ended, oops) end, fun() -> apply(erlang, id(link), [P]) end,
                  fun() -> demonitor(monitor(process, P), [flush, info]) end, fun() -> P ! hello end,
                  fun() -> erlang:send(P, hello, [nosuspend]) end],
    Pids = [spawn(fun() -> Self ! {self(), F()}, timer:sleep(infinity) end) || F <- Operations],
    timer:sleep(500),
    Seen = [process_info(Pid, [status, current_function]) || Pid <- Pids],
    os:cmd("kill -CONT " ++ Os),
    io:format("suspended: ~0p~n", [[case I of [{status, suspended}, {_, {erlang, _, _}}] -> suspended_in_erlang;
                [{status, S}, _] -> S end || I <- Seen]]),
    io:format("done: ~0p~n", [[receive {Pid, R} -> R after 10000 -> nothing end || Pid <- Pids]]),
    io:format("monitor: ~p~n", [receive {'DOWN', M, process, Ended, Why} -> Why after 10000 -> alive end]).
id(X) -> persistent_term:get(none, X).

until_said(P) ->
    lists:member(process_info(P, status), [undefined, {status, suspended}]) orelse begin timer:sleep(20), until_said(P) end.
