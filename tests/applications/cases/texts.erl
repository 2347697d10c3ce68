%% packages: erlang-p1-stringprep erlang-p1-iconv erlang-p1-zlib erlang-p1-utils
-module(texts).
-export([main/0]).
-import(calls, [try_/1, show/2, everywhere/1]).

main() ->
    [{ok, _} = application:ensure_all_started(A) || A <- [stringprep, iconv, ezlib]],
    In = [<<>>, <<"Hello">>, <<"ÄÖÜß"/utf8>>, <<"a b">>, <<"x@y">>, <<255>>, <<16#0340/utf8>>, <<16#E0001/utf8>>, <<"ﬁ"/utf8>>,
          <<"ı"/utf8>>, <<16#05D0/utf8, "a">>, <<0>>, <<127>>, "list", atom, 1, <<1:3>>, binary:copy(<<"Aä"/utf8>>, 2000)],
    [show({F, show_short(B)}, show_short(try_(fun() -> stringprep:F(B) end)))
     || F <- [tolower, nodeprep, nameprep, resourceprep], B <- In],
    [show({iconv, From, To, B}, try_(fun() -> iconv:convert(From, To, B) end))
     || {From, To} <- [{<<"utf-8">>, <<"iso-8859-1">>}, {<<"iso-8859-15">>, <<"utf-8">>}, {<<"utf-8">>, <<"utf-16">>},
                       {<<"nix">>, <<"utf-8">>}, {utf8, latin1}, {"utf-8", "latin1"}],
        B <- [<<"abc">>, <<"ä€"/utf8>>, <<255, 254>>, <<>>, foo]],
    everywhere(fun(K) -> {stringprep:nodeprep(<<"ÄB"/utf8, (integer_to_binary(K))/binary>>),
                          iconv:convert(<<"utf-8">>, <<"iso-8859-1">>, <<"ä"/utf8, (integer_to_binary(K))/binary>>)} end),
    %% ezlib: a socket that compresses
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {packet, raw}]),
    {ok, Port} = inet:port(L),
    Me = self(),
    spawn_link(fun() ->
                       {ok, C} = gen_tcp:connect("localhost", Port, [binary, {active, false}]),
                       {ok, Z} = ezlib:enable_zlib(gen_tcp, C),
                       ok = ezlib:send(Z, <<"hello">>),
                       Me ! {answer, ezlib:recv(Z, 0, 5000)},
                       gen_tcp:send(C, <<"no deflated data at all">>),
                       Me ! garbage,
                       receive stop -> ok end
               end),
    {ok, S} = gen_tcp:accept(L),
    {ok, Z} = ezlib:enable_zlib(gen_tcp, S),
    show(received, try_(fun() -> ezlib:recv(Z, 0, 500) end)),
    show(sent, ezlib:send(Z, <<"answer">>)),
    show(answer, receive {answer, A} -> A after 10000 -> none end),
    receive garbage -> ok end,
    show(garbage, try_(fun() -> ezlib:recv(Z, 0, 5000) end)),
    show(controlling, try_(fun() -> ezlib:controlling_process(Z, foo) end)),
    show(bad, [try_(fun() -> ezlib:enable_zlib(gen_tcp, foo) end), try_(fun() -> ezlib:recv(foo, 0) end)] =/= []).

show_short(B) when is_binary(B), byte_size(B) > 100 -> {byte_size(B), erlang:md5(B)};
show_short({error, R, M, F, [B]}) -> {error, R, M, F, [show_short(B)]};
show_short(X) -> X.
