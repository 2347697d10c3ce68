%% UDP, and what the machine is asked about its network.
%% skip repeats: files named after the number of the operating system's process
-module(datagrams).
-export([main/1]).

-include("networking.hrl").

main(_) ->
    [test(Name, Fun) || {Name, Fun} <-
        [{passive, fun passive/0}, {active, fun active/0}, {connected, fun connected/0}, {times, fun times/0},
         {beside, fun beside/0}, {options, fun options/0}, {errors, fun errors/0}, {local, fun local/0},
         {many, fun many/0}, {names, fun names/0}, {interfaces, fun interfaces/0}]].

anonymous(P) when is_port(P) -> port;
anonymous({?IP, Port}) when is_integer(Port), Port > 0 -> {here, port};
anonymous({?IP, Port, Data}) when is_integer(Port), Port > 0 -> {here, port, Data};
anonymous({?IP, Port, Beside, Data}) -> {here, is_integer(Port), Beside, Data};
anonymous({udp, S, ?IP, _, Data}) -> {udp, anonymous(S), Data};
anonymous({udp, S, ?IP, _, Beside, Data}) -> {udp, anonymous(S), Beside, Data};
anonymous(T) when is_tuple(T) -> list_to_tuple([anonymous(E) || E <- tuple_to_list(T)]);
anonymous([H | T]) -> [anonymous(H) | anonymous(T)];
anonymous(X) -> X.

next() -> next(5000).
next(Time) -> receive M -> anonymous(M) after Time -> none end.

open(Options) ->
    {ok, S} = gen_udp:open(0, [{ip, ?IP}, {active, false} | Options]),
    {ok, Port} = inet:port(S),
    {S, Port}.

passive() ->
    {A, PortA} = open([]),
    {B, _} = open([binary]),
    ok = gen_udp:send(B, ?IP, PortA, "hello"),
    {ok, {?IP, From, "hello"}} = gen_udp:recv(A, 0),
    [ok = gen_udp:send(A, ?IP, From, T) || T <- ["one", <<"two">>, [], ["thr", [$e | <<"e">>]]]],
    show(got, [gen_udp:recv(B, 0, 1000) || _ <- [1, 2, 3, 4]]),
    ok = inet:setopts(B, [{header, 2}]),
    ok = gen_udp:send(A, {?IP, From}, "header"),
    show(header, gen_udp:recv(B, 0)),
    ok = inet:setopts(B, [{header, 0}, {buffer, 4}]),
    ok = gen_udp:send(A, ?IP, From, "cut short"),
    show(short, gen_udp:recv(B, 0)),
    show(stat, inet:getstat(A, [send_cnt, send_oct, send_max, recv_cnt, recv_oct])),
    show(info, [erlang:port_info(A, name), prim_inet:getstatus(A), inet:peername(A)]).

active() ->
    {A, PortA} = open([{active, true}]),
    {B, _} = open([]),
    [gen_udp:send(B, ?IP, PortA, T) || T <- ["a", "b"]],
    show(true, [next(), next()]),
    inet:setopts(A, [{active, once}, binary]),
    [gen_udp:send(B, ?IP, PortA, T) || T <- ["c", "d"]],
    show(once, [next(), next(50)]),
    inet:setopts(A, [{active, 2}]),
    [gen_udp:send(B, ?IP, PortA, T) || T <- ["e", "f"]],
    show(two, [next(), next(), next(), next(50), inet:getopts(A, [active])]),
    show(recv, gen_udp:recv(A, 0)),
    inet:setopts(A, [{active, true}]),
    show(recv, gen_udp:recv(A, 0)),
    gen_udp:send(B, ?IP, PortA, "g"),
    show(three, next()).

connected() ->
    {A, PortA} = open([]),
    {B, PortB} = open([]),
    show(connect, [gen_udp:connect(A, ?IP, PortB), inet:peername(A), prim_inet:getstatus(A)]),
    show(send, [gen_udp:send(A, "to b"), gen_udp:recv(B, 0)]),
    show(unconnected, gen_udp:send(B, "to nobody")),
    gen_udp:close(B),
    show(send, gen_udp:send(A, "to nobody")),
    show(refused, gen_udp:recv(A, 0, 1000)),
    inet:setopts(A, [{active, true}]),
    gen_udp:send(A, "again"),
    show(refused, next()),
    show(close, [gen_udp:close(A), gen_udp:send(A, ?IP, PortA, "x")]).

times() ->
    {A, PortA} = open([]),
    show(none, [gen_udp:recv(A, 0, 0), gen_udp:recv(A, 0, 20)]),
    Self = self(),
    Reader = spawn(fun() -> Self ! {self(), gen_udp:recv(A, 0)} end),
    until_reading(Reader),
    show(busy, gen_udp:recv(A, 0, 10)),
    gen_udp:send(A, ?IP, PortA, "self"),
    show(reader, receive {Reader, M} -> M end),
    Second = spawn(fun() -> Self ! {self(), gen_udp:recv(A, 0)} end),
    until_reading(Second),
    gen_udp:close(A),
    show(closed, receive {Second, M2} -> M2 end).

until_reading(P) ->
    case process_info(P, [status, current_function]) of
        [{status, waiting}, {current_function, {prim_inet, _, _}}] -> ok;
        _ -> timer:sleep(5), until_reading(P)
    end.

beside() ->
    {A, PortA} = open([{recvttl, true}, {recvtos, true}]),
    {B, _} = open([{tos, 16}]),
    ok = gen_udp:send(B, ?IP, PortA, "x"),
    {ok, {_, _, Beside, "x"}} = gen_udp:recv(A, 0),
    show(passive, lists:sort(Beside)),
    ok = gen_udp:send(B, ?IP, PortA, [{tos, 8}, {ttl, 9}], "y"),
    {ok, {_, _, Beside2, "y"}} = gen_udp:recv(A, 0),
    show(given, lists:sort(Beside2)),
    inet:setopts(A, [{active, true}]),
    ok = gen_udp:send(B, ?IP, PortA, "z"),
    receive {udp, A, ?IP, _, Beside3, "z"} -> show(active, lists:sort(Beside3)) end.

options() ->
    {A, _} = open([]),
    Names = [reuseaddr, broadcast, tos, ttl, recvttl, multicast_ttl, multicast_loop, multicast_if, buffer, header, active,
             mode, deliver, read_packets, nodelay, linger, priority, high_watermark, packet, exit_on_close],
    [show(N, inet:getopts(A, [N])) || N <- Names],
    [show({K, V}, {inet:setopts(A, [{K, V}]), inet:getopts(A, [K])}) ||
        {K, V} <- [{broadcast, true}, {ttl, 12}, {multicast_ttl, 3}, {multicast_loop, false},
                   {read_packets, 9}, {read_packets, 0}, {buffer, 100}, {mode, binary}, {active, 70000},
                   {add_membership, {{224, 1, 1, 1}, ?IP}}, {drop_membership, {{224, 1, 1, 1}, ?IP}}]].

errors() ->
    {A, PortA} = open([]),
    show(in_use, gen_udp:open(PortA, [{ip, ?IP}])),
    show(large, gen_udp:send(A, ?IP, PortA, lists:duplicate(70000, 0))),
    show(bad, [element(1, catch gen_udp:send(A, ?IP, 70000, "x")),
               gen_udp:send(A, {0, 0, 0, 0, 0, 0, 0, 1}, PortA, "x")]),
    gen_udp:close(A),
    show(closed, [gen_udp:recv(A, 0), gen_udp:send(A, ?IP, PortA, "x"), inet:port(A)]).

local() ->
    Name = fun(N) -> "/tmp/datagrams_" ++ N ++ os:getpid() end,
    {ok, A} = gen_udp:open(0, [{ifaddr, {local, Name("a")}}, {active, false}]),
    {ok, B} = gen_udp:open(0, [{ifaddr, {local, Name("b")}}, {active, true}]),
    show(send, gen_udp:send(A, {local, Name("b")}, 0, "over a file")),
    File = list_to_binary(Name("a")),
    show(got, receive {udp, B, {local, File}, 0, Data} -> Data after 5000 -> none end),
    [file:delete(Name(N)) || N <- ["a", "b"]].

many() ->
    {A, PortA} = open([{recbuf, 1000000}]),
    Self = self(),
    [spawn(fun() ->
                   {B, _} = open([]),
                   [ok = gen_udp:send(B, ?IP, PortA, integer_to_list(N * 100 + K)) || K <- lists:seq(1, 20)],
                   Self ! done
           end) || N <- lists:seq(1, 10)],
    [receive done -> ok end || _ <- lists:seq(1, 10)],
    show(sum, lists:sum([begin {ok, {_, _, T}} = gen_udp:recv(A, 0, 5000), list_to_integer(T) end || _ <- lists:seq(1, 200)])).

names() ->
    show(localhost, [inet:getaddrs("localhost", inet), inet:getaddr("127.0.0.1", inet), inet:gethostbyname("localhost")]),
    {ok, Name} = inet:gethostname(),
    show(hostname, Name ++ "\n" =:= os:cmd("hostname | sed 's/[.].*//'")),
    show(service, [inet:getservbyname(http, tcp), inet:getservbyname(no_such, tcp)]),
    show(parse, [inet:parse_address("::1"), inet:ntoa({1, 2, 3, 4}), inet:getaddr("no.such.host.invalid", inet)]),
    show(lookup, inet_db:res_option(lookup)),
    show(connect, begin
                      {ok, L} = gen_tcp:listen(0, [inet]),
                      {ok, P} = inet:port(L),
                      element(1, gen_tcp:connect("localhost", P, [inet]))
                  end).

interfaces() ->
    {ok, All} = inet:getifaddrs(),
    show(lo, proplists:get_value("lo", All)),
    {ok, Names} = inet:getiflist(),
    show(names, lists:member("lo", Names)),
    show(get, inet:ifget("lo", [addr, netmask, flags, mtu, hwaddr])),
    {ok, Short} = inet:getif(),
    show(short, lists:keyfind(?IP, 1, Short)).
