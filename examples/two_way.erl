%% Forwarding both ways: between a client and a server stand others, which change the requests on their way and the
%% answers on the way back (*Composing Actors*).
%%
%%     whitebeam run examples/two_way.erl
%%
%% Look at forwarder/3: it remembers nothing of a request. Each request carries the way back as a list of processes; who
%% passes a request on puts itself in front, who passes an answer back takes itself off. So many requests are under way at
%% once, and a chain of forwarders is again something to forward to.
-module(two_way).
-export([main/1]).

main(_) ->
    Server = spawn_link(fun server/0),
    Scale = spawn_link(fun() -> forwarder(Server, fun(X) -> X * 10 end, fun(X) -> X / 10 end) end),
    Label = spawn_link(fun() -> forwarder(Scale, fun({_, X}) -> X end, fun(X) -> {metres, X} end) end),
    [Label ! {request, N, {metres, N}, [self()]} || N <- [1, 2, 3]],
    [receive {answer, N, Answer, []} -> io:format("~p: ~p~n", [N, Answer]) end || N <- [3, 2, 1]],
    Label ! {request, direct, {metres, 0}, [self()]},
    receive {answer, direct, Answer, []} -> io:format("~p~n", [Answer]) end.

server() ->
    receive {request, N, X, [Back | Way]} -> Back ! {answer, N, X + 1, Way}, server() end.

forwarder(Next, There, Back) ->
    receive
        {request, N, X, Way} -> Next ! {request, N, There(X), [self() | Way]};
        {answer, N, X, [To | Way]} -> To ! {answer, N, Back(X), Way}
    end,
    forwarder(Next, There, Back).
