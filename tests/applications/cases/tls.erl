%% programs: openssl curl
%% ssl with itself, with openssl s_client and s_server, with curl; bad certificates; bytes that are no TLS.
-module(tls).
-export([main/0]).
-import(calls, [try_/1, show/2]).

main() ->
    logger:set_primary_config(level, none),
    {ok, _} = application:ensure_all_started(ssl),
    C = configurations(),
    show(versions, ssl:versions()),
    show(ciphers, [{V, length(ssl:cipher_suites(all, V)), erlang:phash2(ssl:cipher_suites(default, V))} || V <- ['tlsv1.2', 'tlsv1.3', 'dtlsv1.2']]),
    Sections = [fun versions/1, fun suites/1, fun names/1, fun protocols/1, fun clients/1, fun tickets/1, fun renegotiation/1, fun modes/1, fun ends/1, fun upgraded/1, fun certificates/1,
                fun wrong_options/1, fun datagrams/1, fun openssl_client/1, fun openssl_server/1, fun curl/1, fun garbage/1, fun stalled/1, fun many/1],
    Wanted = case os:getenv("SECTION") of false -> Sections; Name -> [F || F <- Sections, {name, N} <- [erlang:fun_info(F, name)], atom_to_list(N) =:= Name] end,
    [section(F, C) || F <- Wanted].

%% A section that stops does not stop the others.
section(F, C) ->
    {Pid, Ref} = spawn_monitor(fun() -> F(C) end),
    receive {'DOWN', Ref, _, _, normal} -> ok;
            {'DOWN', Ref, _, _, Why} -> show({died, F}, Why)
    after 60000 -> show({stopped, F}, process_info(Pid, current_stacktrace)), exit(Pid, kill) end.

configurations() ->
    Key = [{key, {namedCurve, secp256r1}}, {digest, sha256}],
    Chain = #{root => Key, intermediates => [Key], peer => Key},
    Rsa = [{key, {rsa, 2048, 65537}}, {digest, sha256}],
    #{server_config := S, client_config := C} = public_key:pkix_test_data(#{server_chain => Chain, client_chain => Chain}),
    #{server_config := SE, client_config := CE} = public_key:pkix_test_data(#{server_chain => Chain#{peer => [{validity, {{2001, 1, 1}, {2002, 1, 1}}} | Key]}, client_chain => Chain}),
    #{server_config := SR, client_config := CR} = public_key:pkix_test_data(#{server_chain => #{root => Rsa, intermediates => [], peer => Rsa}, client_chain => #{root => Rsa, intermediates => [], peer => Rsa}}),
    write("s", S), write("c", C), write("r", SR),
    #{s => S, c => C, expired => SE, expired_c => CE, rs => SR, rc => CR}.

write(Name, Config) ->
    {T, K} = proplists:get_value(key, Config),
    ok = file:write_file(Name ++ ".key", public_key:pem_encode([{T, K, not_encrypted}])),
    ok = file:write_file(Name ++ ".pem", public_key:pem_encode([{'Certificate', D, not_encrypted} || D <- [proplists:get_value(cert, Config) | proplists:get_value(cacerts, Config)]])).

%% Serves each client of L with F, until L is closed.
serve(L, F) ->
    spawn_link(fun() -> serve_all(L, F) end).
serve_all(L, F) ->
    case ssl:transport_accept(L) of
        {ok, T} -> spawn(fun() -> case ssl:handshake(T, 5000) of {ok, K} -> F(K); _ -> ok end end), serve_all(L, F);
        _ -> ok
    end.

%% Some errors have all options in them.
without_keys({error, {options, O}}) when tuple_size(O) > 2 -> element(1, O);
without_keys({error, R, M, F, A}) when is_list(A) -> {error, R, M, F, length(A)};
without_keys({ok, _}) -> ok;
without_keys(E) -> E.

%% What a server answers to one client: Server and Client get their socket, when the handshake was done.
pair(SOpts, COpts, Server, Client) ->
    {ok, L} = ssl:listen(0, [{reuseaddr, true}, {active, false} | SOpts]),
    {ok, {_, Port}} = ssl:sockname(L),
    Me = self(),
    Pid = spawn_link(fun() ->
        Answer = case ssl:transport_accept(L) of
                     {ok, T} -> case ssl:handshake(T, 10000) of
                                    {ok, S} -> try_(fun() -> Server(S) end);
                                    {ok, S, Ext} -> try_(fun() -> Server({S, Ext}) end);
                                    E -> no_text(E) end;
                     E -> E end,
        Me ! {self(), Answer}, receive stop -> ok end end),
    Mine = case ssl:connect("localhost", Port, [{active, false} | COpts], 10000) of
               {ok, C} -> R = try_(fun() -> Client(C) end), R;
               E -> no_text(E) end,
    Theirs = receive {Pid, A} -> A after case Mine of {options, _} -> 200; _ -> 15000 end -> nothing end,
    Pid ! stop, ssl:close(L),
    {Mine, Theirs}.

%% Alerts have lines of ssl's sources in them, the same on both; not the addresses of processes.
no_text({error, {tls_alert, {A, _}}}) -> {alert, A};
no_text({error, {options, O}}) -> {options, element(1, O)};
no_text(E) -> E.

verified(Config) -> [{verify, verify_peer}, {server_name_indication, disable} | Config].
echo(S) -> {ok, B} = ssl:recv(S, 0, 5000), ok = ssl:send(S, ["echo:", B]), B.
ask(S) -> ok = ssl:send(S, "question"), {ok, B} = ssl:recv(S, 13, 5000), B.

versions(C) -> [version(C, V) || V <- ['tlsv1.2', 'tlsv1.3']].
version(#{s := S, c := C}, V) ->
    show({version, V}, pair([{versions, [V]} | S], [{versions, [V]} | verified(C)], fun echo/1,
        fun(K) -> {ok, I} = ssl:connection_information(K), {ask(K), proplists:get_value(protocol, I), proplists:get_value(selected_cipher_suite, I), lists:sort([N || {N, _} <- I]), element(1, ssl:peercert(K)), ssl:negotiated_protocol(K)} end)),
    Big = binary:copy(<<"0123456789">>, 500000),
    show({big, V}, pair([{versions, [V]}, {mode, binary} | S], [{versions, [V]}, {mode, binary} | verified(C)], fun(K) -> {ok, B} = ssl:recv(K, 5000000, 20000), ok = ssl:send(K, crypto:hash(sha, B)), ssl:shutdown(K, write), ssl:recv(K, 0, 5000) end,
        fun(K) -> ok = ssl:send(K, Big), {ok, H} = ssl:recv(K, 20, 20000), {H =:= crypto:hash(sha, Big), ssl:close(K)} end)),
    show({none_in_common, V}, pair([{versions, [V]} | S], [{versions, ['tlsv1.2', 'tlsv1.3'] -- [V]} | verified(C)], fun echo/1, fun ask/1)),
    V =:= 'tlsv1.2' andalso show({exported, V}, pair([{versions, [V]} | S], [{versions, [V]} | verified(C)], fun(K) -> {ok, _} = ssl:recv(K, 0), size_of(try_(fun() -> ssl:prf(K, master_secret, <<"label">>, [client_random, server_random], 20) end)) end,
        fun(K) -> ssl:send(K, "x"), size_of(try_(fun() -> ssl:prf(K, master_secret, <<"label">>, [client_random, server_random], 20) end)) end)).
size_of({ok, B}) -> byte_size(B);
size_of(Other) -> Other.

suites(#{rs := S, rc := C, s := ES, c := EC}) ->
    Run = fun(V, Name, A, B) -> R = pair([{versions, [V]}, {ciphers, [Name]} | A], [{versions, [V]}, {ciphers, [Name]} | verified(B)], fun echo/1, fun ask/1), {Name, R} end,
    [show(suite, [Run('tlsv1.2', N, A, B) || N <- ["ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-CHACHA20-POLY1305", "DHE-RSA-AES128-SHA256", "AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-CCM", "ECDHE-ECDSA-AES128-CCM8"]])
     || {A, B} <- [{S, C}, {ES, EC}]],
    [show({suite, N}, Run('tlsv1.3', N, ES, EC)) || N <- ["TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256"]],
    show(psk, [pair([{versions, ['tlsv1.2']}, {ciphers, ["PSK-AES128-GCM-SHA256"]}, {psk_identity, "hint"}, {user_lookup_fun, {fun(psk, _, K) -> {ok, K} end, <<"secret">>}}],
                    [{versions, ['tlsv1.2']}, {ciphers, ["PSK-AES128-GCM-SHA256"]}, {verify, verify_none}, {psk_identity, "me"}, {user_lookup_fun, {fun(psk, _, K) -> {ok, K} end, K0}}], fun echo/1, fun ask/1) || K0 <- [<<"secret">>, <<"other">>]]),
    [show({groups, G1, G2}, pair([{versions, ['tlsv1.3']}, {supported_groups, G1} | ES], [{versions, ['tlsv1.3']}, {supported_groups, G2} | verified(EC)], fun echo/1, fun ask/1))
     || {G1, G2} <- [{[x25519], [x25519]}, {[secp256r1, x448], [x25519, x448]}, {[ffdhe2048], [secp256r1, ffdhe2048]}, {[x25519], [secp384r1]}]].

names(#{s := S, c := C, rs := R, rc := RC}) ->
    Sni = {sni_fun, fun("rsa.example") -> R; (_) -> undefined end},
    [show({sni, N}, pair([Sni | S], [{server_name_indication, N}, {verify, verify_peer}, {cacerts, proplists:get_value(cacerts, C) ++ proplists:get_value(cacerts, RC)}], fun(K) -> {ok, I} = ssl:connection_information(K, [sni_hostname]), {echo(K), I} end, fun ask/1))
     || N <- ["rsa.example", "localhost", net_adm:localhost(), disable]],
    show(sni_hosts, pair([{sni_hosts, [{"a.example", R}]} | S], [{server_name_indication, "a.example"}, {verify, verify_none}], fun(_) -> ok end, fun(K) -> {ok, D} = ssl:peercert(K), D =:= proplists:get_value(cert, R) end)),
    show(hello, pair([{handshake, hello} | S], verified(C), fun({K, Ext}) -> {ok, H} = ssl:handshake_continue(K, []), {lists:sort(maps:keys(Ext)), echo(H)} end, fun ask/1)),
    show(cancelled, pair([{handshake, hello} | S], verified(C), fun({K, _}) -> ssl:handshake_cancel(K) end, fun ask/1)).

protocols(#{s := S, c := C}) ->
    [show({alpn, V, A, B}, pair([{versions, [V]}, {alpn_preferred_protocols, A} | S], [{versions, [V]}, {alpn_advertised_protocols, B} | verified(C)], fun(K) -> {ssl:negotiated_protocol(K), echo(K)} end, fun(K) -> {ssl:negotiated_protocol(K), ask(K)} end))
     || V <- ['tlsv1.2', 'tlsv1.3'], {A, B} <- [{[<<"h2">>, <<"http/1.1">>], [<<"http/1.1">>, <<"h2">>]}, {[<<"h2">>], [<<"spdy">>]}]].

clients(#{s := S, c := C, rc := R, s := _}) ->
    Need = [{verify, verify_peer}, {fail_if_no_peer_cert, true}],
    NoCert = [O || O = {N, _} <- C, N =/= cert, N =/= key],
    [begin
         V = {versions, [Version]},
         Read = fun(K) -> [try_(fun() -> ask(K) end), no_text(try_(fun() -> ssl:recv(K, 0, 2000) end))] end,
         show({client_cert, Version}, pair([V | Need ++ S], [V | verified(C)], fun(K) -> {ok, D} = ssl:peercert(K), {D =:= proplists:get_value(cert, C), echo(K)} end, fun ask/1)),
         show({no_client_cert, Version}, shorter(pair([V | Need ++ S], [V | verified(NoCert)], fun echo/1, Read))),
         show({optional, Version}, pair([V, {verify, verify_peer} | S], [V | verified(NoCert)], fun(K) -> {ssl:peercert(K), echo(K)} end, fun ask/1)),
         show({other_cert, Version}, shorter(pair([V | Need ++ S], [V, {cacerts, proplists:get_value(cacerts, C)} | verified([O || O = {N, _} <- R, N =/= cacerts])], fun echo/1, Read)))
     end || Version <- ['tlsv1.2', 'tlsv1.3']].

%% Where a client of TLS 1.3 hears of the alert depends on time.
shorter({Mine, Theirs}) -> {is_tuple(Mine) orelse is_list(Mine), Theirs}.

tickets(#{s := S, c := C}) ->
    {ok, L} = ssl:listen(0, [{versions, ['tlsv1.3']}, {session_tickets, stateless}, {active, false} | S]),
    {ok, {_, Port}} = ssl:sockname(L),
    serve(L, fun(K) -> {ok, I} = ssl:connection_information(K, [session_resumption]), ssl:send(K, io_lib:format("~p", [I])), ssl:recv(K, 0), ssl:close(K) end),
    Get = fun(Opts) -> {ok, K} = ssl:connect("localhost", Port, [{versions, ['tlsv1.3']}, {active, false} | Opts ++ verified(C)]), {ok, B} = ssl:recv(K, 0, 3000), timer:sleep(100), ssl:send(K, "bye"), ssl:close(K), B end,
    show(tickets_auto, [Get([{session_tickets, auto}]) || _ <- [1, 2, 3]]),
    {ok, K} = ssl:connect("localhost", Port, [{versions, ['tlsv1.3']}, {active, true}, {session_tickets, manual} | verified(C)]),
    Ticket = receive {ssl, session_ticket, T} -> T after 3000 -> none end, ssl:close(K),
    show(ticket, lists:sort(maps:keys(Ticket))),
    show(tickets_manual, [Get([{session_tickets, manual}, {use_ticket, [X]}]) || X <- [Ticket, Ticket]]),
    ssl:close(L),
    {ok, L2} = ssl:listen(0, [{versions, ['tlsv1.2']}, {active, false}, {reuse_sessions, true} | S]),
    {ok, {_, P2}} = ssl:sockname(L2),
    serve(L2, fun(K) -> ssl:send(K, "hello"), ssl:recv(K, 0), ssl:close(K) end),
    Ids = [begin {ok, K2} = ssl:connect("localhost", P2, [{versions, ['tlsv1.2']}, {active, false}, {reuse_sessions, save} | verified(C)]), {ok, "hello"} = ssl:recv(K2, 5, 3000), {ok, [{session_id, Id}]} = ssl:connection_information(K2, [session_id]),
                 ssl:send(K2, "bye"), ssl:close(K2), timer:sleep(300), Id end || _ <- [1, 2]],
    show(sessions, {length(lists:usort(Ids)), byte_size(hd(Ids))}),
    ssl:close(L2).

renegotiation(#{s := S, c := C}) ->
    Two = [{versions, ['tlsv1.2']}],
    show(renegotiated, pair(Two ++ S, Two ++ verified(C), fun echo/1, fun(K) -> {ssl:renegotiate(K), ask(K)} end)),
    show(refused, pair([{client_renegotiation, false} | Two ++ S], Two ++ verified(C), fun(K) -> no_text(ssl:recv(K, 0, 3000)) end, fun(K) -> no_text(ssl:renegotiate(K)) end)),
    Three = [{versions, ['tlsv1.3']}],
    show(update_keys, pair(Three ++ S, Three ++ verified(C), fun echo/1, fun(K) -> {ssl:update_keys(K, write), ssl:update_keys(K, read_write), ask(K)} end)).

modes(#{s := S, c := C}) ->
    show(active, pair(S, verified(C), fun(K) -> [ssl:send(K, [I]) || I <- "abc"], ssl:close(K) end, fun(K) -> ssl:setopts(K, [{active, true}]), collect([]) end)),
    show(once, pair([{packet, 4}, {mode, binary} | S], [{packet, 4}, {mode, binary} | verified(C)], fun(K) -> [ssl:send(K, <<"message ", I>>) || I <- "abc"], ssl:recv(K, 0, 5000) end,
        fun(K) -> R = [begin ssl:setopts(K, [{active, once}]), receive {ssl, _, M} -> M after 5000 -> none end end || _ <- [1, 2, 3]], ssl:close(K), R end)),
    show(active_n, pair([{packet, 2} | S], [{packet, 2} | verified(C)], fun(K) -> [ssl:send(K, [I]) || I <- "abc"], ssl:recv(K, 0, 5000) end,
        fun(K) -> ssl:setopts(K, [{active, 2}]), R = [receive {ssl, _, M} -> M; {ssl_passive, _} -> passive after 3000 -> none end || _ <- [1, 2, 3]], ssl:close(K), R end)),
    show(line, pair([{packet, line} | S], [{packet, line} | verified(C)], fun(K) -> ssl:send(K, "one\ntwo\nth"), ssl:send(K, "ree\n"), ssl:recv(K, 0, 5000) end, fun(K) -> R = [ssl:recv(K, 0, 3000) || _ <- [1, 2, 3]], ssl:close(K), R end)),
    show(http, pair([{packet, http} | S], verified(C), fun(K) -> [ssl:recv(K, 0, 3000) || _ <- [1, 2, 3]] end, fun(K) -> ssl:send(K, "GET /x HTTP/1.1\r\nHost: h\r\n\r\n") end)),
    show(getopts, pair(S, verified(C), fun(K) -> ssl:getopts(K, [active, packet, mode, nodelay]) end, fun(K) -> {ssl:getopts(K, [active, mode]), ssl:setopts(K, [{packet, 7}]), try_(fun() -> ssl:setopts(K, x) end), [N || {N, _} <- element(2, ssl:getstat(K))]} end)),
    show(controlling, pair(S, verified(C), fun(K) -> ssl:send(K, "for the other"), ssl:recv(K, 0, 3000) end, fun(K) -> Me = self(),
        P = spawn(fun() -> receive go -> ok end, ssl:setopts(K, [{active, once}]), receive {ssl, _, D} -> Me ! {got, D} end end), A = ssl:controlling_process(K, P), P ! go, {A, receive {got, D} -> D after 3000 -> none end, ssl:controlling_process(K, self())} end)).
collect(L) -> receive {ssl, _, D} -> collect([D | L]); {ssl_closed, _} -> {lists:append(lists:reverse(L)), closed}; {ssl_error, _, E} -> {L, E} after 5000 -> {L, timeout} end.

ends(#{s := S, c := C}) ->
    show(recv_timeout, pair(S, verified(C), fun(K) -> ssl:recv(K, 0, 3000) end, fun(K) -> {ssl:recv(K, 0, 100), ssl:close(K), ssl:recv(K, 0), ssl:send(K, "x"), try_(fun() -> ssl:connection_information(K) end)} end)),
    show(half_closed, pair(S, verified(C), fun(K) -> {ssl:recv(K, 0, 3000), ssl:send(K, "x")} end, fun(K) -> {ssl:shutdown(K, read_write), ssl:send(K, "y")} end)),
    show(refused, ssl:connect("localhost", 1, [{verify, verify_none}], 1000)),
    {ok, L} = gen_tcp:listen(0, []), {ok, P} = inet:port(L),
    show(nobody_answers, ssl:connect("localhost", P, [{verify, verify_none}], 200)),
    show(no_such_host, ssl:connect("no.such.host.invalid", P, [{verify, verify_none}], 3000)),
    gen_tcp:close(L).

upgraded(#{s := S, c := C}) ->
    {ok, L} = gen_tcp:listen(0, [{active, false}, {reuseaddr, true}]), {ok, Port} = inet:port(L), Me = self(),
    spawn_link(fun() -> {ok, T} = gen_tcp:accept(L), {ok, "STARTTLS"} = gen_tcp:recv(T, 8), gen_tcp:send(T, "OK"), {ok, K} = ssl:handshake(T, S, 5000), Me ! {server, echo(K)} end),
    {ok, T} = gen_tcp:connect("localhost", Port, [{active, false}]), gen_tcp:send(T, "STARTTLS"), {ok, "OK"} = gen_tcp:recv(T, 2),
    {ok, K} = ssl:connect(T, verified(C), 5000),
    show(upgraded, {ask(K), receive {server, B} -> B end}), gen_tcp:close(L).

certificates(#{s := S, c := C, expired := E, expired_c := EC, rc := R, rs := RS}) ->
    [begin
         V = {versions, [Version]},
         show({expired, Version}, pair([V | E], [V | verified(EC)], fun echo/1, fun ask/1)),
         show({unknown_ca, Version}, pair([V | RS], [V | verified(C)], fun echo/1, fun ask/1)),
         show({not_verified, Version}, pair([V | E], [V, {verify, verify_none}], fun echo/1, fun ask/1)),
         show({wrong_name, Version}, pair([V | S], [V, {verify, verify_peer}, {server_name_indication, "other.example"} | C], fun echo/1, fun ask/1)),
         show({no_cas, Version}, pair([V | S], [V, {verify, verify_peer}], fun echo/1, fun ask/1)),
         show({asked, Version}, pair([V | E], [V, {verify_fun, {fun(_, {bad_cert, _}, X) -> {valid, X}; (_, {extension, _}, X) -> {unknown, X}; (_, _, X) -> {valid, X} end, []}} | verified(R)], fun echo/1, fun ask/1))
     end || Version <- ['tlsv1.2', 'tlsv1.3']],
    show(files, pair([{certfile, "s.pem"}, {keyfile, "s.key"}], [{cacertfile, "c.pem"}, {verify, verify_peer}, {server_name_indication, disable}], fun echo/1, fun ask/1)),
    show(missing_files, [element(1, ssl:listen(0, O)) || O <- [[{certfile, "nowhere"}], [{certfile, "s.pem"}, {keyfile, "nowhere"}], []]]).

wrong_options(#{s := S}) ->
    show(options, [without_keys(try_(fun() -> ssl:listen(0, [O | S]) end)) || O <- [{versions, [x]}, {versions, ['tlsv1.9']}, {ciphers, x}, {verify, x}, {depth, -1}, {alpn_preferred_protocols, x}, {session_tickets, x}, {active, x}, {honor_cipher_order, 1}, {packet, 9}]]),
    show(client_options, [try_(fun() -> ssl:connect("localhost", 1, [O], 100) end) || O <- [{verify, verify_peer}, {reuse_sessions, x}, {x, y}, {cacerts, x}, {server_name_indication, 5}, {customize_hostname_check, x}]]),
    show(strings, [try_(F) || F <- [fun() -> ssl:str_to_suite("TLS_AES_256_GCM_SHA384") end, fun() -> ssl:suite_to_str(#{key_exchange => any, cipher => aes_128_gcm, mac => aead, prf => sha256}) end, fun() -> ssl:str_to_suite("x") end, fun() -> ssl:format_error(closed) end, fun() -> ssl:format_error({tls_alert, "x"}) end, fun() -> ssl:connect(x, y) end, fun() -> ssl:send(x, y) end]]).

datagrams(#{s := S, c := C}) ->
    D = {protocol, dtls},
    show(dtls, pair([D, {ip, {127, 0, 0, 1}} | S], [D, {versions, ['dtlsv1.2']} | verified(C)], fun echo/1, fun(K) -> {ok, [P]} = ssl:connection_information(K, [protocol]), {P, ask(K)} end)),
    show(dtls_client_cert, pair([D, {ip, {127, 0, 0, 1}}, {verify, verify_peer}, {fail_if_no_peer_cert, true} | S], [D | verified(C)], fun echo/1, fun ask/1)),
    show(dtls_rubbish, begin
        {ok, L} = ssl:listen(0, [D, {active, false}, {ip, {127, 0, 0, 1}} | S]), {ok, {_, P}} = ssl:sockname(L), {ok, U} = gen_udp:open(0, []), rand:seed(exsss, 9),
        [gen_udp:send(U, {127, 0, 0, 1}, P, rand:bytes(N)) || N <- lists:seq(1, 200)],
        Me = self(), serve(L, fun(K) -> Me ! {s, echo(K)} end),
        {ok, K} = ssl:connect("localhost", P, [D, {active, false} | verified(C)], 5000), R = {ask(K), receive {s, B} -> B end}, ssl:close(K), ssl:close(L), R end).

%% A program that speaks TLS with us; what it says, and how it ends.
program(Command, Input) ->
    Port = open_port({spawn, Command}, [stream, binary, exit_status, stderr_to_stdout, use_stdio]),
    Port ! {self(), {command, Input}}, Port.
output(Port, Times) -> output(Port, Times, <<>>).
output(Port, Time, B) -> receive {Port, {data, D}} -> output(Port, Time, <<B/binary, D/binary>>); {Port, {exit_status, E}} -> {E, B} after Time -> catch port_close(Port), {running, B} end.
has(B, What) -> [re:run(B, W, [{capture, none}]) =:= match || W <- What].

openssl_client(#{s := S, c := C}) ->
    [begin
         {ok, L} = ssl:listen(0, [{versions, [V]}, {active, false}, {reuseaddr, true}, {alpn_preferred_protocols, [<<"h2">>]}, {verify, verify_peer}, {fail_if_no_peer_cert, Cert =/= []} | S]), {ok, {_, P}} = ssl:sockname(L),
         Port = program(lists:concat(["openssl s_client -connect localhost:", P, " ", Flags, " -alpn h2 -CAfile c.pem ", Cert]), "question\n"),
         {ok, T} = ssl:transport_accept(L), Server = case ssl:handshake(T, 5000) of {ok, K} -> X = {ssl:recv(K, 9, 5000), ssl:negotiated_protocol(K), ssl:send(K, "answer\n")}, ssl:close(K), X; E -> no_text(E) end,
         {_, B} = output(Port, 3000), ssl:close(L),
         show({s_client, V, Cert}, {Server, has(B, ["answer", "ALPN protocol: h2", "Verify return code: 0", "alert"])})
     end || {V, Flags} <- [{'tlsv1.2', "-tls1_2"}, {'tlsv1.3', "-tls1_3"}], Cert <- ["", "-cert c.pem -key c.key -cert_chain c.pem"]],
    _ = C.

free_port() -> {ok, L} = gen_tcp:listen(0, [{reuseaddr, true}]), {ok, P} = inet:port(L), gen_tcp:close(L), P.

openssl_server(#{c := C}) ->
    [begin
         P = free_port(),
         Port = program(lists:concat(["openssl s_server -accept ", P, " ", Flags, " -cert s.pem -key s.key -cert_chain s.pem -alpn h2 -www -no_dhe"]), ""),
         R = retry(fun() -> ssl:connect("localhost", P, [{versions, [V]}, {active, false}, {mode, binary}, {alpn_advertised_protocols, [<<"h2">>]} | verified(C)], 5000) end),
         show({s_server, V}, case R of {ok, K} -> N = ssl:negotiated_protocol(K), ssl:send(K, "GET / HTTP/1.0\r\n\r\n"), {N, has(read_all(K, <<>>), ["200 ok", "Cipher"])}; E -> E end),
         {os_pid, Os} = erlang:port_info(Port, os_pid), os:cmd("kill " ++ integer_to_list(Os)), output(Port, 2000)
     end || {V, Flags} <- [{'tlsv1.2', "-tls1_2"}, {'tlsv1.3', "-tls1_3"}]].
retry(F) -> retry(F, 50).
retry(F, N) -> case F() of {error, econnrefused} when N > 0 -> timer:sleep(100), retry(F, N - 1); R -> R end.
read_all(K, B) -> case ssl:recv(K, 0, 5000) of {ok, D} -> read_all(K, <<B/binary, D/binary>>); _ -> B end.

curl(#{s := S, expired := E}) ->
    [begin
         {ok, L} = ssl:listen(0, [{active, false}, {reuseaddr, true}, {packet, http} | O]), {ok, {_, P}} = ssl:sockname(L),
         serve(L, fun(K) -> {ok, Q} = ssl:recv(K, 0, 5000), ssl:setopts(K, [{packet, raw}]), ssl:send(K, ["HTTP/1.0 200 OK\r\n\r\n", io_lib:format("~p", [element(2, Q)]), binary:copy(<<"x">>, 1000000)]), ssl:close(K) end),
         show({curl, W, Flags}, os:cmd(lists:concat(["curl -s ", Flags, " https://localhost:", P, "/ | md5sum; curl -s ", Flags, " -o /dev/null https://localhost:", P, "/; echo $?"]))),
         ssl:close(L)
     end || {W, O} <- [{good, S}, {expired, E}], Flags <- ["-k", "-k --tls-max 1.2", "--cacert c.pem"]].

%% Bytes that are no TLS: the next client is served, and memory is not kept.
garbage(#{s := S, c := C}) ->
    {ok, L} = ssl:listen(0, [{active, false}, {reuseaddr, true} | S]), {ok, {_, P}} = ssl:sockname(L),
    serve(L, fun(K) -> echo(K), ssl:close(K) end),
    rand:seed(exsss, 5),
    Heads = [<<>>, <<22, 3, 1, 1, 0>>, <<22, 3, 3, 255, 255>>, <<23, 3, 3, 0, 10>>, <<21, 3, 3, 0, 2>>, <<22, 3, 1, 0, 5, 1, 0, 0, 1>>, <<128, 46, 1, 3, 1>>, <<"GET / HTTP/1.0\r\n\r\n">>],
    Answers = [begin {ok, T} = gen_tcp:connect("localhost", P, [binary, {active, false}]), gen_tcp:send(T, <<H/binary, (rand:bytes(N))/binary>>), gen_tcp:shutdown(T, write), R = all(T, <<>>), gen_tcp:close(T), R end || H <- Heads, N <- lists:seq(0, 100, 10)],
    %% An alert may be lost with the connection, when we were not done sending.
    show(garbage, lists:all(fun(<<21, 3, _, 0, 2, 2, _>>) -> true; (A) -> A =:= <<>> end, Answers)),
    Client = fun() -> {ok, K} = ssl:connect("localhost", P, [{active, false} | verified(C)], 5000), R = ask(K), ssl:close(K), R end,
    show(still_there, Client()),
    %% A good hello, cut short or with a byte changed.
    {ok, F} = gen_tcp:listen(0, [binary, {active, false}]), {ok, FP} = inet:port(F),
    spawn(fun() -> ssl:connect("localhost", FP, [{versions, ['tlsv1.2']} | verified(C)], 3000) end), {ok, FS} = gen_tcp:accept(F), {ok, Hello} = gen_tcp:recv(FS, 0), gen_tcp:close(FS), gen_tcp:close(F),
    Changed = [begin <<A:I/binary, X, B/binary>> = Hello, {ok, T} = gen_tcp:connect("localhost", P, [binary, {active, false}]), gen_tcp:send(T, <<A/binary, (X bxor 255), B/binary>>), gen_tcp:shutdown(T, write), R = all(T, <<>>), gen_tcp:close(T), R =/= nothing end || I <- lists:seq(0, byte_size(Hello) - 1, 3)],
    show(changed_hello, lists:usort(Changed)),
    [begin {ok, T} = gen_tcp:connect("localhost", P, [binary]), gen_tcp:send(T, binary:part(Hello, 0, N)), gen_tcp:close(T) end || N <- lists:seq(0, byte_size(Hello), 5)],
    show(still_there, Client()),
    ssl:close(L).
all(T, B) -> case gen_tcp:recv(T, 0, 6000) of {ok, D} -> all(T, <<B/binary, D/binary>>); {error, closed} -> B; {error, econnreset} -> B; E -> {B, E} end.

stalled(#{s := S, c := C}) ->
    {ok, L} = ssl:listen(0, [{active, false}, {reuseaddr, true}, {backlog, 600} | S]), {ok, {_, P}} = ssl:sockname(L), Me = self(),
    spawn_link(fun() -> Loop = fun F() -> case ssl:transport_accept(L) of {ok, T} -> spawn(fun() -> case ssl:handshake(T, 2000) of {ok, K} -> echo(K), ssl:close(K); E -> Me ! {stalled, E} end end), F(); _ -> ok end end, Loop() end),
    Open = [begin {ok, T} = gen_tcp:connect("localhost", P, []), T end || _ <- lists:seq(1, 500)],
    show(among_stalled, begin {ok, K} = ssl:connect("localhost", P, [{active, false} | verified(C)], 10000), R = ask(K), ssl:close(K), R end),
    show(stalled, lists:usort([receive {stalled, E} -> E after 10000 -> none end || _ <- Open])),
    [gen_tcp:close(T) || T <- Open], ssl:close(L).

many(#{s := S, c := C}) ->
    {ok, L} = ssl:listen(0, [{active, false}, {reuseaddr, true}, {backlog, 200} | S]), {ok, {_, P}} = ssl:sockname(L),
    serve(L, fun(K) -> echo(K), ssl:close(K) end),
    Pids = [spawn_monitor(fun() -> exit([begin {ok, K} = ssl:connect("localhost", P, [{versions, [V]}, {active, false} | verified(C)]), R = ask(K), ssl:close(K), R end || V <- ['tlsv1.2', 'tlsv1.3', 'tlsv1.2', 'tlsv1.3']]) end) || _ <- lists:seq(1, 50)],
    show(many, lists:usort([receive {'DOWN', R, _, _, X} -> X end || {_, R} <- Pids])),
    ssl:close(L).
