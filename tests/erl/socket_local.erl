%% More of kernel's `socket`: local sockets, descriptors that are sent, files, counters, interfaces, bad arguments.
%% skip seeds: in a run's own network descriptors are neither sent nor copied
-module(socket_local).
-export([main/0, main/1]).

main([_ | _] = Names) -> run([list_to_atom(N) || N <- Names]);
main(_) -> main().

main() ->
    run([local_sockets, rights, many_pieces, files, large_files, counters, from_descriptors, ioctls, many_connections, timeouts,
         bad_arguments, supported]).

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
                              ok = socket:bind(E, #{family => local, path => Path ++ "_"}),
                              ok = socket:sendto(E, <<"dgram">>, #{family => local, path => Path}), socket:recv(D) end),
    [socket:close(X) || X <- [D, E]],
    [file:delete(P) || P <- [Path, Path ++ "_"]];

test(rights) ->
    Path = "/tmp/socket_rights_" ++ os:getpid(),
    {ok, D} = socket:open(local, dgram), {ok, E} = socket:open(local, dgram),
    ok = socket:bind(D, #{family => local, path => Path}),
    ok = socket:bind(E, #{family => local, path => Path ++ "_"}),
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
    [file:delete(P) || P <- [Path, Path ++ "_"]];

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
    [file:delete(P) || P <- [Path, Path ++ "_"]];

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
    % Buffers that have grown with what came would take all of it.
    ok = socket:setopt(S, {socket, rcvbuf}, 65536),
    ok = socket:setopt(C, {socket, sndbuf}, 65536),
    say("no reader", fun() -> {error, {timeout, N}} = socket:sendfile(C, F, 0, 0, 100), N > 0 andalso N < byte_size(Data) end),
    say("full", fun() -> socket:sendfile(C, F, 0, 0, 50) end),
    socket:close(S),
    say("gone", fun() -> case socket:sendfile(C, F, 0, 0, 500) of {error, econnreset} -> gone; {error, epipe} -> gone; {error, {econnreset, _}} -> gone;
                             {error, {epipe, _}} -> gone; R -> R end end),
    file:close(F), socket:close(C),
    [file:delete(P) || P <- [Path, Path ++ "_"]];

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
    say("nowait, cancelled", fun() -> {select, Info} = socket:recv(S, 0, nowait), {socket:cancel(S, Info), element(1, socket:cancel(S, Info))} end),
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
    [say(io_lib:format("~w ~0p", [F, [if A =:= C -> socket; true -> shown(A) end || A <- Arguments]]), fun() -> apply(socket, F, Arguments) end)
     || {F, Arguments} <- [{send, [foo, <<"x">>]}, {send, [{'$socket', foo}, <<"x">>]}, {send, [C, <<"x">>, foo]}, {send, [C, <<"x">>, [], -5]},
                           {recv, [foo]}, {recv, [C, -1]}, {recv, [C, foo]}, {recv, [C, 1 bsl 70, 10]}, {recvfrom, [C, -1]}, {recvmsg, [C, -1, 0]},
                           {bind, [foo, any]}, {connect, [foo, any]}, {connect, [C, foo]}, {connect, [C, #{family => inet}, foo]}, {listen, [C, foo]},
                           {listen, [foo]}, {accept, [foo]}, {accept, [C, foo]}, {close, [foo]}, {shutdown, [foo, read]}, {sockname, [foo]},
                           {peername, [foo]}, {getopt, [foo, {socket, type}]}, {setopt, [foo, {socket, reuseaddr}, true]}, {cancel, [C, foo]},
                           {cancel, [foo, {select_info, recv, Ref}]}, {cancel, [C, {select_info, recv, Ref}]}, {sendmsg, [C, foo]},
                           {sendto, [C, <<"x">>, foo]}, {ioctl, [C, gifname, "lo"]}, {ioctl, [foo, gifconf]}, {monitor, [foo]}]],
    [say(io_lib:format("prim ~w", [F]), fun() -> apply(prim_socket, F, Arguments) end)
     || {F, Arguments} <- [{send, [Ref, <<"x">>, [], Ref]}, {send, [element(2, C), "x", [], Ref]},
                           {recv, [Ref, 0, [], Ref]}, {recv, [element(2, C), 0, [], foo]},
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
