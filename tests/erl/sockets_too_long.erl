%% What is too long for a socket's buffer: the error, whether it can still send, who is told what and how
%% often; lines of exactly the buffer's length; the peer's end with {exit_on_close, false}.
-module(sockets_too_long).
-export([main/1]).

main(_) ->
    [overflow(Mode, Packet, Exit)
     || Mode <- [once, true, 5, false], Packet <- [httph_bin, 4], Exit <- [true, false]],
    [exact(Packet, N, End) || Packet <- [line, http_bin, httph_bin], End <- ["\r\n", "\n"], N <- [-1, 0, 1]],
    [in_two(Packet, N) || Packet <- [line, httph_bin], N <- [-1, 0, 1]],
    [peer_ends(Mode) || Mode <- [once, true, 5]].

pair(Options) ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {reuseaddr, true}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false} | Options]),
    {ok, A} = gen_tcp:accept(L),
    gen_tcp:close(L),
    {C, A}.

overflow(Mode, Packet, Exit) ->
    io:format("== ~p ~p ~p~n", [Mode, Packet, Exit]),
    {C, A} = pair([{packet, Packet}, {buffer, 1000}, {exit_on_close, Exit} | [{packet_size, 100} || Packet =:= 4]]),
    {Short, Long} = case Packet of
                        4 -> {<<3:32, "abc">>, <<16#7fffffff:32, "abc">>};
                        _ -> {"Host: x\r\n", lists:duplicate(1000, $a)}
                    end,
    gen_tcp:send(A, [Short, Long]),
    timer:sleep(20),
    case Mode of
        false -> show(recv, [gen_tcp:recv(C, 0, 100) || _ <- [1, 2, 3]]);
        _ ->
            inet:setopts(C, [{active, Mode}]),
            heard(C),
            show(set, inet:setopts(C, [{active, once}])),
            heard(C)
    end,
    show(active, inet:getopts(C, [active])),
    show(send, gen_tcp:send(C, "hello")),
    show(peer, gen_tcp:recv(A, 0, 1000)),
    show(more, gen_tcp:send(A, "more\n")),
    timer:sleep(20),
    heard(C),
    show(set, inet:setopts(C, [{active, once}])),
    heard(C),
    show(recv, gen_tcp:recv(C, 0, 100)),
    show(shutdown, gen_tcp:shutdown(C, write)),
    gen_tcp:close(C),
    gen_tcp:close(A),
    heard(C).

show(What, Value) -> io:format("~p ~0p~n", [What, short(Value)]).

heard(C) ->
    receive
        Message when element(2, Message) =:= C ->
            io:format("got ~0p~n", [short(setelement(2, Message, socket))]),
            heard(C)
    after 60 -> ok
    end.

short(T) when is_tuple(T) -> list_to_tuple([short(E) || E <- tuple_to_list(T)]);
short(L) when is_list(L) -> [short(E) || E <- L];
short(B) when is_binary(B), byte_size(B) > 20 -> {bytes, byte_size(B)};
short(X) -> X.

%% A line of `buffer` + N bytes.
line(N, End) ->
    Name = "Xxxxxxx: ",
    [Name, lists:duplicate(1460 + N - length(Name) - length(End), $a), End].

exact(Packet, N, End) ->
    {C, A} = pair([{packet, Packet}, {buffer, 1460}]),
    First = case Packet of http_bin -> "GET / HTTP/1.1\r\n"; _ -> [] end,
    gen_tcp:send(A, [First, line(N, End) | ["Foo: b\r\n\r\n" || Packet =/= line]]),
    timer:sleep(10),
    show({Packet, N, End}, [gen_tcp:recv(C, 0, 60) || _ <- [1, 2, 3]]),
    gen_tcp:close(C),
    gen_tcp:close(A).

in_two(Packet, N) ->
    {C, A} = pair([{packet, Packet}, {buffer, 1460}]),
    All = iolist_to_binary([line(N, "\r\n") | ["Foo: b\r\n\r\n" || Packet =/= line]]),
    {One, Two} = split_binary(All, 700),
    gen_tcp:send(A, One),
    timer:sleep(20),
    spawn(fun() -> timer:sleep(20), gen_tcp:send(A, Two) end),
    First = gen_tcp:recv(C, 0, 5000),
    show({two, Packet, N}, [First | [gen_tcp:recv(C, 0, 100) || _ <- [2, 3]]]),
    gen_tcp:close(C),
    gen_tcp:close(A).

peer_ends(Mode) ->
    io:format("== ends ~p~n", [Mode]),
    {C, A} = pair([{packet, line}, {exit_on_close, false}, {active, Mode}]),
    gen_tcp:shutdown(A, write),
    heard(C),
    [begin show({set, M}, inet:setopts(C, [{active, M}])), heard(C) end || M <- [once, once, true, false, 3]],
    show(send, gen_tcp:send(C, "hello")),
    show(peer, gen_tcp:recv(A, 0, 1000)),
    gen_tcp:close(C),
    gen_tcp:close(A).
