%% Calls with arguments that no -spec leads to: every control sequence of io_lib:format, options of
%% number texts, damaged external terms, texts of exceptions.
-module(api_special).
-export([families/0, format/2, float_text/2, damaged/2, exception_text/2, insides/1, big_text/1, values/1]).

families() ->
    [{Family, [{M, F, {named, atom_to_list(Family), P}} || {M, F, P} <- Rows]} || {Family, Rows} <- plain_families()].

plain_families() ->
    [{format, [{?MODULE, format, {product, [{special, controls}, all]}}, {?MODULE, big_text, {product, [all]}}]},
     {numbers, [{?MODULE, float_text, {product, [float, {special, float_options}]}} |
                [{erlang, F, {product, [C, {special, bases}]}} ||
                    {F, C} <- [{integer_to_list, {special, integers}}, {integer_to_binary, {special, integers}}, {list_to_integer, text}, {binary_to_integer, binary},
                               {list_to_integer, {special, digit_texts}}, {binary_to_integer, {special, digit_binaries}}]]
                ++ [{erlang, F, {product, [{special, C}]}} || {F, C} <- [{list_to_float, float_texts}, {binary_to_float, float_binaries}, {list_to_integer, digit_texts}, {binary_to_integer, digit_binaries}]]
                ++ [{string, F, {product, [{special, float_texts}]}} || F <- [to_float, to_integer, list_to_float, list_to_integer]]]},
     {external, [{?MODULE, damaged, {product, [{special, external}, {special, damages}]}}, {?MODULE, insides, {product, [all]}}]},
     {packets, [{erlang, decode_packet, {product, [{special, packet_types}, {special, packets}, {special, packet_options}]}}]},
     {exceptions, [{?MODULE, exception_text, {product, [{special, failing}, op_any]}}]}].

format(Control, V) ->
    Wanted = length([1 || $* <- Control]),
    lists:flatten(io_lib:format(Control, lists:duplicate(Wanted, 7) ++ extra(lists:last(Control), V))).

extra(C, V) when C =:= $W; C =:= $P -> [V, 12];
extra(C, V) when C =:= $x; C =:= $X -> [V, "0z"];
extra(n, _) -> [];
extra(C, _) when C =:= $n; C =:= $~ -> [];
extra(_, V) -> [V].

float_text(F, Options) -> {erlang:float_to_list(F, Options), erlang:float_to_binary(F, Options)}.

%% The external format of a term, one byte changed or cut: the same term or the same error.
damaged(V, {At, Change}) ->
    Bin = term_to_binary(V),
    Index = At rem byte_size(Bin),
    <<Before:Index/binary, B, After/binary>> = Bin,
    New = case Change of
              cut -> Before;
              N -> <<Before/binary, ((B + N) band 255), After/binary>>
          end,
    Read = fun(Options) -> try binary_to_term(New, Options) catch error:R:S -> {error, R, [A || {_, A, _, _} <- S]} end end,
    {Read([]), Read([used]), Read([safe])}.

insides(V) ->
    {erts_debug:flat_size(V), erlang:external_size(V), erts_debug:size([V, V]), erlang:external_size(V, [{minor_version, 1}])}.

big_text(V) -> [io_lib:format(F, [V]) || F <- ["~w", "~tw", "~p", "~tp", "~lp", "~30p", "~1p", "~10.5p"]].

exception_text({M, F}, V) -> exception_text({M, F, 1}, V);
exception_text({M, F, Arity}, V) ->
    Args = lists:sublist([V, 1, V], Arity),
    try apply(M, F, Args)
    catch C:R:S ->
            Trace = lists:takewhile(fun({Mod, _, _, _}) -> Mod =/= ?MODULE end, S),
            lists:flatten(erl_error:format_exception(C, R, Trace, #{}))
    end.

values(controls) ->
    ["~w", "~p", "~tw", "~tp", "~lp", "~s", "~ts", "~c", "~tc", "~f", "~e", "~g", "~b", "~B", "~x", "~X", "~+", "~#", "~i", "~n", "~~", "~W", "~P", "~tP", "~tW", "~.3f", "~10.3f", "~-10.2f|", "~.1e", "~.0f", "~.20f", "~.3g", "~10s", "~-10s|", "~10.4s",
     "~.3s", "~10.4ts", "~*s", "~.*s", "~*.*.*s", "~10c", "~5.3c", "~-5.3c|", "~10w", "~-10w|", "~3w", "~10p", "~.5p", "~1p", "~.2b", "~.16b", "~10.36B", "~.37b", "~.16x", "~..*w", "~8..0b", "~20..-s", "~8.16.0B", "~", "~q", "~.", "~10", "abc~sdef~n", "~ts ~", "~a", "~0p", "~0tP", "~+.16b", "~.16+", "~.16#", "~.2#"];
values(float_options) ->
    [[], [short], [compact], [{decimals, 0}], [{decimals, 1}, compact], [{decimals, 2}], [{decimals, 5}], [{decimals, 10}, compact], [{decimals, 17}], [{decimals, 20}], [{decimals, 50}], [{decimals, 253}], [{decimals, 254}], [{scientific, 0}], [{scientific, 1}],
     [{scientific, 3}], [{scientific, 6}], [{scientific, 15}], [{scientific, 17}], [{scientific, 20}], [{scientific, 100}], [{scientific, 249}], [{scientific, 250}], [{scientific, -1}], [{decimals, -1}], [short, compact], [{decimals, 4}, short], x, [x], [short | x]];
values(bases) -> lists:seq(-1, 40) ++ [a, 1 bsl 64, 10.0];
values(integers) -> [0, 1, -1, 35, 36, -37, 255, (1 bsl 59) - 1, 1 bsl 59, -(1 bsl 59), (1 bsl 63) - 1, 1 bsl 64, -(1 bsl 64), (1 bsl 200) + 12345, -(1 bsl 1000), 1 bsl 5000, 1.0, a];
values(digit_texts) -> ["0", "-0", "+0", "-", "+", "", "00012", "1_000", "zz", "ZZ", "-ff", "+7f", "1 ", " 1", "12a", "1.0", lists:duplicate(18, $9), lists:duplicate(19, $9), lists:duplicate(40, $7), lists:duplicate(500, $1), [$1 | $2], [$1, 16#660], "0x10"];
values(digit_binaries) -> [list_to_binary(T) || T <- values(digit_texts), try list_to_binary(T), true catch _:_ -> false end] ++ [<<1:3>>, 5];
values(float_texts) ->
    ["1.0", "-1.0", "+1.0", "1.", ".1", "1", "1e1", "1.0e", "1.0e1", "1.0E1", "1.0e+1", "1.0e-1", "1.0e--1", "1.0e400", "-1.0e400", "1.0e-400", "0.0", "-0.0", "1.7976931348623157e308", "1.7976931348623159e308", "4.9e-324", "2.4e-324", "1.0 ", " 1.0", "1.0x", "1,0", "1.0e1.0",
     "00001.50", "123456789012345678901234567890.5", "0.1e-5", "0." ++ lists:duplicate(400, $3), lists:duplicate(310, $1) ++ ".0", "inf", "nan", "1_0.0", "", "12abc", "-7", "+7", "1.5.5"];
values(float_binaries) -> [list_to_binary(T) || T <- values(float_texts)];
values(external) ->
    [0, 300, -1, 1 bsl 40, -(1 bsl 70), 1.5, a, 'å', 'żó', {a, 1}, [1, 2], "abc", [a | b], <<"abc">>, <<5:3>>, #{a => 1}, maps:from_list([{I, I} || I <- lists:seq(1, 33)]), fun lists:map/2, [], {}, {{}, [[]]},
     binary_to_term(<<131, 88, 100, 0, 3, "a@b", 77:32, 16#ffffff:32, 5:32>>), binary_to_term(<<131, 90, 0, 3, 100, 0, 3, "a@b", 5:32, 3:32, 2:32, 1:32>>), lists:duplicate(300, 7), lists:seq(250, 260)];
values(packet_types) -> [raw, 0, 1, 2, 4, asn1, cdr, sunrm, fcgi, tpkt, line, http, httph, http_bin, httph_bin, ssl_tls, x, 3, "raw"];
values(packets) ->
    [<<>>, <<0>>, <<1>>, <<3, "abc">>, <<3, "abcd">>, <<3, "ab">>, <<0, 2, "abc">>, <<0, 0, 0, 2, "abcd">>, <<255, 255, 255, 255, 1>>, <<127, 255, 255, 255, 1>>, <<16#30, 3, "abcd">>, <<16#30, 16#81, 3, "abcd">>, <<16#30, 16#85, 0, 0, 0, 0, 1, "a">>, <<16#3f, 16#81, 1, 2, "abc">>,
     <<"GIOP", 1, 0, 0, 0, 0, 0, 0, 2, "abcd">>, <<"GIOP", 1, 0, 1, 0, 2, 0, 0, 0, "abcd">>, <<"GIOX", 1, 0, 0, 0, 0, 0, 0, 2, "abcd">>, <<128, 0, 0, 2, "abc">>, <<1, 1, 0, 1, 0, 2, 1, 0, "abXrest">>, <<2, 1, 0, 1, 0, 2, 1, 0, "abXrest">>, <<3, 0, 0, 6, "abcd">>, <<3, 0, 0, 3, "abcd">>,
     <<"line\nnext">>, <<"line\r\nnext">>, <<"no end">>, <<"\n">>, <<"\r\n">>, <<"GET / HTTP/1.1\r\nHost: a\r\n">>, <<"GET /a/b?c HTTP/1.0\r\n">>, <<"PUT http://host:80/x HTTP/1.1\r\n">>, <<"get https://host/x HTTP/1.1\n">>, <<"FOO * HTTP/1.1\r\n">>, <<"CONNECT h:443 HTTP/1.1\r\n">>, <<"GET /\r\n">>,
     <<"OPTIONS urn:x:y HTTP/1.1\r\n">>, <<"HTTP/1.1 200 OK\r\n">>, <<"HTTP/1.0 404\r\n">>, <<"HTTP/1.1 2x0 OK\r\n">>, <<"HTTP/1 200 OK\r\n">>, <<"Host: a\r\nB: c\r\n">>, <<"host:a\r\n\r\n">>, <<"X-Other-Thing: some value  \r\n\r\n">>, <<"x-y: a\r\n  continued\r\n\r\n">>, <<"A b: c\r\nx">>, <<": c\r\nx">>, <<"nocolon\r\nx">>,
     <<"Content-Length: 5\r\n\r\n">>, <<"a-very-long-header-name-of-more-than-twenty-chars: v\r\nx">>, <<22, 3, 1, 0, 3, "abcX">>, <<22, 3, 1, 0, 9, "abcX">>, <<128, 5, 1, 3, 0, "abcX">>, <<23, 3, 3, 255, 255>>, <<"abc", 5:3>>, <<"ab\n", 5:3>>, "abc", a];
values(packet_options) -> [[], [{packet_size, 0}], [{packet_size, 1}], [{packet_size, 3}], [{packet_size, 20}], [{line_length, 3}], [{line_length, 5}], [{line_length, 1}], [{line_delimiter, $,}], [{line_delimiter, $e}], [{line_delimiter, 256}], [{packet_size, -1}], [{packet_size, a}], [{line_length, 30}, {packet_size, 6}], x, [x], [{packet_size, 1 bsl 32}], [{packet_size, (1 bsl 32) - 1}]];
values(damages) -> [{At, Change} || At <- [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 14, 20, 30], Change <- [cut, 1, 3, 100, 128, 255]];
values(failing) ->
    [{erlang, F} || F <- [hd, tl, length, abs, float, round, trunc, size, byte_size, tuple_size, map_size, atom_to_list, atom_to_binary, list_to_atom, list_to_binary, list_to_integer, list_to_float, list_to_tuple, tuple_to_list, binary_to_term, binary_to_list,
                          binary_to_integer, integer_to_list, float_to_list, iolist_size, iolist_to_binary, '-', 'bnot', 'not', fun_to_list, pid_to_list, list_to_pid, md5, crc32, bitstring_to_list, node]] ++
        [{erlang, F, 2} || F <- ['+', '-', 'div', 'rem', '/', 'bsl', 'band', '++', '--', 'and', element, binary_part, append_element, delete_element, is_map_key, map_get, make_tuple, integer_to_list, binary_to_integer, list_to_integer, split_binary, phash, phash2, is_function, apply]] ++
        [{erlang, F, 3} || F <- [setelement, insert_element, binary_part, make_fun, apply, binary_to_list, raise]] ++
        [{lists, F} || F <- [reverse, sum, max, last, nth, sort, flatten, concat]] ++ [{lists, F, 2} || F <- [member, reverse, append, nth, map, seq, keysort, sublist]] ++ [{lists, F, 3} || F <- [keyfind, keymember, foldl, sublist, keystore]] ++
        [{maps, F} || F <- [keys, values, size, to_list, from_list, iterator]] ++ [{maps, F, 2} || F <- [get, find, merge, remove, take, with, from_keys]] ++ [{maps, F, 3} || F <- [put, update, get]] ++
        [{binary, F} || F <- [first, last, encode_unsigned, decode_unsigned, copy]] ++ [{binary, F, 2} || F <- [at, match, split, part, copy]] ++ [{binary, F, 3} || F <- [part, replace, match]] ++ [{math, F} || F <- [sqrt, log, exp, acos, sin]] ++ [{math, F, 2} || F <- [pow, fmod, atan2]] ++
        [{ets, F, N} || {F, N} <- [{lookup, 2}, {insert, 2}, {delete, 1}, {new, 2}, {update_counter, 3}, {lookup_element, 3}, {select, 2}, {first, 1}, {next, 2}]] ++ [{unicode, F} || F <- [characters_to_list, characters_to_binary]] ++ [{re, F, 2} || F <- [run, compile]] ++
        [{atomics, F, N} || {F, N} <- [{new, 2}, {get, 2}, {put, 3}]] ++ [{counters, F, N} || {F, N} <- [{new, 2}, {get, 2}, {add, 3}]] ++ [{persistent_term, get, 1}, {string, length, 1}, {string, pad, 2}, {io_lib, format, 2}, {nomod, nofun, 2}, {api_special, nofun, 1}].
