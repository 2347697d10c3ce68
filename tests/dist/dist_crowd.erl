-module(dist_crowd).
-export([main/1, most/1, sink/0]).

%% Two hundred processes send a megabyte each to the other node and are killed at once: what they have begun to say is said to
%% its end, but by few at a time, so the other node never holds much of it.
main([O]) ->
    true = net_kernel:connect_node(O),
    {_, Beam, File} = code:get_object_code(?MODULE),
    {module, _} = rpc:call(O, code, load_binary, [?MODULE, File, Beam]),
    Watch = spawn(O, ?MODULE, most, [0]),
    Sink = spawn(O, ?MODULE, sink, []),
    Payload = [<<0:(100000 * 8)>> || _ <- lists:seq(1, 10)],
    Pids = [spawn(fun() -> Sink ! Payload, timer:sleep(infinity) end) || _ <- lists:seq(1, 200)],
    timer:sleep(300),
    Last = [spawn_monitor(fun() -> Sink ! Payload end) || _ <- lists:seq(1, 50)],
    [exit(Pid, kill) || Pid <- Pids],
    io:format("ended: ~p~n", [lists:usort([receive {'DOWN', R, process, _, Why} -> Why after 20000 -> alive end || {_, R} <- Last])]),
    io:format("a small one: ~p~n", [rpc:call(O, erlang, node, []) =:= O]),
    timer:sleep(500),
    Watch ! {self(), most},
    io:format("bounded: ~p~n", [receive {most, M} -> M < 150 bsl 20 orelse M after 10000 -> nothing end]),
    not_answering(O).

%% What is said to a node that does not answer yet is held, and not more than what would be queued to one that does.
not_answering(O) ->
    Os = rpc:call(O, os, getpid, []),
    erlang:disconnect_node(O),
    os:cmd("kill -STOP " ++ Os),
    Long = lists:seq(1, 50000),
    {P, R} = spawn_monitor(fun() -> [{none, O} ! Long || _ <- lists:seq(1, 200)] end),
    timer:sleep(1000),
    io:format("held: ~p~n", [process_info(P, status)]),
    os:cmd("kill -CONT " ++ Os),
    io:format("then: ~p~n", [receive {'DOWN', R, process, P, Why} -> Why after 20000 -> process_info(P) end]).

sink() -> receive _ -> erlang:garbage_collect(), sink() end.
most(Most) ->
    receive {From, most} -> From ! {most, Most}
    after 2 -> most(max(Most, erlang:memory(binary)))
    end.
