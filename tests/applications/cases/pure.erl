%% packages: erlang-luerl erlang-proper erlang-meck erlang-lager erlang-goldrush erlang-folsom erlang-bear erlang-poolboy erlang-mochiweb erlang-cowlib erlang-jose erlang-base64url
-module(pure).
-export([main/0, start_link/1, init/1, handle_call/3, handle_cast/2, handle_info/2]).
-import(calls, [try_/1, show/2, everywhere/1, everywhere/3]).

main() ->
    error_logger:tty(false),
    luerl(), meck(), proper(), folsom(), poolboy(), mochi(), cow(), jose(), lager().

luerl() ->
    L = luerl:init(),
    [show({lua, T}, try_(fun() -> case luerl:do(T, L) of {R, _} -> R; R when is_tuple(R) -> element(1, R); R -> R end end))
     || T <- [<<"return 1+2, 'x'..3, #{1,2}">>, <<"local s=0 for i=1,100000 do s=s+i end return s">>, <<"return string.format('%5.2f|%d|%s', 3.14159, 42, 'y')">>,
              <<"function fib(n) if n<2 then return n end return fib(n-1)+fib(n-2) end return fib(18)">>,
              <<"return string.find('hello', 'l+'), ('x'):rep(3), table.concat({1,2,3}, ',')">>, <<"return pcall(error, 'boom')">>,
              <<"t = setmetatable({}, {__index=function(t,k) return k..'!' end}) return t.a">>]],
    show(lua_errors, [element(1, element(2, try_(fun() -> luerl:do(T, L) end))) || T <- [<<"return 1 +">>, <<"x = nil + 1">>, <<"error('e')">>]]),
    everywhere(fun(K) -> element(1, luerl:do("return " ++ integer_to_list(K) ++ " * 2", L)) end, 1000, 20).

meck() ->
    ok = meck:new(fake, [non_strict]),
    ok = meck:expect(fake, f, fun(X) -> X * 2 end),
    ok = meck:expect(fake, g, 1, meck:seq([a, b, c])),
    show(meck, {fake:f(21), [fake:g(0) || _ <- lists:seq(1, 4)], meck:num_calls(fake, f, '_'), meck:validate(fake), meck:called(fake, f, [21])}),
    show(undefined, try_(fun() -> fake:h() end)),
    ok = meck:unload(fake),
    show(unloaded, try_(fun() -> fake:f(1) end)),
    ok = meck:new(lists_like, [non_strict, passthrough]),
    ok = meck:expect(lists_like, boom, fun() -> meck:exception(error, boom) end),
    show(exception, {try_(fun() -> lists_like:boom() end), length(meck:history(lists_like))}),
    meck:unload(),
    ok = meck:new(calendar, [unstick, passthrough]),
    ok = meck:expect(calendar, is_leap_year, fun(_) -> maybe end),
    show(passthrough, {calendar:is_leap_year(2000), calendar:day_of_the_week(2000, 1, 1)}),
    meck:unload(calendar),
    show(original, calendar:is_leap_year(2000)).

proper() ->
    Quiet = [quiet, {numtests, 200}],
    L = proper_types:list(proper_types:integer()),
    show(proper, proper:quickcheck(proper:forall(L, fun(X) -> lists:reverse(lists:reverse(X)) =:= X end), Quiet)),
    show(proper_fails, proper:quickcheck(proper:forall(L, fun(X) -> length(X) < 10 end), Quiet)),
    show(shrunk, length(hd(proper:counterexample()))).

folsom() ->
    {ok, _} = application:ensure_all_started(folsom),
    [ok = folsom_metrics:F(N) || {F, N} <- [{new_counter, c}, {new_gauge, g}, {new_histogram, h}, {new_meter, m}, {new_history, y}]],
    [folsom_metrics:notify({c, {inc, K}}) || K <- lists:seq(1, 100)],
    folsom_metrics:notify({g, 42}), [folsom_metrics:notify({h, K}) || K <- lists:seq(1, 100)], folsom_metrics:notify({y, "event"}),
    S = folsom_metrics:get_histogram_statistics(h),
    show(folsom, {folsom_metrics:get_metric_value(c), folsom_metrics:get_metric_value(g), [proplists:get_value(K, S) || K <- [min, max, arithmetic_mean, median, n]]}),
    show(folsom_wrong, [folsom_metrics:notify({nobody, 1}), try_(fun() -> folsom_metrics:get_metric_value(nobody) end), folsom_metrics:new_counter(c)]),
    everywhere(fun(K) -> folsom_metrics:notify({c, {inc, K}}) end),
    show(folsom_sum, folsom_metrics:get_metric_value(c)).

poolboy() ->
    {ok, P} = poolboy:start_link([{worker_module, ?MODULE}, {size, 5}, {max_overflow, 2}], []),
    show(poolboy, poolboy:transaction(P, fun(W) -> gen_server:call(W, {twice, 21}) end)),
    All = [poolboy:checkout(P, false) || _ <- lists:seq(1, 7)],
    show(full, {poolboy:checkout(P, false), poolboy:status(P), try_(fun() -> poolboy:checkout(P, true, 50) end) =/= ok}),
    [poolboy:checkin(P, W) || W <- All],
    everywhere(fun(K) -> poolboy:transaction(P, fun(W) -> gen_server:call(W, {twice, K}) end, infinity) end, 2000, 100),
    process_flag(trap_exit, true),
    poolboy:transaction(P, fun(W) -> exit(W, kill) end),
    timer:sleep(50),
    show(after_kill, poolboy:status(P)),
    poolboy:stop(P).
start_link(_) -> gen_server:start_link(?MODULE, [], []).
init(_) -> {ok, nothing}.
handle_call({twice, X}, _, S) -> {reply, X * 2, S}.
handle_cast(_, S) -> {noreply, S}.
handle_info(_, S) -> {noreply, S}.

mochi() ->
    show(mochijson2, [try_(fun() -> mochijson2:decode(T) end) || T <- [<<"{\"a\":[1,2.5,null,\"x\\u20ac\"]}">>, <<"[">>, <<"">>, <<"nul">>]]),
    show(mochijson2_encode, [try_(fun() -> iolist_to_binary(mochijson2:encode(T)) end) || T <- [{struct, [{a, 1}]}, [1, <<"ä"/utf8>>], #{a => b}, self, {x, y}]]),
    show(html, mochiweb_html:parse(<<"<html><body class=a>x<br>y<p>z &amp; &euro;</body>">>)),
    show(html_back, iolist_to_binary(mochiweb_html:to_html(mochiweb_html:parse(<<"<p><b>1<i>2</p>">>)))),
    show(mochi_util, [mochiweb_util:parse_qs("a=1&b=%20x"), mochiweb_util:urlencode([{a, "b c"}]), mochiweb_cookies:parse_cookie("a=b; c=\"d\""), mochinum:digits(0.1)]),
    {ok, S} = mochiweb_http:start([{port, 0}, {name, web}, {loop, fun(R) -> mochiweb_request:respond({200, [{"X", "y"}], [mochiweb_request:get(path, R), " ", integer_to_list(iolist_size(body(R)))]}, R) end}]),
    Port = mochiweb_socket_server:get(web, port),
    {ok, _} = application:ensure_all_started(inets),
    Url = "http://localhost:" ++ integer_to_list(Port),
    show(get, element(3, element(2, httpc:request(Url ++ "/a/b?c")))),
    show(post, element(3, element(2, httpc:request(post, {Url ++ "/p", [], "text/plain", binary:copy(<<"x">>, 100000)}, [], [])))),
    Ask = fun(Bytes) -> {ok, C} = gen_tcp:connect("localhost", Port, [binary, {active, false}]), gen_tcp:send(C, Bytes), A = gen_tcp:recv(C, 12, 3000), gen_tcp:close(C), A end,
    show(bad_requests, [Ask(B) || B <- [<<"nonsense\r\n\r\n">>, <<"GET / HTTP/9.9\r\n\r\n">>, <<0, 1, 2, "\r\n\r\n">>, <<"GET / HTTP/1.1\r\nbroken\r\n\r\n">>]]),
    everywhere(fun(K) -> element(3, element(2, httpc:request(Url ++ "/" ++ integer_to_list(K)))) end, 500, 20),
    exit(S, normal).
body(R) -> case mochiweb_request:get(method, R) of 'POST' -> mochiweb_request:recv_body(R); _ -> [] end.

cow() ->
    show(cow, [cow_qs:parse_qs(<<"a=b&c&d=%41">>), cow_date:parse_date(<<"Sun, 06 Nov 1994 08:49:37 GMT">>), try_(fun() -> cow_http:parse_headers(<<"A: b\r\nC:d\r\n\r\nr">>) end),
               try_(fun() -> cow_qs:parse_qs(<<"%zz">>) end), try_(fun() -> cow_http_hd:parse_connection(<<"close, Upgrade">>) end), try_(fun() -> cow_http_te:stream_chunked(<<"3\r\nabc\r\n0\r\n\r\n">>, {0, 0}) end),
               try_(fun() -> cow_cookie:parse_cookie(<<"a=b; c=d">>) end)]).

jose() ->
    {ok, _} = application:ensure_all_started(jose),
    Key = jose_jwk:from_oct(<<"0123456789abcdef0123456789abcdef">>),
    {_, Signed} = jose_jws:compact(jose_jwt:sign(Key, #{<<"alg">> => <<"HS256">>}, #{<<"sub">> => <<"x">>})),
    show(signed, Signed),
    show(verified, element(1, jose_jwt:verify(Key, Signed))),
    show(forged, element(1, jose_jwt:verify(jose_jwk:from_oct(<<"other">>), Signed))),
    show(garbage, [element(1, try_(fun() -> jose_jwt:verify(Key, G) end)) || G <- [<<"a.b.c">>, <<>>, <<"...">>, foo]]),
    Each = fun(Params, Alg) ->
                   K = jose_jwk:generate_key(Params),
                   {_, S} = jose_jws:compact(jose_jwk:sign(<<"text">>, #{<<"alg">> => Alg}, K)),
                   {Ok, Text, _} = jose_jwk:verify(S, jose_jwk:to_public(K)),
                   {Alg, Ok, Text}
           end,
    show(keys, [try_(fun() -> Each(P, A) end) || {P, A} <- [{{ec, <<"P-256">>}, <<"ES256">>}, {{ec, <<"P-521">>}, <<"ES512">>}, {{rsa, 2048}, <<"RS256">>},
                {{rsa, 2048}, <<"PS384">>}, {{okp, 'Ed25519'}, <<"EdDSA">>}, {{okp, 'Ed448'}, <<"EdDSA">>}]]),
    {_, Box} = jose_jwe:compact(jose_jwk:block_encrypt(<<"secret">>, #{<<"alg">> => <<"dir">>, <<"enc">> => <<"A256GCM">>}, Key)),
    show(decrypted, element(1, jose_jwk:block_decrypt(Box, Key))),
    everywhere(fun(K) -> B = integer_to_binary(K), {_, S} = jose_jws:compact(jose_jwk:sign(B, #{<<"alg">> => <<"HS512">>}, Key)), {true, B, _} = jose_jwk:verify(S, Key), S end, 2000, 100).

lager() ->
    application:load(lager),
    application:set_env(lager, handlers, [{lager_file_backend, [{file, "log.txt"}, {level, info}, {formatter_config, [severity, " ", message, "\n"]}]}]),
    application:set_env(lager, error_logger_redirect, false),
    {ok, _} = application:ensure_all_started(lager),
    [lager:log(L, self(), "~p of ~s", [K, "lager"]) || {L, K} <- [{debug, 1}, {info, 2}, {warning, 3}, {error, 4}]],
    lager:log(error, self(), "bad ~p ~p", [only_one]),
    [spawn(fun() -> [lager:log(info, self(), "p~p ~p", [P, K]) || K <- lists:seq(1, 50)] end) || P <- lists:seq(1, 20)],
    timer:sleep(1500),
    application:stop(lager),
    {ok, Text} = file:read_file(filename:join("log", "log.txt")),
    show(lager, lists:sort(binary:split(Text, <<"\n">>, [global]))).
