%% TCP between processes of one program: connections, packets, active modes, ends, times, errors.
%% skip repeats: files named after the number of the operating system's process
-module(sockets).
-export([main/1]).

-include("tcp.hrl").

main(_) ->
    [test(Name, Fun) || {Name, Fun} <-
        [{echo, fun echo/0}, {active, fun active/0}, {counted, fun counted/0}, {http, fun http/0},
         {packets, fun packets/0}, {header, fun header/0}, {pool, fun pool/0},
         {half_close, fun half_close/0}, {times, fun times/0},
         {ends, fun ends/0}, {errors, fun errors/0}, {owners, fun owners/0}, {local, fun local/0},
         {inet6, fun inet6/0}]].

echo() ->
    Modes = [{P, M} || P <- [raw, 1, 2, 4, line], M <- [list, binary]],
    [begin
         {S, C} = pair([{packet, P}, M], [{packet, P}, M]),
         Echo = spawn(fun() -> receive go -> echo_loop(S) end end),
         ok = gen_tcp:controlling_process(S, Echo),
         Echo ! go,
         Sizes = case P of 1 -> [0, 1, 100, 255]; line -> [0, 1, 500]; raw -> [1, 7, 1000]; _ -> [0, 1, 100, 3000] end,
         show({P, M}, [round_trip(C, P, N, M) || N <- Sizes]),
         gen_tcp:close(C)
     end || {P, M} <- Modes].

echo_loop(S) ->
    case gen_tcp:recv(S, 0) of
        {ok, Data} -> ok = gen_tcp:send(S, Data), echo_loop(S);
        {error, closed} -> gen_tcp:close(S)
    end.

round_trip(C, P, N, M) ->
    Bytes = [($a + K rem 26) || K <- lists:seq(1, N)] ++ [$\n || P =:= line],
    ok = gen_tcp:send(C, Bytes),
    Want = case P of raw -> N; _ -> 0 end,
    {ok, Back} = gen_tcp:recv(C, Want),
    true = case M of binary -> is_binary(Back); list -> is_list(Back) end,
    {N, iolist_to_binary(Back) =:= iolist_to_binary(Bytes)}.

active() ->
    {S, C} = pair([{packet, 2}], [{packet, 2}, binary]),
    ok = inet:setopts(C, [{active, true}]),
    [gen_tcp:send(S, Text) || Text <- ["one", "two", "three"]],
    show(true, [next() || _ <- [1, 2, 3]]),
    ok = inet:setopts(C, [{active, once}]),
    [gen_tcp:send(S, Text) || Text <- ["four", "five"]],
    show(once, [next(), inet:getopts(C, [active]), next(100)]),
    ok = inet:setopts(C, [{active, once}]),
    show(once, next()),
    show(none, next(50)),
    show(recv_in_active, begin inet:setopts(C, [{active, true}]), gen_tcp:recv(C, 0) end),
    gen_tcp:close(S),
    show(closed, next()),
    show(gone, erlang:port_info(C)).

next() -> next(5000).
next(Time) -> receive M -> anonymous(M) after Time -> none end.

counted() ->
    {S, C} = pair([{packet, 1}], [{packet, 1}]),
    ok = inet:setopts(C, [{active, 2}]),
    [gen_tcp:send(S, [$a + K]) || K <- lists:seq(0, 4)],
    show(two, [next(), next(), next(), next(50), inet:getopts(C, [active])]),
    % What is still with the system comes a moment after the socket is active: each is waited for.
    ok = inet:setopts(C, [{active, 1}]),
    show(more, [next(), next()]),
    ok = inet:setopts(C, [{active, 1}]),
    show(again, [next(), next(), next(50)]),
    show(too_many, [inet:setopts(C, [{active, 32767}]), next(), inet:setopts(C, [{active, 1}]),
                    inet:getopts(C, [active]), inet:setopts(C, [{active, 1}]), next(50)]),
    show(down, [inet:setopts(C, [{active, -40000}]), inet:setopts(C, [{active, -32768}]), next(),
                inet:getopts(C, [active])]).

http() ->
    [begin
         {S, C} = pair([{packet, Type}], []),
         ok = gen_tcp:send(C, ["GET /a?b=c HTTP/1.1\r\nHost: localhost:80\r\nX-Other:  two\r\n words\r\n",
                               "content-length: 4\r\n\r\nbodyPUT * HTTP/1.0\r\n\r\nbad line\r\n"]),
         show(Type, http_request(S)),
         inet:setopts(S, [{packet, raw}]),
         show(body, gen_tcp:recv(S, 4)),
         inet:setopts(S, [{packet, Type}, {active, once}]),
         show(again, next()),
         inet:setopts(S, [{active, true}]),
         show(rest, [next(), next()])
     end || Type <- [http, http_bin]],
    {S, C} = pair([{packet, http}], [{packet, httph}]),
    ok = gen_tcp:send(S, "A: b\r\nC: d\r\n\r\n"),
    show(headers, [gen_tcp:recv(C, 0), gen_tcp:recv(C, 0), gen_tcp:recv(C, 0)]),
    ok = gen_tcp:send(C, "HTTP/1.1 404 Not here\r\n\r\n"),
    show(response, http_request(S)).

http_request(S) ->
    case gen_tcp:recv(S, 0, 5000) of
        {ok, http_eoh} -> [http_eoh];
        {ok, Packet} -> [Packet | http_request(S)];
        Error -> [Error]
    end.

packets() ->
    Send = fun(Type, Options, Bytes, N) ->
                   {S, C} = pair([{packet, Type} | Options], []),
                   ok = gen_tcp:send(C, Bytes),
                   ok = gen_tcp:shutdown(C, write),
                   show(Type, [gen_tcp:recv(S, 0, 5000) || _ <- lists:seq(1, N)])
           end,
    Send(asn1, [], [48, 3, 1, 2, 3, 48, 129, 2, 7, 8], 3),
    Send(sunrm, [], [128, 0, 0, 2, 1, 2, 0, 0, 0, 1, 9], 3),
    Send(cdr, [], ["GIOP", 1, 2, 0, 0, 0, 0, 0, 3, 1, 2, 3], 2),
    Send(cdr, [], "XIOP123456789", 1),
    Send(fcgi, [binary], [1, 2, 0, 1, 0, 3, 2, 0, 1, 2, 3, 0, 0], 2),
    Send(tpkt, [], [3, 0, 0, 7, 1, 2, 3], 2),
    Send(line, [{buffer, 5}], "abcdefgh\nij\n", 4),
    Send(4, [{packet_size, 10}], [0, 0, 0, 10, "0123456789", 0, 0, 0, 11, "0123456789a"], 2),
    Send(4, [], [0, 0, 0, 10, "0123"], 1),
    {D, E} = pair([{packet, line}], []),
    ok = inet:setopts(D, [{line_delimiter, $;}]),
    ok = gen_tcp:send(E, "a;bc;d"),
    show(delimiter, [gen_tcp:recv(D, 0, 50) || _ <- [1, 2, 3]]),
    process_flag(trap_exit, true),
    {S, C} = pair([{packet, 2}, {packet_size, 3}], []),
    ok = inet:setopts(S, [{active, true}]),
    ok = gen_tcp:send(C, [0, 3, "abc", 0, 4, "abcd"]),
    show(too_long, [next(), next(), next(), next(100)]).

header() ->
    {S, C} = pair([binary, {packet, 2}, {header, 2}], [{packet, 2}]),
    [gen_tcp:send(C, T) || T <- ["a", "ab", "abc", ""]],
    show(passive, [gen_tcp:recv(S, 0) || _ <- [1, 2, 3, 4]]),
    inet:setopts(S, [{active, true}, {deliver, port}]),
    gen_tcp:send(C, "abcd"),
    show(port, next()).

pool() ->
    {ok, L} = gen_tcp:listen(0, [{ip, ?IP}, binary, {packet, 4}, {active, false}, {backlog, 200}]),
    {ok, Port} = inet:port(L),
    Self = self(),
    Acceptors = [spawn_link(fun() -> acceptor(L, Self) end) || _ <- lists:seq(1, 10)],
    Clients = [spawn_link(fun() -> client(Port, N, Self) end) || N <- lists:seq(1, 100)],
    show(sum, lists:sum([receive {C, Sum} -> Sum end || C <- Clients])),
    gen_tcp:close(L),
    show(closed, lists:usort([receive {A, Why} -> Why end || A <- Acceptors])).

acceptor(L, Parent) ->
    case gen_tcp:accept(L) of
        {ok, S} -> doubler(S), acceptor(L, Parent);
        {error, einval} -> Parent ! {self(), closed};  % who asks just while it is closed is told so, on erl too
        {error, Why} -> Parent ! {self(), Why}
    end.

doubler(S) ->
    case gen_tcp:recv(S, 0) of
        {ok, B} -> ok = gen_tcp:send(S, term_to_binary(2 * binary_to_term(B))), doubler(S);
        {error, closed} -> gen_tcp:close(S)
    end.

client(Port, N, Parent) ->
    {ok, C} = gen_tcp:connect(?IP, Port, [binary, {packet, 4}, {active, true}]),
    Sum = lists:sum([begin
                         ok = gen_tcp:send(C, term_to_binary(N * K)),
                         receive {tcp, C, B} -> binary_to_term(B) end
                     end || K <- lists:seq(1, 20)]),
    gen_tcp:close(C),
    Parent ! {self(), Sum}.

half_close() ->
    {S, C} = pair([], [{exit_on_close, false}]),
    ok = gen_tcp:send(C, "question"),
    ok = gen_tcp:shutdown(C, write),
    show(asked, [gen_tcp:recv(S, 8), gen_tcp:recv(S, 0)]),
    {S2, C2} = pair([{exit_on_close, false}], []),
    ok = gen_tcp:send(C2, "question"),
    ok = gen_tcp:shutdown(C2, write),
    show(asked, [gen_tcp:recv(S2, 8), gen_tcp:recv(S2, 0), gen_tcp:recv(S2, 0)]),
    show(answer, [gen_tcp:send(S2, "answer"), gen_tcp:close(S2)]),
    show(answered, [gen_tcp:recv(C2, 0), gen_tcp:recv(C2, 0), gen_tcp:send(C, "x")]).

times() ->
    {ok, L} = gen_tcp:listen(0, [{ip, ?IP}, {active, false}]),
    show(accept, [gen_tcp:accept(L, 0), gen_tcp:accept(L, 30)]),
    {ok, Port} = inet:port(L),
    {ok, C} = gen_tcp:connect(?IP, Port, [{active, false}], 5000),
    {ok, S} = gen_tcp:accept(L, 1000),
    show(recv, [gen_tcp:recv(C, 0, 0), gen_tcp:recv(C, 0, 20), gen_tcp:recv(C, 5, 20)]),
    ok = gen_tcp:send(S, "abc"),
    show(partly, [gen_tcp:recv(C, 5, 50), gen_tcp:recv(C, 3, 50)]),
    show(order, timeouts(L, 5)),
    show(status, prim_inet:getstatus(L)).

%% Those who wait shorter are told first. (Again, if the system has kept one of them from running so long.)
timeouts(L, Attempts) ->
    Self = self(),
    [spawn(fun() -> Self ! {T, gen_tcp:accept(L, T)} end) || T <- [600, 200, 400]],
    Told = [receive M -> M end || _ <- [1, 2, 3]],
    case Told =:= lists:sort(Told) of
        false when Attempts > 1 -> timeouts(L, Attempts - 1);
        _ -> Told
    end.

ends() ->
    {S, C} = pair([], []),
    Self = self(),
    Reader = spawn(fun() -> Self ! {self(), gen_tcp:recv(S, 0)} end),
    show(busy, [begin until_inside(Reader), gen_tcp:recv(S, 0) end, gen_tcp:close(S)]),
    show(reader, receive {Reader, R} -> R end),
    show(closed, [gen_tcp:recv(S, 0), gen_tcp:send(S, "x"), inet:setopts(S, [{active, once}]), gen_tcp:close(S),
                  inet:peername(S), inet:sockname(S), inet:port(S)]),
    show(peer, [gen_tcp:recv(C, 0), gen_tcp:recv(C, 0), inet:peername(C), prim_inet:getstatus(C)]),
    show(active, [inet:setopts(C, [{active, true}]), next()]),
    {S2, C2} = pair([{linger, {true, 0}}], [{active, true}, {show_econnreset, true}]),
    gen_tcp:close(S2),
    show(reset, [next(), next(), next(20), erlang:port_info(C2)]),
    {S3, C3} = pair([{linger, {true, 0}}], [{show_econnreset, true}]),
    gen_tcp:close(S3),
    show(reset, [gen_tcp:recv(C3, 0), gen_tcp:recv(C3, 0)]),
    {S4, C4} = pair([{linger, {true, 0}}], []),
    gen_tcp:close(S4),
    show(quiet, [gen_tcp:recv(C4, 0), gen_tcp:send(C4, "x"), gen_tcp:send(C4, "x")]),
    {ok, L} = gen_tcp:listen(0, [{ip, ?IP}]),
    Acceptor = spawn(fun() -> Self ! {self(), gen_tcp:accept(L)} end),
    until_inside(Acceptor),
    show(status, prim_inet:getstatus(L)),
    gen_tcp:close(L),
    show(acceptor, receive {Acceptor, A} -> A end).

%% Until it waits for a socket.
until_inside(P) ->
    case process_info(P, [status, current_function]) of
        [{status, waiting}, {current_function, {prim_inet, _, _}}] -> ok;
        _ -> timer:sleep(5), until_inside(P)
    end.

errors() ->
    {ok, L} = gen_tcp:listen(0, [{ip, ?IP}]),
    {ok, Port} = inet:port(L),
    show(in_use, gen_tcp:listen(Port, [{ip, ?IP}])),
    gen_tcp:close(L),
    show(refused, gen_tcp:connect(?IP, Port, [])),
    show(bad_address, gen_tcp:connect({1, 2, 3}, Port, [])),
    show(not_here, gen_tcp:listen(0, [{ip, {8, 8, 8, 8}}])),
    show(bad_option, [catch gen_tcp:connect(?IP, Port, [{foo, 1}]), catch gen_tcp:listen(0, [{active, 7.0}])]),
    {S, C} = pair([{packet, 2}], []),
    show(lengths, [gen_tcp:recv(S, 3), gen_tcp:recv(C, 16#4000001), catch gen_tcp:recv(C, -1)]),
    show(wrong_kind, [gen_tcp:accept(C), gen_tcp:listen(0, [{fd, 9999}])]),
    show(twice, prim_inet:connect(C, ?IP, Port)),
    show(setopts, [inet:setopts(C, [{packet, 3}]), inet:setopts(C, [foo]), inet:setopts(C, [{tos, 16}, {priority, 2}]),
                   inet:getopts(C, [tos, priority, {raw, 6, 1, 4}, nodelay, packet, mode])]),
    show(raw, [inet:setopts(C, [{raw, 6, 1, <<1:32/native>>}]), inet:getopts(C, [nodelay]),
               inet:setopts(C, [{raw, 77, 1, <<1>>}])]),
    show(control, [catch erlang:port_control(C, 1, ""), catch erlang:port_control(C, 16#3f1a300 + 200, "")]).

owners() ->
    {S, C} = pair([], [{active, true}]),
    Self = self(),
    Other = spawn(fun() -> receive M -> Self ! {self(), M} end, receive stop -> ok end end),
    show(not_owner, begin
                        Thief = spawn(fun() -> Self ! {self(), gen_tcp:controlling_process(C, self())} end),
                        receive {Thief, T} -> T end
                    end),
    show(given, gen_tcp:controlling_process(C, Other)),
    show(connected, erlang:port_info(C, connected) =:= {connected, Other}),
    gen_tcp:send(S, "hello"),
    show(other, receive {Other, M} -> M end),
    Ref = monitor(port, C),
    Other ! stop,
    show(down, receive {'DOWN', Ref, port, C, Why} -> Why end),
    show(peer, gen_tcp:recv(S, 0)),
    show(member, [lists:member(P, erlang:ports()) || P <- [S, C]]),
    show(name, erlang:port_info(S, name)),
    process_flag(trap_exit, true),
    exit(S, stopped),
    show(exits, next()).

local() ->
    File = "/tmp/sockets_test_" ++ os:getpid(),
    {ok, L} = gen_tcp:listen(0, [{ifaddr, {local, File}}, {active, false}]),
    {ok, C} = gen_tcp:connect({local, File}, 0, [{active, false}, {packet, 2}]),
    {ok, S} = gen_tcp:accept(L),
    inet:setopts(S, [{packet, 2}]),
    ok = gen_tcp:send(C, "over a file"),
    show(text, gen_tcp:recv(S, 0)),
    show(names, [begin {ok, {local, F}} = inet:sockname(L), F =:= list_to_binary(File) end, inet:sockname(C),
                 inet:peername(S)]),
    show(port, inet:port(L) =:= {ok, list_to_binary(File)}),
    file:delete(File),
    show(nobody, gen_tcp:connect({local, File}, 0, [])).

inet6() ->
    case gen_tcp:listen(0, [inet6, {ip, {0, 0, 0, 0, 0, 0, 0, 1}}, {active, false}]) of
        {ok, L} ->
            {ok, Port} = inet:port(L),
            {ok, C} = gen_tcp:connect({0, 0, 0, 0, 0, 0, 0, 1}, Port, [inet6, {active, false}]),
            {ok, S} = gen_tcp:accept(L),
            {ok, {Address, _}} = inet:peername(S),
            show(peer, Address),
            ok = gen_tcp:send(S, "six"),
            show(data, gen_tcp:recv(C, 3)),
            show(options, inet:getopts(C, [ipv6_v6only, tclass, nodelay]));
        Error -> show(none, Error)
    end.
