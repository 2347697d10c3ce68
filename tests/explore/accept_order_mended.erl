%% accept_order.erl, mended: each client says who it is.
-module(accept_order_mended).
-export([main/1]).

main(_) ->
    {ok, Listener} = gen_tcp:listen(0, [binary, {active, false}, {packet, 4}]),
    {ok, Port} = inet:port(Listener),
    [spawn_link(fun() -> client(Port, Name) end) || Name <- [<<"one">>, <<"two">>]],
    [<<"one">>, <<"two">>] = lists:sort([served(Listener), served(Listener)]).

served(Listener) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    {ok, Name} = gen_tcp:recv(Socket, 0),
    ok = gen_tcp:close(Socket),
    Name.

client(Port, Name) ->
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}, {packet, 4}]),
    ok = gen_tcp:send(Socket, Name),
    {error, closed} = gen_tcp:recv(Socket, 0).
