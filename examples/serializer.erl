%% A serializer around a service (after *Composing Actors*).
%%
%% The service only knows how to answer one request at a time and says when it is free again. The
%% serializer stands in front of it: clients talk to the serializer as if it were the service, it
%% lets one request through, keeps the others in order, and the service answers the client itself.
%% Neither the clients nor the service know of each other's number.
-module(serializer).
-export([main/1]).

main(_Args) ->
    Service = spawn_link(fun() -> service(0) end),
    Front = start(Service),
    Clients = [spawn_client(Front, N) || N <- lists:seq(1, 20)],
    Answers = lists:sort([receive {Client, Answer} -> Answer end || Client <- Clients]),
    io:format("~b clients, each answered once: ~w~n", [length(Clients), Answers]),
    Front ! {request, self(), how_many_at_once},
    receive {reply, MostAtOnce} -> io:format("most requests inside the service at once: ~b~n", [MostAtOnce]) end.

spawn_client(Front, N) ->
    Main = self(),
    spawn_link(fun() ->
        Front ! {request, self(), {square, N}},
        receive {reply, Answer} -> Main ! {self(), Answer} end
    end).

%% --- the serializer: two behaviours, free and busy ---------------------------------------------

start(Service) -> spawn_link(fun() -> free(Service) end).

free(Service) ->
    receive
        {request, Client, Request} ->
            Service ! {request, self(), Client, Request},
            busy(Service)
    end.

%% While the service works, requests wait in the mailbox: only `done` is received here.
busy(Service) ->
    receive {done, Service} -> free(Service) end.

%% --- the service --------------------------------------------------------------------------------
%% It keeps count of how many requests it ever had at once: never more than one.

service(Most) ->
    receive
        {request, Front, Client, how_many_at_once} ->
            Client ! {reply, Most},
            Front ! {done, self()},
            service(Most);
        {request, Front, Client, {square, N}} ->
            erlang:yield(),
            {message_queue_len, Others} = process_info(self(), message_queue_len),
            Client ! {reply, N * N},
            Front ! {done, self()},
            service(max(Most, 1 + Others))
    end.
