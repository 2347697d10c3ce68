%% packages: erlang-p1-sip erlang-p1-stun erlang-p1-xmpp erlang-p1-xml erlang-p1-stringprep erlang-p1-tls erlang-idna erlang-unicode-util-compat erlang-p1-utils
-module(sip_xmpp).
-export([main/0]).
-import(calls, [try_/1, show/2, everywhere/1]).

main() ->
    error_logger:tty(false),
    [{ok, _} = application:ensure_all_started(A) || A <- [xmpp]],
    [show({jid, J}, try_(fun() -> jid:encode(jid:decode(J)) end))
     || J <- [<<"User@Example.COM/Res">>, <<"example.com">>, <<"@x">>, <<"a@">>, <<"a@b/">>, <<"ä@ö/€"/utf8>>, <<>>, <<"a b@c">>,
              <<255, "@x">>, binary:copy(<<"x">>, 3000)]],
    [show({jid, J}, try_(fun() -> jid:decode(J) end)) || J <- ["list", atom, 1]],
    show(make, [jid:make(<<"U">>, <<"S">>, <<"R">>), jid:make(<<" ">>, <<"s">>), jid:tolower({<<"A">>, <<"B">>, <<"c">>})]),
    [show({uri, U}, try_(fun() -> xmpp_uri:check(U) end))
     || U <- [<<"http://a.b/c">>, <<"xmpp:a@b">>, <<"nonsense">>, <<>>, <<"http://">>, <<"https:x">>, <<"urn:x">>, atom, <<"http://a b">>]],
    [show({lang, L}, try_(fun() -> xmpp_lang:check(L) end)) || L <- [<<"en">>, <<"de-AT">>, <<"x">>, <<"toolonglanguage">>, <<>>, foo]],
    M = fxml_stream:parse_element(<<"<message xmlns='jabber:client' to='a@b' from='c@d/e' type='chat' id='1' xml:lang='en'><body>Hi &lt;</body><x xmlns='urn:other'/></message>">>),
    D = try_(fun() -> xmpp:decode(M) end),
    show(message, D),
    show(encoded, fxml:element_to_binary(xmpp:encode(D))),
    show(text, xmpp:get_text(element(8, D))),
    [show({stanza, T}, try_(fun() -> xmpp:decode(fxml_stream:parse_element(T), <<"jabber:client">>, []) end))
     || T <- [<<"<iq type='get' id='x'><ping xmlns='urn:xmpp:ping'/></iq>">>, <<"<iq type='bad' id='x'/>">>, <<"<iq id='x'/>">>,
              <<"<presence><priority>999</priority></presence>">>, <<"<presence to='@@'/>">>, <<"<nothing/>">>]],
    everywhere(fun(K) -> {jid:encode(jid:decode(<<"U", (integer_to_binary(K))/binary, "@Host/R">>)), jid:nodeprep(<<"Ü"/utf8, (integer_to_binary(K))/binary>>)} end),
    {ok, _} = application:ensure_all_started(esip),
    Sip = <<"INVITE sip:bob@biloxi.example SIP/2.0\r\nVia: SIP/2.0/TCP client.atlanta.example:5060;branch=z9hG4bK74bf9\r\n"
            "Max-Forwards: 70\r\nFrom: Alice <sip:alice@atlanta.example>;tag=9fxced76sl\r\nTo: Bob <sip:bob@biloxi.example>\r\n"
            "Call-ID: 3848276298220188511@atlanta.example\r\nCSeq: 1 INVITE\r\nContact: <sip:alice@client.atlanta.example;transport=tcp>\r\n"
            "Content-Length: 5\r\n\r\nhello">>,
    show(sip, esip_codec:decode(Sip)),
    show(sip_back, try_(fun() -> {ok, P} = esip_codec:decode(Sip), iolist_to_binary(esip_codec:encode(P)) end)),
    [show({sip_uri, U}, try_(fun() -> esip_codec:decode_uri(U) end))
     || U <- [<<"sip:a@b:5060;x=y?h=v">>, <<"sips:b">>, <<"sip:">>, <<"tel:1">>, <<>>, <<"sip:a:p@[::1]">>, atom]],
    show(names, [esip_codec:to_lower(<<"Content-LENGTH">>), esip_codec:strcasecmp(<<"aBc">>, <<"AbC">>), esip_codec:strcasecmp(<<"a">>, <<"b">>),
                 try_(fun() -> esip_codec:to_lower(foo) end), try_(fun() -> esip_codec:strcasecmp(<<>>, 1) end), esip_codec:escape(<<"a b%">>)]),
    show(cut, erlang:phash2([try_(fun() -> esip_codec:decode(binary:part(Sip, 0, N)) end) || N <- lists:seq(0, byte_size(Sip))])),
    everywhere(fun(_) -> esip_codec:decode(Sip) end).
