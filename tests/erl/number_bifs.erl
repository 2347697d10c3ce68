%% Every BIF on numbers with every pair of awkward operands: values, and which error where.
-module(number_bifs).
-export([main/1]).

main(_Args) ->
    Vs = values(), Ss = texts(), Bs = [2, 10, 16, 36, 37, 1, 0, -1, a, 1.0, 1 bsl 70],
    [calls(erlang, O, [[X, Y] || Y <- Vs]) || O <- binary_operators(), X <- Vs],
    [calls(erlang, O, [[X, Y] || Y <- Vs, sane_shift(Y)]) || O <- ['bsl', 'bsr'], X <- Vs],
    [calls(erlang, O, [[X] || X <- Vs]) || O <- unary_bifs()],
    [calls(math, O, [[X] || X <- Vs]) || O <- functions()],
    [calls(math, O, [[X, Y] || Y <- Vs]) || O <- [atan2, pow, fmod], X <- Vs],
    [calls(string, O, [[X] || X <- Vs ++ Ss]) || O <- [list_to_integer, list_to_float]],
    [calls(erlang, O, [[X] || X <- Ss]) || O <- [list_to_integer, list_to_float]],
    [calls(erlang, O, [[to_binary(X)] || X <- Ss]) || O <- [binary_to_integer, binary_to_float]],
    [calls(erlang, list_to_integer, [[X, B] || B <- Bs]) || X <- ["1011" | Ss]],
    [calls(erlang, binary_to_integer, [[to_binary(X), B] || B <- Bs]) || X <- ["1011" | Ss]],
    [calls(erlang, O, [[X, B] || B <- Bs]) || O <- [integer_to_list, integer_to_binary], X <- Vs],
    [calls(erlang, O, [[X, B] || B <- options()]) || O <- [float_to_list, float_to_binary], X <- Vs].

%% One line a call's first argument; results as text, or the error's reason.
calls(M, F, Argss) ->
    io:format("~w:~w ~0p~n ~ts~n", [M, F, hd(Argss), [[" ", call(M, F, Args)] || Args <- Argss]]).

call(M, F, Args) ->
    try apply(M, F, Args) of
        V -> io_lib:format("~0p", [V])
    catch
        error:Reason -> ["**", atom_to_list(Reason)]
    end.

sane_shift(Y) -> not is_integer(Y) orelse abs(Y) < 5000 orelse abs(Y) > 1 bsl 40.

to_binary(L) -> try list_to_binary(L) catch error:_ -> <<1:3>> end.

binary_operators() ->
    ['+', '-', '*', '/', 'div', 'rem', 'band', 'bor', 'bxor', '==', '/=', '=:=', '=/=', '<', '=<', '>', '>=',
     'and', 'or', 'xor', min, max].

unary_bifs() ->
    ['+', '-', 'bnot', 'not', abs, float, round, trunc, floor, ceil, integer_to_list, integer_to_binary,
     list_to_integer, binary_to_integer, float_to_list, float_to_binary, list_to_float, binary_to_float].

functions() ->
    [sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, exp, log, log2, log10, sqrt, erf,
     erfc, ceil, floor].

values() ->
    [0, 1, -1, 37, 1.0, 0.0, -0.0, 1.5, -2.5, 0.5, 1.0e22, -1.0e308, 5.0e-324, 1 bsl 59, -(1 bsl 59),
     (1 bsl 59) - 1, 1 bsl 63, 1 bsl 64, -(1 bsl 64) - 1, 1 bsl 1023, 1 bsl 1024, -(1 bsl 2000),
     9007199254740993, 9007199254740992.0, a, true, false, [], "12", <<"12">>, <<1:3>>, {1, 2}, #{}, [1.0]].

texts() ->
    ["", "+", "-", "+5", "-5", " 5", "5 ", "5a", "a5", "zZ", "12345678901234567890123", "-12345678901234567890123",
     "1.0", "1.", "1", "-1.5e3", "1.5e", "1.5e+", "1.5e-3.5", "1,5", "1,5e2", "1.0E5", "+1.5x", "--1", "1.0e400",
     "1.0e400x", "-1.0e-400", "0.0", "-0.0", "1.5\0a", [0], "1.5" ++ [256], [$1, $2 | a], [$1, $., $5 | a],
     [$1, $., $5, a], [$1, a], [a], [{}], [$- | a], [$1, $. | a], [$1, $., $5, $e, $1 | b], "1.5e1.5",
     [$5, 1 bsl 70], [$5, -3], "1.5E-2zz", "00012", "0001.500", "1.5.5", "1e5", ".5", "99999999999999999",
     "-99999999999999999", "100000000000000000", "-999999999999999999", "5/", "5:", "+1,5e3", "+-1.0"].

options() ->
    [[], [short], [compact], [{decimals, 0}], [{decimals, 3}], [{decimals, 18}], [{decimals, 19}],
     [{decimals, 253}], [{decimals, 254}], [{decimals, -1}], [{decimals, a}], [{decimals, 3}, compact],
     [compact, {decimals, 3}], [{scientific, 0}], [{scientific, 3}], [{scientific, 249}], [{scientific, 250}],
     [{scientific, -7}], [{scientific, 1 bsl 70}], [{decimals, 1 bsl 70}], [short, {decimals, 2}],
     [{decimals, 2}, short], [{scientific, 3}, {decimals, 2}, compact], [{decimals, 2}, {scientific, 3}, compact],
     [foo], [short | a], a, [{decimals, 3, 4}], [{decimals}], [{foo, 3}], [{decimals, 0}, compact]].
