%% erlang:decode_packet/3: what each type takes for a packet, sizes, what is left, headers' names.
-module(packets).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    Body = <<101, 22, 203, 54, 175>>,
    Framed = [{1, <<5, Body/binary>>}, {2, <<5:16, Body/binary>>}, {4, <<5:32, Body/binary>>}, {asn1, <<1, 5, Body/binary>>},
              {asn1, <<16#1f, 1, 5, Body/binary>>}, {asn1, <<1, 16#82, 5:16, Body/binary>>}, {sunrm, <<1:1, 5:31, Body/binary>>},
              {cdr, <<"GIOP", 1, 2, 0, 0, 5:32, Body/binary>>}, {cdr, <<"GIOP", 1, 2, 1, 0, 5:32/little, Body/binary>>},
              {fcgi, <<1, 2, 1:16, 5:16, 2, 0, Body/binary, 0, 0>>}, {tpkt, <<3, 0, 9:16, Body/binary>>},
              {ssl_tls, <<1:1, 8:15, 1, 3, 1, Body/binary>>}, {ssl_tls, <<22, 3, 1, 5:16, Body/binary>>}],
    [sizes(Type, Packet) || {Type, Packet} <- Framed],
    [parts(Type, Packet) || {Type, Packet} <- Framed],
    [?S(erlang:decode_packet(T, B, [])) ||
        {T, B} <- [{raw, <<1, 2, 3:4>>}, {raw, <<3:4>>}, {raw, <<>>}, {line, <<"abc\n", 3:3>>}, {line, <<"abc">>}, {http, <<"GET / HTTP/1.0\r\n", 3:3>>},
                   {http, <<"HTTP/1.1 200\r\n">>}, {http_bin, <<"HTTP/1.1 404 Not there\r\nx">>}, {httph, <<"\r\n">>}, {httph, <<"Host : x\r\na">>}, {4, <<-1:32>>}, {no_type, <<>>}]],
    [?S(erlang:decode_packet(line, <<"abcdef\ngh">>, O)) || O <- [[{line_length, 3}], [{packet_size, 3}], [{line_delimiter, $c}], [{packet_size, -1}], [x], y]],
    [?S(erlang:decode_packet(T, B, O)) || T <- [http, httph, line], B <- [<<"a:\n">>, <<"a:\n ">>, <<"a:\n", 5:3>>, <<"a:\nb">>, <<"a:b">>, <<"a:bc">>],
                                         O <- [[], [{packet_size, 3}], [{line_length, 3}]]],
    [?S(erlang:decode_packet(httph, list_to_binary([Name, ": x\r\nq"]), [])) ||
        Name <- ["Content---Type", "content--type", "CONTENT-type", "a-b--C", "--a", "a--", "-", "foo-bar-baz", "x--y-Z", lists:duplicate(50, $A), lists:duplicate(51, $A)]].

sizes(Type, Packet) ->
    Rest = <<123, 34, 0, 250>>,
    Decoded = fun(Max) -> case erlang:decode_packet(Type, <<Packet/binary, Rest/binary>>, [{packet_size, Max}]) of {ok, _, Rest} -> ok; Other -> Other end end,
    io:format("~w ~w~n", [Type, [Decoded(Max) || Max <- lists:seq(0, 14)]]).

parts(Type, Packet) ->
    io:format("~w ~w~n", [Type, [erlang:decode_packet(Type, binary:part(Packet, 0, N), []) || N <- lists:seq(0, byte_size(Packet))]]),
    io:format("~w ~w~n", [Type, [erlang:decode_packet(Type, <<Packet/binary, 5:Bits>>, []) || Bits <- [1, 7, 8, 9]]]).
