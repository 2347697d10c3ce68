%% Bytes through kernel's `socket`: streams, datagrams, messages with control data, addresses, and the errors of each.
%% What follows in socket_local is a program of its own: `erl` crashes now and then when one machine does both.
%% skip seeds: in a run's own network nothing is out of band, and no packet has an interface or a time
-module(socket_data).
-export([main/0, main/1]).

main([_ | _] = Names) -> run([list_to_atom(N) || N <- Names]);
main(_) -> main().

main() ->
    run([opening, addresses, streams, buffers, flags, datagrams, truncated, messages, control, control_ipv6]).

run(Tests) ->
    [begin io:format("~n== ~w~n", [T]), test(T) end || T <- Tests],
    ok.

say(Text, F) -> io:format("~s: ~0p~n", [Text, shown(try F() catch C:R -> {raised, C, R} end)]).

%% Without references, which differ from run to run.
shown(R) when is_reference(R) -> ref;
shown({ok, {'$socket', R} = S}) when is_reference(R) -> socket:close(S), {ok, socket};
shown(T) when is_tuple(T) -> list_to_tuple([shown(E) || E <- tuple_to_list(T)]);
shown(T) -> T.

listener() ->
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => loopback}),
    ok = socket:listen(L, 200),
    {ok, Address} = socket:sockname(L),
    {L, Address}.

pair() ->
    {L, Address} = listener(),
    {ok, C} = socket:open(inet, stream, tcp),
    ok = socket:connect(C, Address),
    {ok, S} = socket:accept(L),
    socket:close(L),
    {C, S}.

datagrams(Domain) ->
    {ok, A} = socket:open(Domain, dgram, udp),
    {ok, B} = socket:open(Domain, dgram, udp),
    ok = socket:bind(A, loopback),
    ok = socket:bind(B, loopback),
    {ok, AA} = socket:sockname(A),
    {ok, BA} = socket:sockname(B),
    {A, AA, B, BA}.

no_port(#{port := _} = A) -> A#{port := some};
no_port(#{path := <<0, _:5/binary>>} = A) -> A#{path := chosen};
no_port(A) -> A.

test(opening) ->
    [say(io_lib:format("~0p", [Arguments]),
         fun() -> case apply(socket, open, Arguments) of
                      {ok, S} -> I = socket:info(S), socket:close(S), maps:with([domain, type, protocol, ctype, rstates, wstates], I);
                      Error -> Error
                  end end)
     || Arguments <- [[inet, stream, tcp], [inet, stream], [inet, stream, default], [inet, dgram, udp], [inet6, stream, tcp], [local, stream],
                      [local, dgram], [local, seqpacket], [inet, stream, 6], [inet, stream, {raw, 6}], [2, 1, 6], [1, 1, 0], [99, 1, 0],
                      [inet, stream, udp], [inet, stream, nosuch], [inet, foo, tcp], [foo, stream, tcp], ["inet", stream, tcp], [inet, rdm],
                      [inet, 77], [unspec, stream], [inet, stream, 200], [inet, stream, foo, bar], [inet, stream, tcp, #{debug => foo}],
                      [inet, stream, tcp, #{use_registry => foo}], [inet, stream, tcp, #{nosuch => foo}],
                      [inet, stream, tcp, #{netns => "/proc/nonexistent"}], [inet, stream, tcp, #{netns => foo}], [inet, stream, "tcp"],
                      [inet, stream, 1 bsl 40], [9999], [-1], [foo], [9999, #{domain => foo}]]];

test(addresses) ->
    Bind = fun(Domain, Address) ->
                   {ok, S} = socket:open(Domain, dgram),
                   Result = case socket:bind(S, Address) of
                                ok -> {ok, Name} = socket:sockname(S), no_port(Name);
                                Error -> Error
                            end,
                   socket:close(S),
                   Result
           end,
    [say(io_lib:format("~w ~0p", [D, A]), fun() -> Bind(D, A) end)
     || {D, A} <- [{inet, #{family => inet}}, {inet, #{family => inet, addr => loopback}}, {inet, #{family => inet, addr => {127, 0, 0, 1}, port => 0}},
                   {inet, any}, {inet, loopback}, {inet, broadcast}, {inet, foo}, {inet6, any}, {inet6, loopback}, {local, any},
                   {inet, #{family => inet, addr => {1, 2, 3}}}, {inet, #{family => inet, addr => {256, 0, 0, 1}}},
                   {inet, #{family => inet, addr => {10, 255, 1, 2}}}, {inet, #{family => inet, port => 65536}}, {inet, #{family => inet, port => -1}},
                   {inet, #{family => inet, port => foo}}, {inet, #{family => inet, foo => 1}}, {inet, #{family => inet6}}, {inet, #{}},
                   {inet, foo}, {inet, "foo"}, {inet, #{family => foo}}, {inet, #{family => 77}}, {inet, #{family => 77, addr => <<1, 2>>}},
                   {inet, #{family => unspec}}, {inet, #{family => 2, addr => <<0:112>>}}, {inet, #{family => inet, addr => "localhost"}},
                   {inet6, #{family => inet6, addr => loopback}}, {inet6, #{family => inet6, addr => {0, 0, 0, 0, 0, 0, 0, 1}}},
                   {inet6, #{family => inet6, addr => {0, 0, 0, 0, 0, 0, 0, 70000}}}, {inet6, #{family => inet6, addr => loopback, flowinfo => 1}},
                   {inet6, #{family => inet6, addr => loopback, flowinfo => -1}}, {inet6, #{family => inet6, addr => loopback, scope_id => foo}},
                   {inet6, #{family => inet6, addr => broadcast}}, {local, #{family => local, path => ""}}, {local, #{family => local}},
                   {local, #{family => local, path => foo}},
                   {local, #{family => local, path => lists:duplicate(300, $a)}}, {local, #{family => local, path => "/nonexistent/x"}}]],
    say("abstract", fun() -> Name = <<0, "socket_data_", (integer_to_binary(erlang:unique_integer([positive])))/binary>>,
                             {ok, S} = socket:open(local, dgram), ok = socket:bind(S, #{family => local, path => Name}),
                             {ok, #{family := local, path := Same}} = socket:sockname(S), socket:close(S), Same =:= Name end),
    say("unbound", fun() -> {ok, S} = socket:open(inet, stream, tcp), R = {socket:sockname(S), socket:peername(S)}, socket:close(S), R end),
    say("unbound", fun() -> {ok, S} = socket:open(local, stream), R = {socket:sockname(S), socket:peername(S)}, socket:close(S), R end),
    say("twice", fun() -> {ok, S} = socket:open(inet, stream, tcp), R = {socket:bind(S, loopback), socket:bind(S, loopback)}, socket:close(S), R end),
    say("many", fun() -> {ok, S} = socket:open(inet, stream, tcp), R = socket:bind(S, [#{family => inet}], add), socket:close(S), R end),
    {C, S} = pair(),
    say("both ends", fun() -> {socket:sockname(C) =:= socket:peername(S), socket:peername(C) =:= socket:sockname(S)} end),
    socket:close(C), socket:close(S);

test(streams) ->
    {C, S} = pair(),
    say("send", fun() -> socket:send(C, <<"hello">>) end),
    say("recv", fun() -> socket:recv(S) end),
    say("iolist", fun() -> socket:send(C, ["a", <<"b">>, [$c]]) end),
    say("recv", fun() -> socket:recv(S, 3) end),
    say("nothing", fun() -> socket:send(C, <<>>) end),
    say("nothing", fun() -> socket:recv(S, 0, [], 0) end),
    say("bits", fun() -> socket:send(C, <<1:3>>) end),
    say("bad", fun() -> socket:send(C, [foo]) end),
    say("bad", fun() -> socket:send(C, foo) end),
    spawn_link(fun() -> socket:send(C, binary:copy(<<"0123456789">>, 300000)) end),
    say("much", fun() -> {ok, B} = socket:recv(S, 3000000), erlang:md5(B) end),
    spawn_link(fun() -> [begin socket:send(C, <<I>>), receive after 3 -> ok end end || I <- lists:seq(1, 10)] end),
    say("piecewise", fun() -> socket:recv(S, 10) end),
    say("shut down", fun() -> socket:shutdown(C, write) end),
    say("send", fun() -> socket:send(C, <<"x">>) end),
    say("end", fun() -> socket:recv(S) end),
    say("back", fun() -> socket:send(S, <<"back">>) end),
    say("back", fun() -> socket:recv(C) end),
    say("how", fun() -> socket:shutdown(C, foo) end),
    say("shut down", fun() -> {socket:shutdown(S, read), socket:shutdown(S, read_write)} end),
    say("again", fun() -> socket:shutdown(S, read_write) end),
    say("close", fun() -> {socket:close(S), socket:close(C)} end),
    say("twice", fun() -> socket:close(C) end);

test(buffers) ->
    {C, S} = pair(),
    say("set", fun() -> socket:setopt(S, {otp, rcvbuf}, 4) end),
    socket:send(C, <<"123456789">>),
    receive after 30 -> ok end,
    say("one read is not enough", fun() -> prim_socket:recv(element(2, S), 0, [], make_ref()) end),
    say("all", fun() -> socket:recv(S, 0) end),
    say("set", fun() -> socket:setopt(S, {otp, rcvbuf}, {2, 4}) end),
    socket:send(C, <<"123456789ABCDEF">>),
    receive after 30 -> ok end,
    say("two reads", fun() -> socket:recv(S, 0) end),
    say("rest", fun() -> socket:recv(S, 0) end),
    say("set", fun() -> {socket:setopt(S, {otp, rcvbuf}, default), socket:getopt(S, {otp, rcvbuf})} end),
    socket:send(C, binary:copy(<<"x">>, 20000)),
    receive after 30 -> ok end,
    say("more than a buffer", fun() -> {ok, B} = socket:recv(S, 0), byte_size(B) end),
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, loopback), ok = socket:listen(L),
    ok = socket:setopt(L, {otp, rcvbuf}, 77), ok = socket:setopt(L, {otp, rcvctrlbuf}, 78), ok = socket:setopt(L, {otp, meta}, meta),
    {ok, A} = socket:sockname(L),
    {ok, C2} = socket:open(inet, stream, tcp),
    ok = socket:connect(C2, A),
    {ok, S2} = socket:accept(L),
    say("inherited", fun() -> [socket:getopt(S2, {otp, O}) || O <- [rcvbuf, rcvctrlbuf, sndctrlbuf, meta, iow, debug, use_registry, domain]] end),
    [socket:close(X) || X <- [C, S, L, C2, S2]];

test(flags) ->
    {C, S} = pair(),
    socket:send(C, <<"hello">>, []),
    receive after 20 -> ok end,
    say("peek", fun() -> socket:recv(S, 3, [peek]) end),
    say("read", fun() -> socket:recv(S, 5, []) end),
    say("more", fun() -> socket:send(C, <<"a">>, [more]) end),
    say("end", fun() -> socket:send(C, <<"b">>) end),
    say("both", fun() -> socket:recv(S, 2) end),
    say("out of band", fun() -> socket:send(C, <<"!">>, [oob]) end),
    receive after 20 -> ok end,
    say("out of band", fun() -> socket:recv(S, 1, [oob]) end),
    say("none", fun() -> socket:recv(S, 1, [oob], 100) end),
    say("number", fun() -> socket:send(C, <<"n">>, [16#4000]) end),
    say("bad", fun() -> socket:send(C, <<"n">>, [foo]) end),
    say("bad", fun() -> socket:recv(S, 1, [foo]) end),
    say("bad", fun() -> socket:recv(S, 1, ["foo"]) end),
    say("bad", fun() -> socket:recv(S, 1, [-1]) end),
    [socket:close(X) || X <- [C, S]];

test(datagrams) ->
    [begin
         {A, AA, B, BA} = datagrams(D),
         say("to", fun() -> socket:sendto(A, <<"hello">>, BA) end),
         say("from", fun() -> {ok, {From, Data}} = socket:recvfrom(B), {From =:= AA, Data} end),
         say("empty", fun() -> socket:sendto(A, <<>>, BA) end),
         say("empty", fun() -> {ok, {From, Data}} = socket:recvfrom(B, 10), {From =:= AA, Data} end),
         say("unconnected", fun() -> socket:send(A, <<"x">>) end),
         say("connect", fun() -> socket:connect(A, BA) end),
         say("peer", fun() -> {ok, P} = socket:peername(A), P =:= BA end),
         say("send", fun() -> socket:send(A, <<"connected">>) end),
         say("recv", fun() -> socket:recv(B) end),
         say("too large", fun() -> socket:send(A, <<0:(8 * 100000)>>) end),
         say("bad address", fun() -> socket:sendto(A, <<"x">>, #{family => D, port => foo}) end),
         say("bad address", fun() -> socket:sendto(A, <<"x">>, foo) end),
         say("no answer", fun() -> socket:recvfrom(A, 0, [], 20) end),
         say("now", fun() -> socket:recvfrom(A, 0, [], nowait_info) end),
         say("listen", fun() -> {socket:listen(A), socket:accept(A, 100)} end),
         socket:close(B),
         say("nobody", fun() -> socket:send(A, <<"x">>) end),
         say("refused", fun() -> socket:recv(A, 0, 1000) end),
         socket:close(A)
     end || D <- [inet, inet6]];

test(truncated) ->
    {A, _, B, BA} = datagrams(inet),
    Send = fun() -> ok = socket:sendto(A, <<"0123456789">>, BA) end,
    Send(), say("recv", fun() -> socket:recv(B, 3) end),
    Send(), say("recv trunc", fun() -> {ok, X} = socket:recv(B, 3, [trunc]), {byte_size(X), binary:part(X, 0, 3)} end),
    Send(), say("recvfrom", fun() -> {ok, {_, X}} = socket:recvfrom(B, 3), X end),
    Send(), say("recvmsg", fun() -> {ok, M} = socket:recvmsg(B, 3, 0), maps:remove(addr, M) end),
    Send(), say("longer", fun() -> socket:recv(B, 100) end),
    ok = socket:setopt(B, {otp, rcvbuf}, 4),
    Send(), say("small buffer", fun() -> socket:recv(B, 0, [], 100) end),
    Send(), say("small buffer", fun() -> {ok, {_, X}} = socket:recvfrom(B, 0, [], 100), X end),
    Send(), say("small buffer", fun() -> {ok, M} = socket:recvmsg(B, [], 100), maps:remove(addr, M) end),
    [socket:close(X) || X <- [A, B]];

test(messages) ->
    {A, AA, B, BA} = datagrams(inet),
    Get = fun() -> {ok, #{addr := From} = M} = socket:recvmsg(B, 0, 0, [], 1000), (maps:remove(addr, M))#{mine => From =:= AA} end,
    say("two pieces", fun() -> socket:sendmsg(A, #{addr => BA, iov => [<<"one">>, <<"two">>]}) end),
    say("got", Get),
    say("no address", fun() -> socket:sendmsg(A, #{iov => [<<"x">>]}) end),
    say("empty", fun() -> socket:sendmsg(A, #{addr => BA, iov => []}) end),
    say("got", Get),
    say("bad address", fun() -> socket:sendmsg(A, #{addr => #{family => inet, port => foo}, iov => [<<"x">>]}) end),
    say("bad address", fun() -> socket:sendmsg(A, #{addr => foo, iov => [<<"x">>]}) end),
    say("no iov", fun() -> socket:sendmsg(A, #{addr => BA}) end),
    say("other keys", fun() -> socket:sendmsg(A, #{addr => BA, iov => [<<"k">>], foo => bar}) end),
    say("got", Get),
    {C, S} = pair(),
    say("stream", fun() -> socket:sendmsg(C, #{iov => [<<"one">>, <<>>, <<"two">>]}) end),
    say("got", fun() -> socket:recvmsg(S) end),
    say("none", fun() -> socket:recvmsg(S, 0) end),
    socket:send(C, <<"xyz">>),
    say("from", fun() -> socket:recvfrom(S) end),
    socket:close(C),
    say("end", fun() -> socket:recvmsg(S) end),
    [socket:close(X) || X <- [A, B, S]];

test(control) ->
    {A, _, B, BA} = datagrams(inet),
    [say(io_lib:format("~w", [O]), fun() -> socket:setopt(B, O, true) end)
     || O <- [{ip, recvtos}, {ip, recvttl}, {ip, pktinfo}, {socket, timestamp}]],
    Send = fun(Ctrl) -> socket:sendmsg(A, #{addr => BA, iov => [<<"x">>], ctrl => Ctrl}, [], 1000) end,
    Get = fun() -> {ok, #{ctrl := Ctrl, flags := Flags}} = socket:recvmsg(B, 0, 0, [], 1000),
                   {Flags, lists:sort([known(X) || X <- Ctrl])} end,
    say("plain", fun() -> {Send([]), Get()} end),
    [say(io_lib:format("~0p", [Ctrl]), fun() -> case Send(Ctrl) of ok -> Get(); E -> E end end)
     || Ctrl <- [[#{level => ip, type => tos, value => lowdelay}], [#{level => ip, type => tos, value => 8}],
                 [#{level => ip, type => ttl, value => 5}], [#{level => ip, type => ttl, data => 6}],
                 [#{level => ip, type => ttl, data => <<7:32/native>>}], [#{level => ip, type => 2, data => <<9:32/native>>}],
                 [#{level => 0, type => ttl, value => 10}], [#{level => ip, type => tos, value => reliability}, #{level => ip, type => ttl, value => 3}],
                 [#{level => ip, type => foo, value => 1}], [#{level => ip, type => ttl, value => foo}], [#{level => ip, type => ttl}],
                 [#{level => foo, type => ttl, value => 1}], [#{level => ip, value => 1}], [foo], foo,
                 [#{level => ip, type => 2, value => 5}],
                 [#{level => ip, type => ttl, data => <<>>}], [#{level => ip, type => tos, data => true}]]],
    say("little room", fun() -> Send([]), {ok, M} = socket:recvmsg(B, 0, 30, [], 1000), {maps:get(flags, M), length(maps:get(ctrl, M)) < 4} end),
    [socket:close(X) || X <- [A, B]];

test(control_ipv6) ->
    {A, _, B, BA} = datagrams(inet6),
    [say(io_lib:format("~w", [O]), fun() -> socket:setopt(B, O, true) end) || O <- [{ipv6, recvpktinfo}, {ipv6, recvhoplimit}, {ipv6, recvtclass}]],
    Send = fun(Ctrl) -> socket:sendmsg(A, #{addr => BA, iov => [<<"x">>], ctrl => Ctrl}) end,
    Get = fun() -> {ok, #{ctrl := Ctrl}} = socket:recvmsg(B, 0, 0, [], 1000), lists:sort([known(X) || X <- Ctrl]) end,
    [say(io_lib:format("~0p", [Ctrl]), fun() -> case Send(Ctrl) of ok -> Get(); E -> E end end)
     || Ctrl <- [[], [#{level => ipv6, type => hoplimit, value => 5}], [#{level => ipv6, type => tclass, value => 8}],
                 [#{level => ipv6, type => hoplimit, value => foo}]]],
    [socket:close(X) || X <- [A, B]].

%% What differs from run to run.
known(#{type := timestamp, value := #{sec := S, usec := U}} = M) when is_integer(S), is_integer(U) -> (maps:remove(data, M))#{value := time};
known(#{type := pktinfo, value := V} = M) -> (maps:remove(data, M))#{value := V#{ifindex := index}};
known(M) -> M.
