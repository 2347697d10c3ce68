%% What C inside costs: each section measures something of one or more libraries and prints a line a figure,
%% "NAME<tab>VALUE<tab>UNIT". Of units of time less is better, of others (a second, MB/s) more.
-module(libraries).
-export([main/1, empty/1, empty_dirty/1, resource/0, send_many/2]).
-nifs([empty/1, empty_dirty/1, resource/0, send_many/2]).

main([Section | Args]) ->
    case code:is_loaded(?MODULE) =/= false andalso os:getenv("BENCH_NIF") of
        false -> ok;
        Library -> ok = erlang:load_nif(Library, 0)
    end,
    section(list_to_atom(Section), Args),
    erlang:halt(0).

empty(_) -> erlang:nif_error(not_loaded).
empty_dirty(_) -> erlang:nif_error(not_loaded).
resource() -> erlang:nif_error(not_loaded).
send_many(_, _) -> erlang:nif_error(not_loaded).

print(Name, Value, Unit) -> io:format("~s\t~.3f\t~s\n", [Name, float(Value), Unit]).
seconds(F) -> T = erlang:monotonic_time(), F(), (erlang:monotonic_time() - T) / erlang:convert_time_unit(1, second, native).

%% The least of five, each in a process of its own, of N calls; the first warms up.
each(Name, N, F) -> print(Name, 1.0e9 * lists:min(tl([in_process(fun() -> seconds(fun() -> F(N) end) end) || _ <- lists:seq(1, 6)])) / N, "ns").
in_process(F) -> {P, M} = spawn_monitor(fun() -> exit({is, F()}) end), receive {'DOWN', M, _, P, {is, R}} -> R end.
times(_, 0) -> ok;
times(F, N) -> F(), times(F, N - 1).

section(calls, [Name]) -> each(Name, 3_000_000, fun empties/1);
section(resources, _) -> each("a resource made and dropped", 1_000_000, fun resources/1);
section(sends, _) ->
    each("enif_send, and receiving it", 1_000_000, fun(N) ->
        To = self(), {S, M} = spawn_monitor(fun() -> [send_many(To, 1000) || _ <- lists:seq(1, N div 1000)] end),
        receive_all(N), receive {'DOWN', M, _, S, _} -> ok end end);
section(dirty, _) ->
    _ = [empty_dirty(x) || _ <- lists:seq(1, 1000)],
    L = lists:sort([begin T = erlang:monotonic_time(), empty_dirty(x), erlang:monotonic_time() - T end || _ <- lists:seq(1, 50_000)]),
    [print(Name, lists:nth(K, L), "ns") || {Name, K} <- [{"a dirty call, p50", 25_000}, {"a dirty call, p99", 49_500}]];
section(crypto, _) ->
    {ok, _} = application:ensure_all_started(crypto),
    each("crypto:hash(md5, 4 bytes)", 500_000, fun md5s/1),
    Key = <<7:256>>, Iv = <<9:96>>, Block = binary:copy(<<"0123456789abcdef">>, 1024),
    each("AES-GCM of 16 KB", 30_000, fun(N) -> times(fun() -> crypto:crypto_one_time_aead(aes_256_gcm, Key, Iv, Block, <<>>, true) end, N) end);
section(jiffy, _) ->
    Json = iolist_to_binary([$[, lists:join($,, [io_lib:format("{\"id\":~b,\"name\":\"name ~b\",\"tags\":[\"a\",\"b\",~b],\"on\":true,\"x\":~p}",
        [N, N, N, N / 7]) || N <- lists:seq(1, 14_000)]), $]]),
    Terms = jiffy:decode(Json),
    each("jiffy, decoding 1 MB", 30, fun(N) -> times(fun() -> jiffy:decode(Json) end, N) end),
    each("jiffy, encoding 1 MB", 30, fun(N) -> times(fun() -> iolist_to_binary(jiffy:encode(Terms)) end, N) end);
section(certificates, _) ->
    #{server_config := Server} = certificates(), Der = proplists:get_value(cert, Server),
    each("a certificate decoded", 3000, fun(N) -> times(fun() -> public_key:pkix_decode_cert(Der, otp) end, N) end);
section(tls, _) ->
    {ok, _} = application:ensure_all_started(ssl),
    #{server_config := Server, client_config := Client} = certificates(),
    Version = {versions, ['tlsv1.3']},
    {ok, L} = ssl:listen(0, [Version, {session_tickets, stateless}, {reuseaddr, true}, binary, {active, false}, {backlog, 100} | Server]),
    {ok, {_, Port}} = ssl:sockname(L),
    [spawn_link(fun() -> accept(L) end) || _ <- lists:seq(1, 4)],
    Options = [Version, {verify, verify_none}, binary, {active, false} | proplists:delete(cert, proplists:delete(key, Client))],
    Full = fun(N) -> times(fun() -> S = connect(Port, Options), ssl:close(S) end, N) end,
    Full(20),
    print("TLS 1.3 handshakes, full", 600 / seconds(fun() -> Full(600) end), "a second"),
    S0 = connect(Port, [{session_tickets, manual} | Options]),
    Ticket = receive {ssl, session_ticket, T} -> T after 5000 -> exit(no_ticket) end,
    ssl:close(S0),
    Again = fun(N) -> times(fun() -> S = connect(Port, [{session_tickets, manual}, {use_ticket, [Ticket]} | Options]), ssl:close(S) end, N) end,
    Again(20),
    print("TLS 1.3 handshakes, resumed", 600 / seconds(fun() -> Again(600) end), "a second"),
    S1 = connect(Port, Options),
    Much = binary:copy(<<"0123456789abcdef">>, 4096),
    Stream = fun(N) -> ok = ssl:send(S1, <<(N * byte_size(Much)):32>>), times(fun() -> ok = ssl:send(S1, Much) end, N), {ok, <<"got">>} = ssl:recv(S1, 3) end,
    Stream(200),
    print("TLS 1.3, stream", 100 / seconds(fun() -> Stream(1600) end), "MB/s");
section(sftp, _) ->
    {ok, _} = application:ensure_all_started(ssh),
    {ok, Cwd} = file:get_cwd(),
    ok = file:write_file("ssh_host_rsa_key", pem(public_key:generate_key({rsa, 2048, 65537}))),
    {ok, D} = ssh:daemon({127, 0, 0, 1}, 0, [{system_dir, Cwd}, {user_dir, Cwd}, {password, "secret"}, {subsystems, [ssh_sftpd:subsystem_spec([{cwd, Cwd}])]}]),
    {ok, Info} = ssh:daemon_info(D), Port = proplists:get_value(port, Info),
    {ok, Channel, _} = ssh_sftp:start_channel("127.0.0.1", Port, [{user, "u"}, {password, "secret"}, {silently_accept_hosts, true}, {user_dir, Cwd}, {save_accepted_host, false}]),
    Data = binary:copy(<<"0123456789abcdef">>, 64 bsl 20),
    print("sftp, writing", 1024 / seconds(fun() -> ok = ssh_sftp:write_file(Channel, "big", Data, infinity) end), "MB/s"),
    print("sftp, reading", 1024 / seconds(fun() -> {ok, Data} = ssh_sftp:read_file(Channel, "big", infinity) end), "MB/s"),
    file:delete("big").

empties(0) -> ok;
empties(N) -> empty(N), empties(N - 1).
resources(0) -> ok;
resources(N) -> resource(), resources(N - 1).
receive_all(0) -> ok;
receive_all(N) -> receive {message, _} -> receive_all(N - 1) end.
md5s(0) -> ok;
md5s(N) -> crypto:hash(md5, <<N:32>>), md5s(N - 1).

pem(Key) -> public_key:pem_encode([public_key:pem_entry_encode('RSAPrivateKey', Key)]).
certificates() ->
    {ok, _} = application:ensure_all_started(public_key),
    Chain = #{root => [{key, {rsa, 2048, 65537}}], intermediates => [], peer => [{key, {rsa, 2048, 65537}}]},
    public_key:pkix_test_data(#{server_chain => Chain, client_chain => Chain}).
connect(Port, Options) -> {ok, S} = ssl:connect("localhost", Port, Options, 10_000), S.

accept(L) ->
    {ok, T} = ssl:transport_accept(L),
    case ssl:handshake(T, 10_000) of
        {ok, S} -> case ssl:recv(S, 4) of {ok, <<N:32>>} -> receives(S, N); _ -> ok end, ssl:close(S);
        _ -> ok
    end,
    accept(L).
receives(S, 0) -> ok = ssl:send(S, <<"got">>), case ssl:recv(S, 4) of {ok, <<N:32>>} -> receives(S, N); _ -> ok end;
receives(S, N) -> {ok, B} = ssl:recv(S, 0), receives(S, N - byte_size(B)).
