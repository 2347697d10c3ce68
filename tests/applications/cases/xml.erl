%% packages: erlang-p1-xml erlang-p1-utils
-module(xml).
-export([main/0]).
-import(calls, [try_/1, show/2, everywhere/1]).

main() ->
    {ok, _} = application:ensure_all_started(fast_xml),
    Text = <<"<a x='1' y=\"&lt;&amp;\"><b>text &#228;&#x20ac;</b><c/><![CDATA[raw <>]]><d xmlns='urn:d'><e/></d></a>">>,
    E = fxml_stream:parse_element(Text),
    show(parsed, E),
    show(back, fxml:element_to_binary(E)),
    show(header, fxml:element_to_header(E)),
    [show({wrong, T}, try_(fun() -> fxml_stream:parse_element(T) end))
     || T <- [<<>>, <<"<a>">>, <<"</a>">>, <<"<a></b>">>, <<"<a/><b/>">>, <<"text">>, <<"<a ", 255, "/>">>, <<"<a>&nix;</a>">>,
              <<"<a x='1' x='2'/>">>, atom, "<a/>", 1, <<1:5>>, <<"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>">>,
              <<"<?xml version='1.0' encoding='utf-8'?><a/>">>, <<"<a><?pi x?><!-- c --></a>">>]],
    [show({wrong_element, T}, try_(fun() -> fxml:element_to_binary(T) end))
     || T <- [{xmlel, <<"a">>, [], []}, {xmlel, a, [], []}, {xmlel, <<"a">>, [{<<"b">>, 1}], []}, {xmlel, <<"a">>, [], [x]}, foo,
              {xmlcdata, <<"<&>">>}, {xmlel, <<"a">>, bad, bad}]],
    show(crypt, fxml:crypt(<<"<>&'\"ä">>)),
    S0 = fxml_stream:new(self(), 1000),
    S1 = lists:foldl(fun(C, S) -> fxml_stream:parse(S, <<C>>) end, S0, "<stream:stream xmlns:stream='s'><m>hi</m><n a='b'/>"),
    S2 = try_(fun() -> fxml_stream:parse(S1, <<"</stream:stream>">>) end),
    show(events, flush()),
    show(closed, try_(fun() -> fxml_stream:close(S2) end)),
    S3 = fxml_stream:new(self(), 50, [no_gen_server]),
    _ = try_(fun() -> fxml_stream:parse(S3, binary:copy(<<"<a>">>, 100)) end),
    show(too_long, flush()),
    S4 = fxml_stream:new(self()),
    _ = fxml_stream:parse(S4, <<"<a><b></c>">>),
    show(broken, flush()),
    show(no_stream, try_(fun() -> fxml_stream:parse(foo, <<"<a/>">>) end)),
    Large = fxml:element_to_binary({xmlel, <<"l">>, [], [{xmlel, <<"i">>, [{<<"n">>, integer_to_binary(K)}], [{xmlcdata, <<"t">>}]} || K <- lists:seq(1, 20000)]}),
    show(large, {byte_size(Large), erlang:phash2(fxml_stream:parse_element(Large))}),
    everywhere(fun(K) ->
                       B = integer_to_binary(K),
                       fxml:element_to_binary(fxml_stream:parse_element(<<"<a n='", B/binary, "'><b>", B/binary, "</b></a>">>))
               end).

flush() -> receive M -> [M | flush()] after 20 -> [] end.
