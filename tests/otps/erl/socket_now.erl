%% Calls of `socket` that must not wait, options and requests of OTP 27 and later.
-module(socket_now).
-export([main/0]).

main() ->
    {C, S} = pair(),
    show(no_bytes, fun() -> socket:recv(S, 0, [], 0) end),
    show(no_packet, fun() -> socket:recvfrom(S, 4, [], 0) end),
    show(no_message, fun() -> socket:recvmsg(S, 0, 0, [], 0) end),
    send(C, <<"abcd">>),
    show(waiting, fun() -> socket:ioctl(S, nread) end),
    show(mark, fun() -> socket:ioctl(S, atmark) end),
    show(all, fun() -> socket:recv(S, 4, [], 0) end),
    send(C, <<"abcd">>),
    show(part, fun() -> socket:recv(S, 10, [], 0) end),
    show(states, fun() -> maps:get(wstates, socket:info(S)) end),
    [show(Option, fun() -> [socket:getopt(C, tcp, Option), socket:setopt(C, tcp, Option, 5), socket:getopt(C, tcp, Option)] end)
     || Option <- [keepcnt, keepidle, keepintvl]],
    show(machine, fun() -> lists:sort(maps:keys(socket:info())) end),
    show(address, fun() -> {ok, [A | _]} = net:getaddrinfo("127.0.0.1", "80"), lists:sort(maps:keys(A)) end),
    {ok, U} = socket:open(inet, dgram, udp),
    ok = socket:bind(U, #{family => inet, addr => loopback, port => 0}),
    show(no_datagram, fun() -> socket:recv(U, 4, [], 0) end),
    numbers(),
    requests().

%% What was told to OTP 25 to be 0.0 - X and X + 0.
numbers() -> [show(number, fun() -> [{negated(A), minus_nothing(A)} || A <- [0.0, -0.0, 1.5, -2.5]] end) || _ <- lists:seq(1, 20)].
negated(A) when is_float(A) -> -A.
minus_nothing(A) -> A - 0.

requests() ->
    show(port, fun() -> open_port("/no/x", []) end),
    show(tolerant, fun() -> erlang:system_info(tolerant_timeofday) end).

show(What, F) ->
    Value = try F() catch Class:Reason -> {Class, Reason} end,
    io:format("~p: ~0p~n", [What, Value]).

send(C, Bytes) -> ok = socket:send(C, Bytes), timer:sleep(50).

pair() ->
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L),
    {ok, Address} = socket:sockname(L),
    {ok, C} = socket:open(inet, stream, tcp),
    ok = socket:connect(C, Address),
    {ok, S} = socket:accept(L),
    {C, S}.
