%% explore: crash
%% Whoever finds no server starts one and registers it: two may find none.
-module(name_race).
-export([main/1]).

main(_) ->
    Clients = [spawn_monitor(fun() -> ask() end) || _ <- [1, 2]],
    [receive {'DOWN', Ref, process, Pid, Reason} -> normal = Reason end || {Pid, Ref} <- Clients],
    whereis(the_server) ! stop,
    ok.

ask() ->
    Server = server(),
    Server ! {self(), hello},
    receive {Server, hello} -> ok end.

server() ->
    case whereis(the_server) of
        undefined ->
            Pid = spawn(fun serve/0),
            register(the_server, Pid),
            Pid;
        Pid -> Pid
    end.

serve() -> receive {From, M} -> From ! {self(), M}, serve(); stop -> ok end.
