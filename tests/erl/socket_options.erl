%% Options of kernel's `socket`: every one that prim_socket lists, on every kind of socket, read, set to
%% values of every type, and read again.
-module(socket_options).
-export([main/0, main/1]).

main(_) -> main().

main() ->
    Options = lists:sort([{L, O} || {{L, O}, true} <- socket:supports(options), lists:member(L, levels())]),
    io:format("~p~n", [length(Options)]),
    [kind(Kind, Options) || Kind <- kinds()],
    otp(),
    native(),
    ok.

levels() -> [socket, ip, ipv6, tcp, udp, sctp].

kinds() ->
    [{inet, stream, tcp}, {inet, dgram, udp}, {inet6, stream, tcp}, {inet6, dgram, udp}, {local, stream, default},
     {local, dgram, default}].

kind({D, T, P}, Options) ->
    io:format("~n== ~w ~w ~w~n", [D, T, P]),
    [option(D, T, P, O) || O <- Options],
    ok.

option(D, T, P, Option) ->
    {ok, S} = socket:open(D, T, P),
    io:format("~w: ~0p~n", [Option, settled(Option, try_to(fun() -> socket:getopt(S, Option) end))]),
    Results = [{V, refused(V, try_to(fun() -> socket:setopt(S, Option, V) end))} || V <- values(), not is_skipped(Option, V)],
    [io:format("   ~0p ~0p~n", [Result, [V || {V, R} <- Results, R =:= Result]])
     || Result <- lists:usort([R || {_, R} <- Results]), Result =/= invalid],
    socket:close(S).

%% All others not shown are refused so.
refused(V, {error, {invalid, {socket_option, _, V}}}) -> invalid;
refused(_, R) -> R.

%% What depends on the machine.
settled({socket, O}, {ok, N}) when O =:= rcvbuf; O =:= sndbuf -> {ok, is_integer(N)};
settled(_, R) -> R.

%% Waits for memory or privileges.
is_skipped({socket, O}, _) when O =:= bindtodevice; O =:= mark; O =:= debug -> true;
is_skipped({_, O}, _) when O =:= mtu; O =:= transparent; O =:= hdrincl -> true;
is_skipped({_, hopopts}, _) -> true;
is_skipped({_, dstopts}, _) -> true;
is_skipped({_, rthdr}, _) -> true;
is_skipped({_, congestion}, V) -> is_list(V) orelse is_binary(V);
is_skipped(_, _) -> false.

values() ->
    [true, false, 0, 1, 2, 16, 5000, -1, 1 bsl 31, 1 bsl 40, 1.5, foo, "foo", "reno", <<"reno">>, <<>>, <<0:32>>, <<1:32/native>>, [], {}, #{},
     #{onoff => true, linger => 5}, #{onoff => false, linger => 0}, #{onoff => true}, #{onoff => 1, linger => 5},
     #{onoff => true, linger => -1}, #{onoff => true, linger => x},
     abort, {true, 3}, #{sec => 1, usec => 500000}, #{sec => 1}, #{sec => -1, usec => 0}, #{sec => x, usec => 0},
     lowdelay, throughput, reliability, mincost, want, dont, do, probe, default, any, {127, 0, 0, 1}, {300, 0, 0, 1}, loopback, broadcast,
     {0, 0, 0, 0, 0, 0, 0, 1},
     #{multiaddr => {224, 1, 2, 3}, interface => {127, 0, 0, 1}}, #{multiaddr => {224, 1, 2, 3}, interface => any},
     #{multiaddr => {127, 0, 0, 1}, interface => {127, 0, 0, 1}}, #{multiaddr => {224, 1, 2, 3}},
     #{multiaddr => x, interface => any}, #{multiaddr => {224, 1, 2, 3}, interface => 0},
     #{multiaddr => {65281, 0, 0, 0, 0, 0, 0, 1234}, interface => 0}, #{multiaddr => {65281, 0, 0, 0, 0, 0, 0, 1234}, interface => x},
     #{multiaddr => {65281, 0, 0, 0, 0, 0, 0, 1234}, interface => 1},
     #{multiaddr => {224, 1, 2, 3}, interface => {127, 0, 0, 1}, sourceaddr => {10, 0, 0, 1}},
     #{multiaddr => {224, 1, 2, 3}, interface => {127, 0, 0, 1}, sourceaddr => x},
     #{multiaddr => {224, 1, 2, 3}, interface => {127, 0, 0, 1}, mode => include, slist => [{10, 0, 0, 1}]},
     #{multiaddr => {224, 1, 2, 3}, interface => {127, 0, 0, 1}, mode => exclude, slist => []},
     #{multiaddr => {224, 1, 2, 3}, interface => {127, 0, 0, 1}, mode => foo, slist => []},
     #{multiaddr => {224, 1, 2, 3}, interface => {127, 0, 0, 1}, mode => include, slist => [x]},
     null].

otp() ->
    io:format("~n== otp~n"),
    {ok, S} = socket:open(inet, stream, tcp),
    Options = [debug, iow, controlling_process, rcvbuf, rcvctrlbuf, sndctrlbuf, fd, meta, use_registry, domain, type, protocol, dtp, foo],
    Values = [true, false, 0, 1, 5, 4096, -1, 1 bsl 40, default, foo, {3, 1024}, {0, 5}, {1, 0}, {default, 1}, {1, default}, {x, y}, {1, 2, 3}, self(), "x",
              #{a => b}],
    [begin
         io:format("~w: ~0p~n", [O, try_to(fun() -> otp_value(O, socket:getopt(S, {otp, O})) end)]),
         Results = [{otp_shown(V), refused(V, try_to(fun() -> socket:setopt(S, {otp, O}, V) end))} || V <- Values, not talks(O, V)],
         [io:format("   ~0p ~0p~n", [Result, [V || {V, R} <- Results, R =:= Result]])
          || Result <- lists:usort([R || {_, R} <- Results]), Result =/= invalid],
         io:format("~w: ~0p~n", [O, try_to(fun() -> otp_value(O, socket:getopt(S, {otp, O})) end)])
     end || O <- Options],
    Me = self(),
    Other = spawn(fun() ->
                          io:format("not the owner: ~0p~n",
                                    [[try_to(fun() -> socket:setopt(S, {otp, O}, V) end)
                                      || {O, V} <- [{debug, false}, {iow, true}, {rcvbuf, 100}, {meta, x}, {controlling_process, self()},
                                                    {use_registry, true}]]]),
                          Me ! done,
                          receive stop -> ok end
                  end),
    receive done -> ok end,
    io:format("~0p~n", [socket:setopt(S, {otp, controlling_process}, Other)]),
    {ok, Owner} = socket:getopt(S, {otp, controlling_process}),
    io:format("~0p~n", [Owner =:= Other]),
    io:format("~0p~n", [socket:setopt(S, {otp, controlling_process}, self())]),
    Dead = spawn(fun() -> ok end),
    Monitor = monitor(process, Dead),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    {ok, S2} = socket:open(inet, stream, tcp),
    io:format("dead: ~0p~n", [try_to(fun() -> socket:setopt(S2, {otp, controlling_process}, Dead) end)]),
    Other ! stop,
    io:format("~0p ~0p~n", [socket:getopt(S2, {otp, meta}), socket:close(S2)]).

%% Of these BEAM prints what it does, or complains.
talks(debug, V) -> V =:= true;
talks(controlling_process, V) -> not is_pid(V);
talks(_, _) -> false.

otp_value(fd, {ok, N}) -> {ok, is_integer(N)};
otp_value(controlling_process, {ok, P}) -> {ok, P =:= self()};
otp_value(_, V) -> V.

otp_shown(V) when is_pid(V) -> self;
otp_shown(V) -> V.

native() ->
    io:format("~n== native~n"),
    {ok, S} = socket:open(inet, stream, tcp),
    [io:format("~0p ~0p~n", [{Option, Spec}, try_to(fun() -> socket:getopt_native(S, Option, Spec) end)])
     || Option <- [{socket, 2}, {socket, reuseaddr}, {1, 9}, {tcp, 1}, {tcp, nodelay}, {ip, ttl}, {socket, 9999}, {foo, 1}, {socket, foo},
                   {socket, linger}, foo],
        Spec <- [integer, boolean, 0, 4, 2, 100, <<0:32>>, <<>>, foo]],
    [io:format("~0p ~0p ~0p~n", [{Option, Value}, try_to(fun() -> socket:setopt_native(S, Option, Value) end),
                                 try_to(fun() -> socket:getopt_native(S, Option, integer) end)])
     || Option <- [{socket, 2}, {socket, reuseaddr}, {1, 9}, {tcp, nodelay}, {socket, 9999}],
        Value <- [true, false, 0, 1, <<1:32/native>>, <<>>, <<1>>, foo, 1.0, 1 bsl 40]],
    [io:format("~0p~n", [try_to(F)]) || F <- [fun() -> socket:getopt(S, foo) end, fun() -> socket:getopt(S, {foo, bar}) end,
                                             fun() -> socket:getopt(S, socket, {2, integer}) end,
                                             fun() -> socket:getopt(S, socket, {2, boolean}) end,
                                             fun() -> socket:setopt(S, socket, 2, <<1:32/native>>) end,
                                             fun() -> socket:getopt(S, socket, reuseaddr) end,
                                             fun() -> socket:setopt(S, socket, keepidle, 3) end,
                                             fun() -> socket:setopt(x, socket, keepidle, 3) end,
                                             fun() -> socket:getopt(x, socket, keepidle) end]],
    socket:close(S).

try_to(F) ->
    try F()
    catch Class:Reason -> {raised, Class, Reason}
    end.
