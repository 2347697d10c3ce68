%% packages: erlang-ssh openssh-server openssh-sftp-server libwrap0
%% programs: ssh ssh-keygen
%% ssh and sftp: with themselves, OpenSSH's client against our daemon, our client against OpenSSH's daemon, bytes that are no SSH.
-module(secure_shell).
-export([main/0]).
-import(calls, [try_/1, show/2]).

main() ->
    logger:set_primary_config(level, none),
    {ok, _} = application:ensure_all_started(ssh),
    {ok, Cwd} = file:get_cwd(),
    [ok = filelib:ensure_dir(Cwd ++ "/" ++ D ++ "/x") || D <- ["system", "user", "files"]],
    [os:cmd("ssh-keygen -q -N '' -t " ++ T ++ " -f " ++ F) || {T, F} <- [{"rsa -b 2048", "system/ssh_host_rsa_key"}, {"ed25519", "system/ssh_host_ed25519_key"}, {"ecdsa", "system/ssh_host_ecdsa_key"}, {"ed25519", "user/id_ed25519"}, {"rsa -b 2048", "user/id_rsa"}, {"ecdsa", "user/id_ecdsa"}]],
    {ok, _} = file:copy("user/id_ed25519.pub", "user/authorized_keys"),
    Sections = [{algorithms, fun algorithms/1}, {own, fun own/1}, {kex, fun kex/1}, {keys, fun keys/1}, {channels, fun channels/1}, {files, fun files/1}, {wrong, fun wrong/1}, {garbage, fun garbage/1},
                {forward, fun forward/1}, {openssh_client, fun openssh_client/1}, {openssh_server, fun openssh_server/1}, {many, fun many/1}],
    Wanted = case os:getenv("SECTION") of false -> Sections; N -> [S || S = {K, _} <- Sections, atom_to_list(K) =:= N] end,
    [section(N, F, Cwd) || {N, F} <- Wanted].

section(N, F, Cwd) ->
    {Pid, Ref} = spawn_monitor(fun() -> F(Cwd) end),
    receive {'DOWN', Ref, _, _, normal} -> ok;
            {'DOWN', Ref, _, _, Why} -> show({died, N}, Why)
    after 60000 -> show({stopped, N}, process_info(Pid, current_stacktrace)), exit(Pid, kill) end.

daemon(Cwd, Opts) ->
    {ok, D} = ssh:daemon({127, 0, 0, 1}, 0, Opts ++ [{system_dir, Cwd ++ "/system"}, {user_dir, Cwd ++ "/user"}, {user_passwords, [{"me", "secret"}]},
        {subsystems, [ssh_sftpd:subsystem_spec([{root, Cwd ++ "/files"}])]}]),
    {ok, I} = ssh:daemon_info(D),
    {D, proplists:get_value(port, I)}.
connect(Cwd, Port, Opts) ->
    ssh:connect({127, 0, 0, 1}, Port, [{silently_accept_hosts, true}, {save_accepted_host, false}, {user_interaction, false}, {user_dir, Cwd ++ "/user"}, {user, "me"}, {password, "secret"} | Opts], 10000).

exec(C, Command) ->
    {ok, Ch} = ssh_connection:session_channel(C, 5000),
    R = ssh_connection:exec(C, Ch, Command, 5000),
    {R, collect(C, Ch, [])}.
collect(C, Ch, Acc) ->
    receive {ssh_cm, C, {data, Ch, T, D}} -> ssh_connection:adjust_window(C, Ch, byte_size(D)), collect(C, Ch, [{T, D} | Acc]);
            {ssh_cm, C, {closed, Ch}} -> merged(lists:reverse(Acc));
            {ssh_cm, C, {eof, Ch}} -> collect(C, Ch, Acc);
            {ssh_cm, C, M} -> collect(C, Ch, [setelement(2, M, channel) | Acc])
    after 10000 -> {timeout, lists:reverse(Acc)} end.
merged([{T, A}, {T, B} | More]) -> merged([{T, <<A/binary, B/binary>>} | More]);
merged([X | More]) -> [X | merged(More)];
merged([]) -> [].

algorithms(_) ->
    show(default, ssh:default_algorithms()).

own(Cwd) ->
    {D, P} = daemon(Cwd, [{exec, {direct, fun("fail") -> {error, "failed"}; (X) -> {ok, {X, length(X)}} end}}]),
    {ok, C} = connect(Cwd, P, []),
    show(exec, [exec(C, X) || X <- ["one", "", "fail", lists:duplicate(20000, $x)]]),
    show(info, [K || {K, _} <- ssh:connection_info(C)]),
    show(user, ssh:connection_info(C, [user, client_version, server_version])),
    show(close, {ssh:close(C), ssh:connection_info(C, [user])}),
    show(stop, {ssh:stop_daemon(D), element(1, connect(Cwd, P, []))}),
    {E, EP} = daemon(Cwd, []),
    {ok, C2} = connect(Cwd, EP, []),
    show(erlang, [exec(C2, X) || X <- ["1 + 2.", "lists:seq(1, 10).", "1 +", "a/0.", "nothing:f()."]]),
    ssh:close(C2), ssh:stop_daemon(E).

kex(Cwd) ->
    Try = fun(Kind, A, More) ->
        {D, P} = daemon(Cwd, [{preferred_algorithms, [{Kind, [A]} | More]}, {exec, {direct, fun(X) -> {ok, X} end}}]),
        R = case connect(Cwd, P, [{preferred_algorithms, [{Kind, [A]} | More]}]) of {ok, C} -> X = exec(C, "x"), ssh:close(C), X; E -> E end,
        ssh:stop_daemon(D), {A, R} end,
    Default = ssh:default_algorithms(),
    show(kex, [Try(kex, A, []) || A <- proplists:get_value(kex, Default), A =/= 'diffie-hellman-group18-sha512', A =/= 'diffie-hellman-group16-sha512', A =/= 'diffie-hellman-group-exchange-sha256']),
    show(public_key, [Try(public_key, A, []) || A <- proplists:get_value(public_key, Default), lists:member(A, ['ssh-ed25519', 'rsa-sha2-256', 'rsa-sha2-512', 'ecdsa-sha2-nistp256'])]),
    show(cipher, [Try(cipher, A, []) || A <- proplists:get_value(client2server, proplists:get_value(cipher, Default))]),
    show(mac, [Try(mac, A, [{cipher, ['aes128-ctr']}]) || A <- proplists:get_value(client2server, proplists:get_value(mac, Default))]),
    show(compression, [Try(compression, A, []) || A <- [none, zlib, 'zlib@openssh.com']]),
    {D, P} = daemon(Cwd, [{preferred_algorithms, [{kex, ['ecdh-sha2-nistp256']}]}]),
    show(none_in_common, connect(Cwd, P, [{preferred_algorithms, [{kex, ['ecdh-sha2-nistp384']}]}])),
    ssh:stop_daemon(D).

keys(Cwd) ->
    {D, P} = daemon(Cwd, [{auth_methods, "publickey"}, {exec, {direct, fun(X) -> {ok, X} end}}]),
    show(by_key, case connect(Cwd, P, []) of {ok, C} -> X = exec(C, "x"), ssh:close(C), X; E -> E end),
    show(other_key, connect(Cwd, P, [{pref_public_key_algs, ['ecdsa-sha2-nistp256']}])),
    ssh:stop_daemon(D),
    {D2, P2} = daemon(Cwd, [{auth_methods, "password"}]),
    show(password, [case connect(Cwd, P2, [{user, U}, {password, W}]) of {ok, C2} -> ssh:close(C2); E2 -> E2 end || {U, W} <- [{"me", "secret"}, {"me", "wrong"}, {"other", "secret"}]]),
    ssh:stop_daemon(D2),
    {D3, P3} = daemon(Cwd, [{auth_methods, "keyboard-interactive"}, {pwdfun, fun(U, W) -> U =:= "me" andalso W =:= "asked" end}]),
    show(asked, [case connect(Cwd, P3, [{password, W}, {auth_methods, "keyboard-interactive"}]) of {ok, C3} -> ssh:close(C3); E3 -> E3 end || W <- ["asked", "no"]]),
    ssh:stop_daemon(D3).

channels(Cwd) ->
    {D, P} = daemon(Cwd, [{shell, {io, get_line, [""]}}]),
    {ok, C} = connect(Cwd, P, []),
    {ok, Ch} = ssh_connection:session_channel(C, 5000),
    show(pty, [ssh_connection:ptty_alloc(C, Ch, [{term, "dumb"}, {width, 70}]), ssh_connection:setenv(C, Ch, "A", "b", 3000), ssh_connection:subsystem(C, Ch, "nothing", 3000)]),
    show(eof, {ssh_connection:send_eof(C, Ch), ssh_connection:send(C, Ch, "x"), ssh_connection:close(C, Ch)}),
    show(closed_channel, [try_(fun() -> ssh_connection:send(C, 99, "x") end), try_(fun() -> ssh_connection:exec(C, 99, "x", 1000) end)]),
    ssh:close(C), ssh:stop_daemon(D).

files(Cwd) ->
    {D, P} = daemon(Cwd, []),
    {ok, S, C} = ssh_sftp:start_channel("127.0.0.1", P, [{silently_accept_hosts, true}, {save_accepted_host, false}, {user_interaction, false}, {user_dir, Cwd ++ "/user"}, {user, "me"}, {password, "secret"}]),
    Big = binary:copy(<<"0123456789abcdef">>, 500000),
    show(sftp, [ssh_sftp:write_file(S, "small", <<"text">>), ssh_sftp:read_file(S, "small"), ssh_sftp:write_file(S, "big", Big), crypto:hash(md5, element(2, ssh_sftp:read_file(S, "big"))) =:= crypto:hash(md5, Big), filelib:file_size(Cwd ++ "/files/big")]),
    show(directories, [ssh_sftp:make_dir(S, "d"), ssh_sftp:make_dir(S, "d"), ssh_sftp:write_file(S, "d/x", <<>>), lists:sort(element(2, ssh_sftp:list_dir(S, "."))), ssh_sftp:del_dir(S, "d"), ssh_sftp:delete(S, "d/x"), ssh_sftp:del_dir(S, "d"), ssh_sftp:list_dir(S, "d"), ssh_sftp:list_dir(S, "small")]),
    show(names, [ssh_sftp:rename(S, "small", "less"), ssh_sftp:rename(S, "nothing", "x"), ssh_sftp:make_symlink(S, "link", "less"), filename:basename(element(2, ssh_sftp:read_link(S, "link"))), ssh_sftp:real_path(S, "/./less"), ssh_sftp:read_file(S, "../../etc/passwd"), ssh_sftp:read_file(S, "nothing")]),
    {ok, I} = ssh_sftp:read_file_info(S, "big"), show(info, {element(2, I), element(3, I), element(4, I)}),
    {ok, H} = ssh_sftp:open(S, "handle", [read, write, binary]),
    show(handle, [ssh_sftp:write(S, H, <<"0123456789">>), ssh_sftp:position(S, H, 3), ssh_sftp:read(S, H, 4), ssh_sftp:pread(S, H, 8, 10), ssh_sftp:pwrite(S, H, 20, <<"end">>), ssh_sftp:position(S, H, {eof, 0}), ssh_sftp:read(S, H, 1), ssh_sftp:close(S, H), ssh_sftp:read(S, H, 1), ssh_sftp:read_file(S, "handle")]),
    {ok, A} = ssh_sftp:open(S, "big", [read, binary]),
    Refs = [begin {async, N} = ssh_sftp:apread(S, A, K * 1000, 5), N end || K <- lists:seq(0, 9)],
    show(async, [receive {async_reply, N, R} -> R after 5000 -> nothing end || N <- Refs]),
    show(tar, begin {ok, T} = ssh_sftp:open_tar(S, "x.tar", [write]), X = {erl_tar:add(T, <<"content">>, "inside", []), erl_tar:close(T)}, {ok, Tar} = file:read_file(Cwd ++ "/files/x.tar"), {X, erl_tar:table({binary, Tar})} end),
    show(wrong, [try_(F) || F <- [fun() -> ssh_sftp:open(S, "x", [y]) end, fun() -> ssh_sftp:read(S, h, 5) end, fun() -> ssh_sftp:write_file(S, "/nowhere/x", <<>>) end, fun() -> ssh_sftp:write_file(S, "x", y) end]]),
    ssh_sftp:stop_channel(S), ssh:close(C), show(after_end, try_(fun() -> ssh_sftp:read_file(S, "big") end)), ssh:stop_daemon(D).

wrong(Cwd) ->
    show(daemon, [try_(fun() -> ssh:daemon(P, O) end) || {P, O} <- [{x, []}, {-1, []}, {0, [x]}, {0, [{system_dir, "/nowhere"}]}, {0, [{nothing, 1}]}]]),
    show(client, [try_(fun() -> ssh:connect("127.0.0.1", P, O, 1000) end) || {P, O} <- [{1, []}, {x, []}, {1, [{x, y}]}, {1, x}]]),
    {ok, L} = gen_tcp:listen(0, []), {ok, P} = inet:port(L),
    show(silent, ssh:connect("127.0.0.1", P, [{user_dir, Cwd ++ "/user"}], 300)), gen_tcp:close(L).

garbage(Cwd) ->
    {D, P} = daemon(Cwd, [{exec, {direct, fun(X) -> {ok, X} end}}]),
    rand:seed(exsss, 5),
    [begin {ok, T} = gen_tcp:connect("localhost", P, [binary, {active, false}]), gen_tcp:send(T, <<H/binary, (rand:bytes(N))/binary>>), gen_tcp:shutdown(T, write), gen_tcp:recv(T, 0, 500), gen_tcp:close(T) end
     || H <- [<<>>, <<"SSH-2.0-x\r\n">>, <<"SSH-2.0-x\r\n", 0, 0, 0, 12, 10, 20>>, <<"SSH-1.0-x\r\n">>, <<"GET / HTTP/1.0\r\n\r\n">>, <<"SSH-2.0-x\r\n", 255, 255, 255, 255>>], N <- [0, 1, 10, 100, 5000]],
    {ok, C} = connect(Cwd, P, []), show(still_there, exec(C, "x")), ssh:close(C), ssh:stop_daemon(D).

forward(Cwd) ->
    {D, P} = daemon(Cwd, [{tcpip_tunnel_in, true}, {tcpip_tunnel_out, true}]),
    {ok, C} = connect(Cwd, P, []),
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]), {ok, LP} = inet:port(L),
    spawn_link(fun() -> Loop = fun F() -> case gen_tcp:accept(L) of {ok, T} -> {ok, B} = gen_tcp:recv(T, 4), gen_tcp:send(T, ["got ", B]), gen_tcp:close(T), F(); _ -> ok end end, Loop() end),
    {ok, There} = ssh:tcpip_tunnel_to_server(C, {127, 0, 0, 1}, 0, "127.0.0.1", LP),
    {ok, Here} = ssh:tcpip_tunnel_from_server(C, {127, 0, 0, 1}, 0, "127.0.0.1", LP),
    show(tunnels, [begin {ok, T} = gen_tcp:connect("127.0.0.1", X, [binary, {active, false}]), gen_tcp:send(T, "ping"), R = gen_tcp:recv(T, 8, 5000), gen_tcp:close(T), R end || X <- [There, Here]]),
    gen_tcp:close(L), ssh:close(C), ssh:stop_daemon(D).

openssh_client(Cwd) ->
    {D, P} = daemon(Cwd, [{exec, {direct, fun(X) -> {ok, [X, " from erlang\n"]} end}}]),
    file:change_mode("user/id_ed25519", 8#600),
    Options = lists:concat([" -F /dev/null -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes -i user/id_ed25519 "]),
    show(ssh, os:cmd(lists:concat(["ssh -p ", P, Options, "me@127.0.0.1 some command; echo $?"]))),
    show(kex, [os:cmd(lists:concat(["ssh -p ", P, Options, "-o KexAlgorithms=", K, " -c ", Ci, " me@127.0.0.1 x; echo $?"])) || {K, Ci} <- [{"curve25519-sha256", "chacha20-poly1305@openssh.com"}, {"ecdh-sha2-nistp521", "aes256-gcm@openssh.com"}, {"diffie-hellman-group14-sha256", "aes128-ctr"}]]),
    file:write_file("up", binary:copy(<<"sftp\n">>, 400000)),
    file:write_file("batch", "put up there\nget there down\nmkdir made\nls\nrm there\nrmdir made\nget nothing\n"),
    show(sftp, {os:cmd(lists:concat(["sftp -P ", P, Options, "-b batch me@127.0.0.1 2>&1 | grep -v Fetching | grep -v Uploading; cmp up down && echo same"]))}),
    show(wrong_key, os:cmd(lists:concat(["ssh -p ", P, " -F /dev/null -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o LogLevel=ERROR -i user/id_ecdsa me@127.0.0.1 x 2>/dev/null; echo $?"]))),
    ssh:stop_daemon(D).

openssh_server(Cwd) ->
    Sshd = os:getenv("APPLICATIONS") ++ "/usr/sbin/sshd", {ok, L} = gen_tcp:listen(0, [{reuseaddr, true}]), {ok, P} = inet:port(L), gen_tcp:close(L),
    file:write_file("sshd_config", ["Port ", integer_to_list(P), "\nListenAddress 127.0.0.1\nUsePAM no\nStrictModes no\nPidFile none\nHostKey ", Cwd, "/system/ssh_host_ed25519_key\nHostKey ", Cwd, "/system/ssh_host_rsa_key\nAuthorizedKeysFile ", Cwd, "/user/authorized_keys\nPermitRootLogin yes\nMaxAuthTries 20\nLogLevel VERBOSE\nSubsystem sftp ", os:getenv("APPLICATIONS"), "/usr/lib/openssh/sftp-server\n"]),
    [file:change_mode("system/" ++ F, 8#600) || F <- element(2, file:list_dir("system"))],
    %% sshd wants a user of its own and a directory; a mount namespace has them for it alone.
    {ok, Users} = file:read_file("/etc/passwd"),
    file:write_file("passwd", [Users, "sshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n"]),
    file:write_file("start", ["mount --bind passwd /etc/passwd && mount -t tmpfs none /run && mkdir /run/sshd && LD_LIBRARY_PATH=", os:getenv("APPLICATIONS"), "/usr/lib/x86_64-linux-gnu exec ", Sshd, " -D -e -f ", Cwd, "/sshd_config\n"]),
    Port = open_port({spawn, "unshare -m sh start"}, [binary, stderr_to_stdout, exit_status]),
    timer:sleep(1000),
    User = string:trim(os:cmd("id -un")),
    Opts = [{user, User}, {user_dir, Cwd ++ "/user"}],
    case connect(Cwd, P, Opts) of
        {ok, C} ->
            show(exec, [exec(C, X) || X <- ["echo hello", "cat /nonexistent", "exit 3"]]),
            Big = binary:copy(<<"0123456789abcdef">>, 200000),
            {ok, S} = ssh_sftp:start_channel(C),
            show(sftp, [ssh_sftp:write_file(S, Cwd ++ "/files/over", Big), element(2, ssh_sftp:read_file(S, Cwd ++ "/files/over")) =:= Big, ssh_sftp:read_file(S, "/nonexistent")]),
            ssh:close(C);
        E -> show(no_connection, {E, said(Port)})
    end,
    case erlang:port_info(Port, os_pid) of {os_pid, Os} -> os:cmd("kill " ++ integer_to_list(Os)); _ -> ok end.

said(Port) -> receive {Port, {data, What}} -> [What | said(Port)]; {Port, Other} -> [Other] after 100 -> [] end.

many(Cwd) ->
    {D, P} = daemon(Cwd, [{max_sessions, 100}, {exec, {direct, fun(X) -> {ok, X} end}}]),
    Pids = [spawn_monitor(fun() -> {ok, C} = connect(Cwd, P, []), R = [element(1, exec(C, "x")) || _ <- lists:seq(1, 20)], ssh:close(C), exit(lists:usort(R)) end) || _ <- lists:seq(1, 20)],
    show(many, lists:usort([receive {'DOWN', R, _, _, X} -> X end || {_, R} <- Pids])),
    ssh:stop_daemon(D).
