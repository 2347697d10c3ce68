%% Short texts of numbers and characters, and where they are wrong.
-module(short_texts).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    Integers = [0, 1, -1, 9, 10, 15, 16, -16, 35, 36, 255, 12345678901234567, -(1 bsl 59), (1 bsl 59) - 1, 1 bsl 59, -(1 bsl 60), 1 bsl 63, 1 bsl 64, -(1 bsl 200)],
    [?S({B, [{integer_to_list(I, B), integer_to_binary(I, B)} || I <- Integers]}) || B <- lists:seq(2, 36)],
    ?S(lists:all(fun({I, B}) -> list_to_integer(integer_to_list(I, B), B) =:= I end, [{I, B} || I <- Integers, B <- lists:seq(2, 36)])),
    ?S([{integer_to_list(I), integer_to_binary(I)} || I <- Integers]), ?S(integer_to_list(id(1.0), 16)), ?S(integer_to_list(1, id(37))), ?S(integer_to_binary(1, id(1))),
    Floats = [0.0, -0.0, 1.0, -1.5, 0.125, 0.1, 123.456, 1.0e15, 9007199254740991.0, 9007199254740992.0, 1.0e22, -1.0e22, 0.00001, 99.9999, 0.5, 1.0e-300, 100.0],
    [?S({D, C, [float_to_binary(F, [{decimals, D} | C]) || F <- Floats], [float_to_list(F, C ++ [{decimals, D}]) || F <- Floats]}) || D <- [0, 1, 2, 5, 17, 18, 19, 30], C <- [[], [compact]]],
    [?S(float_to_binary(1.5, [{decimals, id(D)}])) || D <- [-1, 253, 254, 1000, 1 bsl 31, -(1 bsl 33), (1 bsl 32) + 2, a]],
    ?S([[{binary:encode_unsigned(I, E), binary:decode_unsigned(binary:encode_unsigned(I, E), E) =:= I} || E <- [big, little]] || I <- Integers, I >= 0]), ?S(binary:encode_unsigned(id(-1))), ?S(binary:encode_unsigned(id(a))),
    [?S({L, [show:quiet(fun() -> unicode:characters_to_binary(L, From) end) || From <- [utf8, latin1]]}) || L <- texts()],
    ?S(byte_size(unicode:characters_to_binary(lists:duplicate(1999, 960)))), ?S(byte_size(unicode:characters_to_binary(lists:duplicate(2001, 16#10000)))), ?S(erlang:phash2(unicode:characters_to_binary(lists:seq(1, 1999)))),
    [?S({S, [show:quiet(fun() -> binary:split(S, P, O) end) || P <- needles(), O <- [[], [global], [global, trim], [global, trim_all], [{scope, {1, 3}}]]]}) || S <- [<<>>, <<"a">>, <<"abcabc">>, <<"xaXaaX">>]],
    [?S([show:quiet(fun() -> binary:F(<<"abcaabcc">>, P) end) || P <- needles()]) || F <- [match, matches]],
    ?S([show:quiet(fun() -> lists:F(K, 2, L) end) || F <- [keyfind, keymember], K <- [1, 1.0, a, "s", {1}, self, []], L <- tuples()]), ?S([lists:keyfind(id(K), 1, [{1.0, x}, {1, y}, {a}, {}, b, {1 bsl 70}, {-0.0}, {0}, {"s"}]) || K <- [1, 1.0, 0, 0.0, -0.0, a, 1 bsl 70, "s", b, []]]).

texts() ->
    [[], "abc", [127, 128], [16#7ff, 16#800], [16#ffff, 16#10000, 16#10ffff], [16#d800], [16#dfff, $a], [16#110000], [-1], [255, 256], [960 | <<"x">>], [960 | x], [960, <<"b">>, [$c]], [$a, b], [1.5], [[]], [1 bsl 70], "a" ++ [16#d7ff, 16#e000], [$a, -5, $b], [960, 16#d900, $c]].
needles() -> [<<"a">>, <<"bc">>, <<>>, [], [<<"a">>], [<<"a">>, <<"bc">>], <<"abcabcabcabc">>, <<1:3>>, a, binary:compile_pattern(<<"a">>), binary:compile_pattern([<<"c">>, <<"ca">>]), binary:part(<<"zzabzz">>, 2, 1), part(<<0:3, "a", 0:5>>)].
part(<<_:3, A:1/binary, _/bits>>) -> A.
tuples() -> [[{x, 1}, {y, 1.0}, {z, a}], [{x}, y, {z, 1.0}, {w, 1}], [[], {a, b, c}, {q, "s"}, {{1}, {1}} | improper], [], improper, [{1, self}, {2, []}]].
