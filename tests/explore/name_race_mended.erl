%% name_race.erl, mended.
-module(name_race_mended).
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
            try register(the_server, Pid), Pid
            catch error:badarg -> Pid ! stop, server()
            end;
        Pid -> Pid
    end.

serve() -> receive {From, M} -> From ! {self(), M}, serve(); stop -> ok end.
