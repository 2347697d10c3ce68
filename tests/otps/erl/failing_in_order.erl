%% Which mistake of several is told: segments of a binary, operands of a sum with a constant.
-module(failing_in_order).
-export([main/0, main/1, float_utf8/2, integer_utf8/2, binary_utf8/2, float_utf16/2, float_utf32/2, two_utf8/2, utf8_float/2, utf32_utf8/2,
         float_integer/2, float_binary/2, three/3, less/1, more/1]).

main() -> main([]).

main(_) ->
    [io:format("~p ~0p: ~0p~n", [F, Args, outcome(F, Args)])
     || F <- [float_utf8, integer_utf8, binary_utf8, float_utf16, float_utf32, two_utf8, utf8_float, utf32_utf8, float_integer, float_binary],
        Args <- [[x, y], [x, $a], [1.0, y], [1.0, 16#110000], [y, 16#d800]]],
    io:format("~0p~n", [outcome(three, [x, y, z])]),
    [io:format("~p ~0p: ~0p~n", [F, A, outcome(F, [A])]) || F <- [less, more], A <- [{a, 1}, {<<>>, x}, {1, 2}, {1.5, 2}]].

outcome(F, Args) ->
    try apply(?MODULE, F, Args)
    catch
        _:R:Stack ->
            {M, Name, A, Info} = hd(Stack),
            {R, M, Name, if is_list(A) -> A; true -> arity end, maps:get(cause, proplists:get_value(error_info, Info, #{}), none)}
    end.

float_utf8(A, B) -> <<A/float, B/utf8>>.
integer_utf8(A, B) -> <<A:8, B/utf8>>.
binary_utf8(A, B) -> <<A/binary, B/utf8>>.
float_utf16(A, B) -> <<A/float, B/utf16>>.
float_utf32(A, B) -> <<A/float, B/utf32>>.
two_utf8(A, B) -> <<A/utf8, B/utf8>>.
utf8_float(A, B) -> <<B/utf8, A/float>>.
utf32_utf8(A, B) -> <<A/utf32, B/utf8>>.
float_integer(A, B) -> <<A/float, B:8>>.
float_binary(A, B) -> <<A/float, B/binary>>.
three(A, B, C) -> <<A/float, B/utf16, C/utf8>>.

less({S, T}) -> {S - 1, kept(T)}.
more({S, T}) -> {S + 1, kept(T)}.
kept(X) -> X.
