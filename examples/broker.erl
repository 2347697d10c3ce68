%% A broker between clients and servers that do not know each other (*Composing Actors*).
%%
%%     whitebeam run examples/broker.erl
%%
%% Look at broker/2: it never waits for anybody. Servers that are free and requests that are not served yet are two
%% queues of which one is always empty; a server that dies with a request gives it back.
-module(broker).
-export([main/1]).

main(_) ->
    Broker = spawn_link(fun() -> broker([], []) end),
    Clients = [spawn_link(client(N, Broker, self())) || N <- lists:seq(1, 6)],
    [spawn(server(Name, Broker)) || Name <- [careful, clumsy, quick]],
    Answers = [receive {client, Client, Answer} -> Answer end || Client <- Clients],
    [io:format("~p~n", [Answer]) || Answer <- Answers].

client(N, Broker, Main) ->
    fun() ->
        Broker ! {request, self(), N},
        receive {answer, Answer} -> Main ! {client, self(), {N, squared, Answer}} end
    end.

%% The clumsy one dies at its first request.
server(Name, Broker) ->
    fun() -> serve(Name, Broker) end.

serve(Name, Broker) ->
    Broker ! {free, self()},
    receive
        {request, _, _} when Name =:= clumsy -> exit(normal);
        {request, Client, N} -> Client ! {answer, N * N}, serve(Name, Broker)
    end.

broker(Free, Waiting) ->
    receive
        {request, _, _} = Request -> match(Free, Waiting ++ [Request]);
        {free, Server} ->
            monitor(process, Server),
            put(Server, none),
            match(Free ++ [Server], Waiting);
        {'DOWN', _, process, Server, _} ->
            case erase(Server) of
                {request, _, _} = Lost -> match(Free, [Lost | Waiting]);
                _ -> match(lists:delete(Server, Free), Waiting)
            end
    end.

match([Server | Free], [Request | Waiting]) ->
    put(Server, Request),
    Server ! Request,
    match(Free, Waiting);
match(Free, Waiting) -> broker(Free, Waiting).
