%% packages: yaws erlang-yaws wrk libluajit-5.1-2 apache2-utils libapr1 libaprutil1
%% programs: curl openssl
%% Yaws as a program of its own, and inets' httpd and httpc, plain and by TLS.
-module(web).
-export([main/0, do/1, hello/3]).
-import(calls, [try_/1, show/2]).
-include_lib("inets/include/httpd.hrl").

main() ->
    logger:set_primary_config(level, none),
    {ok, _} = application:ensure_all_started(ssl), {ok, _} = application:ensure_all_started(inets),
    {ok, Cwd} = file:get_cwd(),
    ok = filelib:ensure_dir(Cwd ++ "/www/sub/x"), ok = filelib:ensure_dir(Cwd ++ "/logs/x"),
    file:write_file("www/index.html", "<html>the index</html>\n"), file:write_file("www/sub/a file.txt", "with a space\n"),
    file:write_file("www/big", binary:copy(<<"0123456789abcdef">>, 50 * 65536)),
    [os:cmd("openssl " ++ C ++ " 2>/dev/null") || C <- ["req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=ca",
        "req -newkey rsa:2048 -nodes -keyout key.pem -out csr.pem -subj /CN=localhost -addext subjectAltName=DNS:localhost", "x509 -req -in csr.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 30 -copy_extensions copy"]],
    Sections = [{yaws, fun yaws/1}, {httpd, fun httpd/1}, {httpc, fun httpc/1}],
    Wanted = case os:getenv("SECTION") of false -> Sections; N -> [S || S = {K, _} <- Sections, atom_to_list(K) =:= N] end,
    [case try_(fun() -> F(Cwd) end) of {error, R, M, A, B} -> show({died, N}, {R, M, A, B}); {exit, R, M, A, B} -> show({died, N}, {R, M, A, B}); _ -> ok end || {N, F} <- Wanted].

free_port() -> {ok, L} = gen_tcp:listen(0, [{reuseaddr, true}]), {ok, P} = inet:port(L), gen_tcp:close(L), P.
sh(Words) -> os:cmd(lists:concat(Words)).
until(F) -> until(F, 100).
until(F, N) -> case F() of true -> ok; _ when N > 0 -> timer:sleep(100), until(F, N - 1); _ -> never end.
without_port(Page) -> re:replace(Page, "localhost:[0-9]+", "localhost", [global, {return, list}]).
open(P) -> case gen_tcp:connect("localhost", P, []) of {ok, S} -> gen_tcp:close(S), true; _ -> false end.

yaws(Cwd) ->
    Root = os:getenv("APPLICATIONS"), Ebin = filelib:wildcard(Root ++ "/usr/lib/yaws-*/ebin"),
    file:write_file("www/page.yaws", "<erl>\nout(A) -> Q = yaws_api:parse_query(A), {html, io_lib:format(\"<p>~p ~p</p>\", [Q, lists:sum(lists:seq(1, 100))])}.\n</erl>\n"),
    file:write_file("www/ehtml.yaws", "<erl>\nout(_) -> {ehtml, [{h1, [{class, \"x\"}], \"a & b\"}, {p, [], [integer_to_list(N) || N <- [1, 2]]}]}.\n</erl>\nbetween\n<erl>\nout(_) -> {html, \"second\"}.\n</erl>\n"),
    file:write_file("www/broken.yaws", "<erl>\nout(A) -> {html, .\n</erl>\n"),
    file:write_file("www/crash.yaws", "<erl>\nout(_) -> 1 = 2.\n</erl>\n"),
    file:write_file("www/post.yaws", "<erl>\nout(A) -> {html, io_lib:format(\"~p\", [yaws_api:parse_post(A)])}.\n</erl>\n"),
    file:write_file("www/stream.yaws", "<erl>\nout(_) -> P = self(), spawn(fun() -> [yaws_api:stream_chunk_deliver(P, [integer_to_list(N), \"\\n\"]) || N <- lists:seq(1, 100)], yaws_api:stream_chunk_end(P) end), {streamcontent, \"text/plain\", \"\"}.\n</erl>\n"),
    file:write_file("www/upload.yaws", "<erl>\nout(A) -> case yaws_api:parse_multipart_post(A) of {cont, Cont, _} -> {get_more, Cont, []}; {result, R} -> {html, io_lib:format(\"~p\", [[{element(1, X), iolist_size(element(2, X))} || X <- R, element(1, X) =:= part_body orelse element(1, X) =:= body]])}; {error, E} -> {html, io_lib:format(\"~p\", [E])} end.\n</erl>\n"),
    file:write_file("www/cookie.yaws", "<erl>\nout(A) -> H = A#arg.headers, [yaws_api:setcookie(\"n\", \"v\", \"/\"), {html, io_lib:format(\"~p\", [yaws_api:find_cookie_val(\"n\", H#headers.cookie)])}].\n</erl>\n"),
    [P, S] = [free_port(), free_port()],
    file:write_file("yaws.conf", io_lib:format("logdir = ~s/logs\nkeepalive_timeout = 10000\nmax_connections = nolimit\n<server localhost>\n port = ~b\n listen = 127.0.0.1\n docroot = ~s/www\n dir_listings = true\n</server>\n<server localhost>\n port = ~b\n listen = 127.0.0.1\n docroot = ~s/www\n <ssl>\n keyfile = ~s/key.pem\n certfile = ~s/cert.pem\n </ssl>\n</server>\n", [Cwd, P, Cwd, S, Cwd, Cwd, Cwd])),
    Port = open_port({spawn, lists:concat(["erl -noshell -noinput -pa ", Ebin, " -yaws embedded false -conf yaws.conf -run yaws start"])}, [binary, exit_status, stderr_to_stdout]),
    show(up, {until(fun() -> open(P) end), until(fun() -> open(S) end)}),
    Curl = fun(X, Path) -> sh(["curl -s -m 20 -k ", X, " 'http://localhost:", P, Path, "'"]) end, Tls = fun(X, Path) -> sh(["curl -s -m 20 -k ", X, " 'https://localhost:", S, Path, "'"]) end,
    [show({W, Path}, without_port(C("-w '%{http_code} %{content_type}'", Path))) || {W, C} <- [{plain, Curl}, {tls, Tls}], Path <- ["/", "/index.html", "/sub/a%20file.txt", "/page.yaws?a=1&b=x%20y", "/ehtml.yaws", "/cookie.yaws", "/stream.yaws", "/nothing", "/../../etc/passwd", "/sub"]],
    show(errors, [re:run(Curl("-w '%{http_code}'", X), "...$", [{capture, first, list}]) || X <- ["/broken.yaws", "/crash.yaws", "/page.yaws"]]),
    [show({W, big}, C("", "/big") =:= binary_to_list(element(2, file:read_file("www/big")))) || {W, C} <- [{plain, Curl}, {tls, Tls}]],
    [show({range, R}, Curl("-w '%{http_code}' -r " ++ R, "/index.html")) || R <- ["0-4", "5-", "-6", "1-2,4-5", "100-200"]],
    show(head, [H || H <- re:split(Curl("-I", "/index.html"), "\r\n", [{return, list}]), not lists:prefix("Date", H), not lists:prefix("Last-M", H), not lists:prefix("Etag", H), not lists:prefix("Server", H)]),
    show(cached, Curl("-w '%{http_code}' -z now -o /dev/null", "/index.html")),
    show(methods, [Curl("-w '%{http_code}' -o /dev/null -X " ++ M, "/index.html") || M <- ["POST", "OPTIONS", "TRACE", "DELETE", "FOO"]]),
    show(post, {Curl("-d a=1 -d 'b=x y'", "/post.yaws"), Tls("-d a=1", "/post.yaws")}),
    show(upload, {Curl("-F f=@www/index.html -F name=value", "/upload.yaws"), re:replace(Curl("-F f=@www/big", "/upload.yaws"), "part_body,[0-9]+", "part", [global, {return, list}]) =/= []}),
    show(keepalive, Curl("-w '%{num_connects} '", "/index.html' 'http://localhost:" ++ integer_to_list(P) ++ "/page.yaws?x=1")),
    Lib = "LD_LIBRARY_PATH=" ++ Root ++ "/usr/lib/x86_64-linux-gnu ",
    Wrk = sh([Lib, Root, "/usr/bin/wrk -t1 -c50 -d3s http://localhost:", P, "/page.yaws?a=1"]),
    show(wrk, [re:run(Wrk, W, [{capture, none}]) || W <- ["requests in", "Socket errors", "Non-2xx"]]),
    Ab = sh([Lib, Root, "/usr/bin/ab -q -n 2000 -c 20 http://localhost:", P, "/index.html"]), AbK = sh([Lib, Root, "/usr/bin/ab -q -k -n 3000 -c 20 https://localhost:", S, "/page.yaws?z=1"]),
    show(ab, [[re:run(A, W ++ "\\s*(.*)", [{capture, all_but_first, list}]) || W <- ["Complete requests:", "Failed requests:", "Non-2xx responses:"]] || A <- [Ab, AbK]]),
    rand:seed(exsss, 3),
    [begin {ok, T} = gen_tcp:connect("localhost", X, [{active, false}]), gen_tcp:send(T, rand:bytes(N)), gen_tcp:shutdown(T, write), gen_tcp:recv(T, 0, 300), gen_tcp:close(T) end || X <- [P, S], N <- [1, 10, 100, 1000, 10000]],
    show(after_garbage, {Curl("", "/index.html"), Tls("", "/index.html")}),
    {os_pid, Os} = erlang:port_info(Port, os_pid), sh(["kill ", Os]),
    show(ended, ended(Port)),
    show(logged, element(2, file:list_dir("logs")) =/= []).
ended(Port) -> receive {Port, {exit_status, E}} -> E; {Port, {data, _}} -> ended(Port) after 20000 -> still_there end.

hello(Sid, Env, In) -> mod_esi:deliver(Sid, ["Content-Type: text/plain\r\n\r\n", io_lib:format("~s ~s", [proplists:get_value(request_method, Env), In])]).
do(_) -> {proceed, []}.

httpd(Cwd) ->
    Start = fun(More) -> {ok, Pid} = inets:start(httpd, [{port, 0}, {server_name, "localhost"}, {server_root, Cwd}, {document_root, Cwd ++ "/www"}, {bind_address, {127, 0, 0, 1}}, {directory_index, ["index.html"]}, {mime_types, [{"html", "text/html"}]},
              {modules, [mod_alias, mod_esi, mod_get, mod_head, mod_dir, mod_range]}, {erl_script_alias, {"/esi", [web, io]}} | More]), [{port, P}] = httpd:info(Pid, [port]), {Pid, P} end,
    {A, P} = Start([]), {B, S} = Start([{socket_type, {ssl, [{certfile, "cert.pem"}, {keyfile, "key.pem"}]}}]),
    [show({W, Path}, sh(["curl -s -m 20 -k -w '%{http_code} %{content_type}' ", X, " '", U, Path, "'"])) || {W, U} <- [{http, lists:concat(["http://127.0.0.1:", P])}, {https, lists:concat(["https://127.0.0.1:", S])}],
        {X, Path} <- [{"", "/"}, {"", "/index.html"}, {"-I -o /dev/null", "/index.html"}, {"", "/nothing"}, {"", "/esi/web:hello?a=b"}, {"-d posted", "/esi/web:hello"}, {"", "/esi/os:cmd"}, {"", "/esi/web:undefined"}, {"-r 2-5", "/index.html"}, {"-X PUT", "/index.html"}, {"", "/..%2f..%2fetc/passwd"}]],
    show(big, [sh(["curl -s -k ", U, "/big | cmp - www/big && echo same"]) || U <- [lists:concat(["http://127.0.0.1:", P]), lists:concat(["https://127.0.0.1:", S])]]),
    show(info, [K || {K, _} <- lists:sort(httpd:info(A))]),
    show(stop, {inets:stop(httpd, A), inets:stop(httpd, B), open(P)}),
    show(wrong, [element(1, try_(fun() -> inets:start(httpd, O) end)) || O <- [[], [{port, x}], [{port, 0}], x]]).

httpc(Cwd) ->
    Start = fun(More) -> {ok, Pid} = inets:start(httpd, [{port, 0}, {server_name, "localhost"}, {server_root, Cwd}, {document_root, Cwd ++ "/www"}, {bind_address, {127, 0, 0, 1}}, {modules, [mod_alias, mod_esi, mod_get, mod_head]}, {erl_script_alias, {"/esi", [web]}} | More]), [{port, P}] = httpd:info(Pid, [port]), P end,
    P = Start([]), S = Start([{socket_type, {ssl, [{certfile, "cert.pem"}, {keyfile, "key.pem"}]}}]),
    Plain = lists:concat(["http://127.0.0.1:", P]), Tls = lists:concat(["https://localhost:", S]), Ca = [{ssl, [{verify, verify_peer}, {cacertfile, "ca.pem"}]}],
    Get = fun(M, R, H, O) -> case try_(fun() -> httpc:request(M, R, H, O) end) of {ok, {{V, C, T}, _, B}} -> {V, C, T, B}; {error, {failed_connect, [_, {_, _, E}]}} -> {failed, case E of {tls_alert, {X, _}} -> X; _ -> E end}; E -> E end end,
    show(get, [Get(get, {Plain ++ X, []}, [], []) || X <- ["/index.html", "/nothing", "/esi/web:hello?q"]]),
    show(tls, [Get(get, {Tls ++ X, []}, Ca, [{body_format, binary}]) || X <- ["/index.html", "/esi/web:hello?q"]]),
    show(tls_wrong, [Get(get, {Tls ++ "/index.html", []}, O, []) || O <- [[{ssl, [{verify, verify_peer}, {cacertfile, "/nowhere"}]}], [{ssl, [{verify, verify_none}]}]]]),
    show(post, Get(post, {Plain ++ "/esi/web:hello", [], "text/plain", "body"}, [], [])),
    show(big, byte_size(element(4, Get(get, {Tls ++ "/big", []}, Ca, [{body_format, binary}])))),
    show(wrong, [Get(get, {U, []}, [{timeout, 500}], []) || U <- ["http://127.0.0.1:1/", "nothing", "ftp://x/", "http://no.such.host.invalid/", Plain]]),
    {ok, Id} = httpc:request(get, {Plain ++ "/index.html", []}, [], [{sync, false}]), show(async, receive {http, {Id, {{_, C, _}, _, B}}} -> {C, B} after 5000 -> none end),
    {ok, St} = httpc:request(get, {Plain ++ "/big", []}, [], [{sync, false}, {stream, self}]), show(stream, streamed(St, 0)),
    show(file, {httpc:request(get, {Plain ++ "/index.html", []}, [], [{stream, "saved"}]), file:read_file("saved")}),
    Pids = [spawn_monitor(fun() -> exit(lists:usort([Get(get, {U ++ "/index.html", []}, Ca, []) || U <- [Plain, Tls, Plain, Tls]])) end) || _ <- lists:seq(1, 40)],
    show(many, lists:usort([receive {'DOWN', R, _, _, X} -> X end || {_, R} <- Pids])).
streamed(Id, N) -> receive {http, {Id, stream_start, _}} -> streamed(Id, N); {http, {Id, stream, B}} -> streamed(Id, N + byte_size(B)); {http, {Id, stream_end, _}} -> N after 10000 -> {timeout, N} end.
