%% Float arithmetic, conversions, printing, and the errors where other languages have infinities.
-module(floats).
-export([main/1]).
-compile(no_copt).
-include("show.hrl").

main(_Args) ->
    Fs = [0.0, -0.0, 1.0, -1.5, 0.1, 1.0e-5, 3.14159, 1.0e22, 1.0e23, 123456789.123, 2.5, 3.5, -2.5,
          5.0e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 9007199254740993.0, 1.0e100],
    [io:format("~w ~p ~w ~w ~w ~w ~s ~s~n",
               [F, F, q(fun() -> trunc(F) end), q(fun() -> round(F) end), q(fun() -> floor(F) end),
                q(fun() -> ceil(F) end), float_to_list(F), float_to_binary(F, [short])]) || F <- Fs],
    [io:format("~w ~w: ~w ~w ~w ~w ~w~n",
               [A, B, q(fun() -> A + B end), q(fun() -> A - B end), q(fun() -> A * B end),
                q(fun() -> A / B end), {A < B, A == B, A =:= B}]) || A <- Fs, B <- Fs],
    Numbers = Fs ++ [0, 1, -1, 1 bsl 53, (1 bsl 53) + 1, 1 bsl 64, -(1 bsl 64), 1 bsl 1023, 1 bsl 1100, a],
    [io:format("~w ~w ~w~n", [A, [ordered(A, B) || B <- Numbers], [{A < B, A =< B, A > B, A >= B, A /= B} || B <- Numbers]]) || A <- Numbers],
    [io:format("~w ~w~n", [F, [q(fun() -> float_to_binary(F, [{decimals, D} | C]) end) || D <- [0, 1, 2, 5, 15, 17, 18, 19, 30], C <- [[], [compact]]]])
     || F <- Fs ++ [0.5, 1.5, 0.05, 0.95, 0.995, 9.995, 99.95, -0.999, 1.0e15, 4503599627370497.5, 9007199254740991.0, 1.0e-18, 1.0e-19]],
    io:format("~w ~w~n", [lists:sort(Fs), lists:sort(fun(A, B) -> A >= B end, Fs)]),
    [io:format("~s ~s ~s~n", [float_to_list(F, [{decimals, 4}]), float_to_list(F, [{decimals, 6}, compact]),
                              float_to_binary(F, [{scientific, 3}])]) || F <- Fs, abs(F) < 1.0e20],
    mixed(), texts(), functions(), expressions(id(2.5), id(4)), printed(), mandelbrot().

q(F) -> show:quiet(F).

mixed() ->
    ?S(1 + id(1.5)), ?S(id(2) * 1.5), ?S(id(7) / 2), ?S(id(1 bsl 70) / 3), ?S(id(1 bsl 70) + 0.5),
    ?S(1 == id(1.0)), ?S(1 =:= id(1.0)), ?S(id(1 bsl 2000) + 1.0), ?S(id(1.0e308) * 10),
    ?S(id(1 bsl 1100) / (1 bsl 1090)), ?S(id(0.0) == id(-0.0)), ?S(id(0.0) =:= id(-0.0)),
    ?S(id(1.0) / 0), ?S(id(1.0e300) * id(1.0e300)), ?S(-id(0.0)), ?S(abs(id(-0.0))),
    ?S(lists:sort([1, 1.0, 2, 0.5, -1, 1 bsl 70, 1.0e30, -1.0e30])),
    ?S(lists:usort([1, 1.0, 2.0, 2])), ?S(#{1 => a, 1.0 => b}), ?S(maps:get(1, #{1.0 => b}, none)),
    ?S(id(a) + 1.0), ?S(id(1.0) - []), ?S(id(1.0) * {}), ?S(id(1.0) / a), ?S(-id(2.5)),
    ?S(float(id(3))), ?S(float(id(a))), ?S(trunc(id("x"))), ?S(round(id(nil))).

texts() ->
    ?S(list_to_float("1.5")), ?S(list_to_float("-1.5e10")), ?S(list_to_float("1e10")),
    ?S(list_to_float("1.")), ?S(list_to_float(".5")), ?S(list_to_float("1.0e400")),
    ?S(list_to_float("1.5e-400")), ?S(binary_to_float(<<"2.25E+3">>)), ?S(binary_to_float(<<"x">>)),
    ?S(list_to_float(" 1.0")), ?S(list_to_float("1.0 ")), ?S(float_to_list(1.5, [{decimals, 300}])),
    ?S(float_to_list(1.5, [foo])), ?S(float_to_list(a)), ?S(float_to_list(1.0e300, [{decimals, 2}])),
    ?S(float_to_list(0.5, [{decimals, 0}])), ?S(float_to_list(1.5, [{decimals, 0}])),
    ?S(float_to_list(-0.04, [{decimals, 1}])), ?S(float_to_list(1.25, [{scientific, 0}])).

functions() ->
    ?S(math:pi()), ?S(math:sqrt(2)), ?S(math:sqrt(-1)), ?S(math:pow(2, 0.5)), ?S(math:pow(0, -1)),
    ?S(math:exp(1)), ?S(math:exp(1000)), ?S(math:log(10)), ?S(math:log(0)), ?S(math:log2(8)),
    ?S(math:log10(1000)), ?S(math:sin(1)), ?S(math:cos(1)), ?S(math:tan(1)), ?S(math:atan2(1, -1)),
    ?S(math:floor(-1.5)), ?S(math:ceil(1.2)), ?S(math:fmod(7.5, 2)), ?S(math:fmod(1, 0)),
    ?S(math:asin(2)), ?S(math:acos(0.5)), ?S(math:sinh(1)), ?S(math:tanh(0.5)), ?S(math:erf(0.5)),
    ?S(math:sqrt(a)), ?S(math:pow(1 bsl 1100, 2)).

%% Long enough for the compiler to keep values in float registers.
expressions(X, N) when is_float(X) ->
    Y = X * 2.0 + N / 3.0 - 1.0,
    Z = -(Y * Y) / (-X + 1.0),
    ?S({Y, Z, (Y + Z) * (Y - Z) / 2.0}),
    ?S(poly(1.5, 2, 3.0)), ?S(poly(a, 2, 3.0)), ?S(poly(1.0e200, 1.0e200, 3.0)),
    ?S(sum(1000, 0.0)), ?S(hypot(3, 4)), ?S(hypot(x, 4)).

poly(A, B, X) when is_float(X) -> A * X * X + B * X - 0.5.

sum(0, Acc) -> Acc;
sum(N, Acc) -> sum(N - 1, Acc + 1.0 / N).

hypot(A, B) -> math:sqrt(A * A + B * B).

printed() ->
    [io:format("~e ~.3e ~f ~.2f ~g ~.4g ~10.3f|~-12.2f|~w~n", [F, F, F, F, F, F, F, F, F])
     || F <- [0.0, -0.0, 1.0, 0.1, 12345.678, -9.995, 1.0e-10, 99999.95, 0.05]].

mandelbrot() ->
    [io:format("~s~n", [[char(iterate(X / 20 - 2.0, Y / 8 - 1.0, 0.0, 0.0, 0)) || X <- lists:seq(0, 50)]])
     || Y <- lists:seq(0, 16)].

iterate(_, _, _, _, 50) -> 50;
iterate(_, _, X, Y, N) when X * X + Y * Y > 4.0 -> N;
iterate(Cx, Cy, X, Y, N) -> iterate(Cx, Cy, X * X - Y * Y + Cx, 2.0 * X * Y + Cy, N + 1).

char(50) -> $#;
char(N) when N > 8 -> $+;
char(N) when N > 4 -> $.;
char(_) -> $\s.

%% As guards, of registers.
ordered(A, B) when A < B -> {less, at_most(A, B), at_least(A, B), same(A, B)};
ordered(A, B) when A > B -> {more, at_most(A, B), at_least(A, B), same(A, B)};
ordered(A, B) -> {neither, at_most(A, B), at_least(A, B), same(A, B)}.
at_most(A, B) when A =< B -> true;
at_most(_, _) -> false.
at_least(A, B) when A >= B -> true;
at_least(_, _) -> false.
same(A, B) when A /= B -> no;
same(A, B) when A == B -> yes.
