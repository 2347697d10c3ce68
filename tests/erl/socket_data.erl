%% Bytes through kernel's `socket`: streams, datagrams and local sockets, messages with control data, files, addresses,
%% and the errors of each.
-module(socket_data).
-export([main/0, main/1]).

main([_ | _] = Names) -> run([list_to_atom(N) || N <- Names]);
main(_) -> main().

main() ->
    run([opening, addresses, streams, buffers, flags, datagrams, truncated, messages, control, control_ipv6, local_sockets, rights, many_pieces,
              files, large_files, counters, from_descriptors, ioctls, many_connections, timeouts, bad_arguments, supported]).

run(Tests) ->
    [begin io:format("~n== ~w~n", [T]), test(T) end || T <- Tests],
    ok.

say(Text, F) -> io:format("~s: ~0p~n", [Text, try F() catch C:R -> {raised, C, R} end]).

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
                      [inet, stream, tcp, #{netns => "/nonexistent"}], [inet, stream, tcp, #{netns => foo}], [inet, stream, "tcp"],
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
                 [#{level => ip, type => 2, value => 5}], [#{level => socket, type => timestamp, value => #{sec => 1, usec => x}}],
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
    [socket:close(X) || X <- [A, B]];

test(local_sockets) ->
    Path = "/tmp/socket_data_" ++ os:getpid(),
    {ok, L} = socket:open(local, stream),
    say("bind", fun() -> socket:bind(L, #{family => local, path => Path}) end),
    say("name", fun() -> {ok, #{family := local, path := P}} = socket:sockname(L), P =:= list_to_binary(Path) end),
    say("in use", fun() -> {ok, X} = socket:open(local, stream), R = socket:bind(X, #{family => local, path => Path}), socket:close(X), R end),
    say("listen", fun() -> socket:listen(L) end),
    {ok, C} = socket:open(local, stream),
    say("connect", fun() -> socket:connect(C, #{family => local, path => Path}) end),
    {ok, S} = socket:accept(L),
    say("peer", fun() -> {element(1, socket:peername(C)), socket:peername(S)} end),
    say("data", fun() -> ok = socket:send(C, <<"local">>), socket:recv(S) end),
    say("nobody", fun() -> {ok, X} = socket:open(local, stream), R = socket:connect(X, #{family => local, path => "/nonexistent/y"}), socket:close(X), R end),
    [socket:close(X) || X <- [L, C, S]],
    file:delete(Path),
    {ok, D} = socket:open(local, dgram), {ok, E} = socket:open(local, dgram),
    say("datagrams", fun() -> ok = socket:bind(D, #{family => local, path => Path}),
                              ok = socket:bind(E, #{family => local, path => <<0, (list_to_binary(Path))/binary>>}),
                              ok = socket:sendto(E, <<"dgram">>, #{family => local, path => Path}), socket:recv(D) end),
    [socket:close(X) || X <- [D, E]],
    file:delete(Path);

test(rights) ->
    Path = "/tmp/socket_rights_" ++ os:getpid(),
    {ok, D} = socket:open(local, dgram), {ok, E} = socket:open(local, dgram),
    ok = socket:bind(D, #{family => local, path => Path}),
    ok = socket:bind(E, #{family => local, path => <<0, (list_to_binary(Path))/binary>>}),
    {ok, Fd} = socket:getopt(E, {otp, fd}),
    To = #{family => local, path => Path},
    say("a descriptor goes", fun() -> socket:sendmsg(E, #{addr => To, iov => [<<"x">>], ctrl => [#{level => socket, type => rights, data => <<Fd:32/native>>}]}) end),
    say("comes", fun() -> {ok, #{ctrl := [#{data := <<New:32/native>>} = M]}} = socket:recvmsg(D, 0, 0, [], 1000),
                          {ok, N} = socket:open(New, #{dup => false}), R = socket:sendto(N, <<"y">>, To), socket:close(N),
                          {M#{data := descriptor}, R} end),
    say("by it", fun() -> socket:recv(D, 0, 1000) end),
    say("credentials", fun() -> ok = socket:setopt(D, {socket, passcred}, true), ok = socket:sendto(E, <<"z">>, To),
                                {ok, #{ctrl := Ctrl}} = socket:recvmsg(D, 0, 0, [], 1000), [{L, T, byte_size(B)} || #{level := L, type := T, data := B} <- Ctrl] end),
    [socket:close(X) || X <- [D, E]],
    file:delete(Path);

test(many_pieces) ->
    {C, S} = pair(),
    Pieces = [integer_to_binary(I) || I <- lists:seq(1, 5000)],
    All = iolist_to_binary(Pieces),
    say("all", fun() -> socket:sendmsg(C, #{iov => Pieces}) end),
    say("got", fun() -> {ok, B} = socket:recv(S, byte_size(All)), B =:= All end),
    {A, _, B, BA} = datagrams(inet),
    say("no datagram", fun() -> case socket:sendmsg(A, #{addr => BA, iov => [<<"a">> || _ <- lists:seq(1, 5000)]}) of
                                    {error, {invalid, {iov, W}}} -> {invalid, W};
                                    R -> R
                                end end),
    [socket:close(X) || X <- [A, B, C, S]];

test(files) ->
    Path = "/tmp/socket_file_" ++ os:getpid(),
    ok = file:write_file(Path, binary:copy(<<"0123456789">>, 100)),
    {C, S} = pair(),
    {ok, F} = file:open(Path, [raw, binary, read]),
    say("whole", fun() -> socket:sendfile(C, F) end),
    say("got", fun() -> {ok, B} = socket:recv(S, 1000), erlang:md5(B) end),
    say("part", fun() -> {socket:sendfile(C, F, 5, 10), socket:recv(S, 10)} end),
    say("end", fun() -> {socket:sendfile(C, F, 990, 100), socket:recv(S, 10)} end),
    say("beyond", fun() -> socket:sendfile(C, F, 2000, 100) end),
    say("negative", fun() -> socket:sendfile(C, F, -1, 100) end),
    say("no file", fun() -> socket:sendfile(C, foo) end),
    say("no continuation", fun() -> socket:sendfile(C, {select_info, sendfile, make_ref()}, 0, 0) end),
    say("counters", fun() -> maps:with([sendfile_byte, sendfile_fails, sendfile_max, sendfile_pkg, sendfile_pkg_max], maps:get(counters, socket:info(C))) end),
    {A, _, B, BA} = datagrams(inet),
    ok = socket:connect(A, BA),
    say("datagram", fun() -> {socket:sendfile(A, F, 0, 100), byte_size(element(2, socket:recv(B)))} end),
    file:close(F),
    say("closed file", fun() -> try socket:sendfile(C, F) catch error:badarg -> badarg; _:_ -> raised end end),
    [socket:close(X) || X <- [A, B, C, S]],
    file:delete(Path);

test(large_files) ->
    Path = "/tmp/socket_large_" ++ os:getpid(),
    Data = binary:copy(<<"0123456789abcdef">>, 500000),
    ok = file:write_file(Path, Data),
    {C, S} = pair(),
    {ok, F} = file:open(Path, [raw, binary, read]),
    Me = self(),
    spawn_link(fun() -> {ok, C1} = file:open(Path, [raw, binary, read]), R = socket:sendfile(C, C1), file:close(C1), Me ! {sent, R} end),
    say("got", fun() -> {ok, B} = socket:recv(S, byte_size(Data)), B =:= Data end),
    say("sent", fun() -> receive {sent, R} -> R end end),
    say("no reader", fun() -> {error, {timeout, N}} = socket:sendfile(C, F, 0, 0, 100), N > 0 andalso N < byte_size(Data) end),
    say("full", fun() -> socket:sendfile(C, F, 0, 0, 50) end),
    socket:close(S),
    say("gone", fun() -> case socket:sendfile(C, F, 0, 0, 500) of {error, econnreset} -> gone; {error, epipe} -> gone; {error, {econnreset, _}} -> gone;
                             {error, {epipe, _}} -> gone; R -> R end end),
    file:close(F), socket:close(C),
    file:delete(Path);

test(counters) ->
    {C, S} = pair(),
    [begin ok = socket:send(C, <<"12345">>), {ok, _} = socket:recv(S, 5) end || _ <- [1, 2, 3]],
    say("sender", fun() -> maps:with([write_byte, write_pkg, write_pkg_max, write_fails, write_tries, write_waits], maps:get(counters, socket:info(C))) end),
    say("receiver", fun() -> maps:with([read_byte, read_pkg, read_pkg_max, read_fails], maps:get(counters, socket:info(S))) end),
    say("machine", fun() -> {lists:sort(maps:keys(socket:info())), lists:sort(maps:keys(maps:get(counters, socket:info())))} end),
    Before = maps:get(counters, socket:info()),
    {ok, U} = socket:open(inet, dgram, udp), {ok, L} = socket:open(local, stream), {ok, V} = socket:open(inet6, stream, tcp),
    After = maps:get(counters, socket:info()),
    say("more", fun() -> maps:filter(fun(_, N) -> N =/= 0 end, maps:map(fun(K, N) -> N - maps:get(K, Before) end, After)) end),
    [socket:close(X) || X <- [C, S, U, L, V]],
    say("bad", fun() -> socket:info(foo) end);

test(from_descriptors) ->
    {C, S} = pair(),
    {ok, Fd} = socket:getopt(C, {otp, fd}),
    {ok, D} = socket:open(Fd),
    say("a copy", fun() -> I = socket:info(D), {maps:get(ctype, I) =:= {fromfd, Fd}, maps:with([domain, type, protocol, rstates, wstates], I)} end),
    say("another number", fun() -> {ok, N} = socket:getopt(D, {otp, fd}), N =/= Fd end),
    say("works", fun() -> ok = socket:send(D, <<"copy">>), socket:recv(S) end),
    socket:close(D),
    say("the first", fun() -> ok = socket:send(C, <<"first">>), socket:recv(S) end),
    say("as told", fun() -> {ok, E} = socket:open(Fd, #{domain => inet, type => stream, protocol => tcp}), socket:close(E) end),
    say("bad domain", fun() -> socket:open(Fd, #{domain => foo}) end),
    say("bad type", fun() -> socket:open(Fd, #{type => foo}) end),
    say("bad protocol", fun() -> socket:open(Fd, #{protocol => foo}) end),
    [socket:close(X) || X <- [C, S]];

test(ioctls) ->
    {ok, S} = socket:open(inet, dgram, udp),
    say("all", fun() -> {ok, All} = socket:ioctl(S, gifconf), [A || #{name := "lo"} = A <- All] end),
    [say(io_lib:format("~w ~0p", [R, A]), fun() -> case prim_socket:ioctl(element(2, S), R, A) of
                                                        {ok, #{addr := <<_:6/binary, _/binary>>, family := loopback}} -> hardware;
                                                        X -> X
                                                    end end)
     || R <- [gifname, gifindex, gifaddr, gifdstaddr, gifbrdaddr, gifnetmask, gifhwaddr, gifmtu, giftxqlen, gifflags, gifmap],
        A <- ["lo", "nonexist", "waytoolonginterfacename", 1, 9999, foo]],
    say("set", fun() -> socket:ioctl(S, sifmtu, "nolo", 100) end),
    say("set", fun() -> prim_socket:ioctl(element(2, S), sifmtu, "lo", foo) end),
    say("set", fun() -> socket:ioctl(S, sifflags, "nolo", #{up => true}) end),
    say("set", fun() -> socket:ioctl(S, sifaddr, "nolo", #{family => inet, port => 0, addr => loopback}) end),
    say("bad", fun() -> prim_socket:ioctl(element(2, S), sifaddr, "lo", x) end),
    say("bad", fun() -> prim_socket:ioctl(element(2, S), 12345) end),
    say("bad", fun() -> prim_socket:ioctl(element(2, S), 12345, "lo") end),
    say("bad", fun() -> prim_socket:ioctl(element(2, S), 12345, "lo", 1) end),
    say("bad", fun() -> prim_socket:ioctl(element(2, S), foo) end),
    say("get as set", fun() -> prim_socket:ioctl(element(2, S), sifaddr, "lo") end),
    say("bad", fun() -> socket:ioctl(S, foo) end),
    socket:close(S);

test(many_connections) ->
    {L, Address} = listener(),
    N = 100,
    Server = spawn_link(fun() -> accept_all(L, N) end),
    ok = socket:setopt(L, {otp, controlling_process}, Server),
    Me = self(),
    [spawn_link(fun() ->
                        {ok, C} = socket:open(inet, stream, tcp),
                        ok = socket:connect(C, Address),
                        Sum = lists:sum([begin ok = socket:send(C, <<I:32>>), {ok, <<J:32>>} = socket:recv(C, 4), J end || I <- lists:seq(1, 20)]),
                        socket:close(C),
                        Me ! {sum, Sum}
                end) || _ <- lists:seq(1, N)],
    say("sum", fun() -> lists:sum([receive {sum, X} -> X end || _ <- lists:seq(1, N)]) end);

test(timeouts) ->
    {C, S} = pair(),
    say("recv", fun() -> socket:recv(S, 0, 20) end),
    say("recv 0", fun() -> socket:recv(S, 0, 0) end),
    say("recv flags", fun() -> socket:recv(S, 0, [], 20) end),
    say("recvmsg", fun() -> socket:recvmsg(S, 20) end),
    say("part", fun() -> ok = socket:send(C, <<"abc">>), socket:recv(S, 5, 50) end),
    say("bad", fun() -> socket:recv(S, 0, -1) end),
    say("bad", fun() -> socket:recv(S, 0, foo) end),
    say("nowait", fun() -> {select, {select_info, recv, Ref}} = socket:recv(S, 0, nowait), socket:send(C, <<"x">>),
                           receive {'$socket', S, select, Ref} -> socket:recv(S, 0, nowait) after 1000 -> nothing end end),
    say("nowait, cancelled", fun() -> {select, Info} = socket:recv(S, 0, nowait), {socket:cancel(S, Info), socket:cancel(S, Info)} end),
    say("own handle", fun() -> Ref = make_ref(), socket:recv(S, 0, Ref) =:= {select, {select_info, recv, Ref}} end),
    {L, _} = listener(),
    say("accept", fun() -> socket:accept(L, 20) end),
    say("accept nowait", fun() -> {select, Info} = socket:accept(L, nowait), socket:cancel(L, Info) end),
    Big = binary:copy(<<"x">>, 8000000),
    say("send", fun() -> {error, {timeout, Rest}} = socket:send(C, Big, 50), byte_size(Rest) < 8000000 end),
    say("send", fun() -> case socket:send(C, <<"y">>, 20) of {error, timeout} -> timeout; X -> X end end),
    [socket:close(X) || X <- [C, S, L]];

test(bad_arguments) ->
    {C, S} = pair(),
    Ref = make_ref(),
    [say(io_lib:format("~w ~0p", [F, [if A =:= C -> socket; is_reference(A) -> ref; true -> A end || A <- Arguments]]), fun() -> apply(socket, F, Arguments) end)
     || {F, Arguments} <- [{send, [foo, <<"x">>]}, {send, [{'$socket', foo}, <<"x">>]}, {send, [C, <<"x">>, foo]}, {send, [C, <<"x">>, [], -5]},
                           {recv, [foo]}, {recv, [C, -1]}, {recv, [C, foo]}, {recv, [C, 1 bsl 70, 10]}, {recvfrom, [C, -1]}, {recvmsg, [C, -1, 0]},
                           {bind, [foo, any]}, {connect, [foo, any]}, {connect, [C, foo]}, {connect, [C, #{family => inet}, foo]}, {listen, [C, foo]},
                           {listen, [foo]}, {accept, [foo]}, {accept, [C, foo]}, {close, [foo]}, {shutdown, [foo, read]}, {sockname, [foo]},
                           {peername, [foo]}, {getopt, [foo, {socket, type}]}, {setopt, [foo, {socket, reuseaddr}, true]}, {cancel, [C, foo]},
                           {cancel, [foo, {select_info, recv, Ref}]}, {cancel, [C, {select_info, recv, Ref}]}, {sendmsg, [C, foo]},
                           {sendto, [C, <<"x">>, foo]}, {ioctl, [C, gifname, "lo"]}, {ioctl, [foo, gifconf]}, {monitor, [foo]}]],
    [say(io_lib:format("prim ~w", [F]), fun() -> apply(prim_socket, F, Arguments) end)
     || {F, Arguments} <- [{send, [Ref, <<"x">>, [], Ref]}, {send, [element(2, C), "x", [], Ref]}, {send, [element(2, C), <<"x">>, [], foo]},
                           {send, [element(2, C), <<"x">>, [], zero]}, {recv, [Ref, 0, [], Ref]}, {recv, [element(2, C), 0, [], foo]},
                           {recv, [element(2, C), foo, [], Ref]}, {info, [Ref]}, {close, [Ref]}, {sockname, [Ref]}, {getopt, [Ref, {otp, fd}]},
                           {setopt, [Ref, {otp, iow}, true]}, {listen, [element(2, C), 1 bsl 40]}, {finalize_close, [Ref]}, {accept, [Ref, Ref]},
                           {sendfile, [element(2, C), foo, 0, 0, Ref]}, {sendfile, [element(2, C), 0, 0, Ref]}, {sendfile_deferred_close, [element(2, C)]}]],
    [socket:close(X) || X <- [C, S]];

test(supported) ->
    [say(io_lib:format("~0p", [X]), fun() -> lists:sort(socket:supports(X)) end)
     || X <- [ioctl_requests, ioctl_flags, options, msg_flags, protocols, sctp, ipv6, foo, "foo"]],
    say("all", fun() -> [K || {K, _} <- socket:supports()] end),
    say("level", fun() -> lists:sort(socket:supports(options, tcp)) end),
    say("is", fun() -> [socket:is_supported(A) || A <- [sctp, ipv6, local, netns, sendfile, foo]] end),
    say("is", fun() -> [socket:is_supported(A, B) || {A, B} <- [{options, {socket, reuseaddr}}, {options, {socket, peek_off}}, {protocols, tcp},
                                                                {protocols, foo}, {msg_flags, peek}, {ioctl_requests, gifaddr}, {ioctl_flags, up}, {foo, bar}]] end),
    say("tables", fun() -> [erlang:phash2(prim_socket:p_get(T)) || T <- [protocols, options, ioctl_requests, ioctl_flags, msg_flags]] end),
    say("none", fun() -> prim_socket:p_get(nosuch) end),
    say("command", fun() -> [try prim_socket:F(foo) catch C:R -> {C, R} end || F <- [debug, socket_debug, use_registry]] end).

accept_all(_, 0) -> ok;
accept_all(L, N) ->
    {ok, S} = socket:accept(L),
    Echo = spawn_link(fun() -> receive go -> echo(S) end end),
    ok = socket:setopt(S, {otp, controlling_process}, Echo),
    Echo ! go,
    accept_all(L, N - 1).

echo(S) ->
    case socket:recv(S, 4) of
        {ok, B} -> ok = socket:send(S, B), echo(S);
        {error, closed} -> socket:close(S)
    end.

%% What differs from run to run.
known(#{type := timestamp, value := #{sec := S, usec := U}} = M) when is_integer(S), is_integer(U) -> (maps:remove(data, M))#{value := time};
known(#{type := pktinfo, value := V} = M) -> (maps:remove(data, M))#{value := V#{ifindex := index}};
known(M) -> M.
