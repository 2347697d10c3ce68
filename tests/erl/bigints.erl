%% Integers beyond a word: factorials, powers, division of all shapes, text in all bases.
-module(bigints).
-export([main/1]).
-compile(no_copt).
-include("show.hrl").

main(_Args) ->
    ?S(factorial(100)),
    ?S(fibonacci(500)),
    ?S(power(3, 1000) rem power(10, 50)),
    ?S(factorial(300) div factorial(298)),
    ?S(check_division(200)),
    ?S(gcd(factorial(40), power(6, 100))),
    ?S(isqrt(power(10, 80))),
    [?S(integer_to_list(power(7, 50), Base)) || Base <- [2, 3, 8, 10, 16, 36]],
    [?S(list_to_integer(integer_to_list(-power(7, 99), Base), Base) =:= -power(7, 99))
     || Base <- lists:seq(2, 36)],
    ?S(list_to_integer("123456789012345678901234567890")),
    ?S(list_to_integer("-ZZZZZZZZZZZZZZZZZZZZZZZZZZ", 36)),
    ?S(binary_to_integer(<<"ffffffffffffffffffffffff">>, 16)),
    ?S(list_to_integer("12x")), ?S(list_to_integer("")), ?S(list_to_integer("-")),
    ?S(list_to_integer("+7")), ?S(list_to_integer("1", 37)), ?S(binary_to_integer(<<"9">>, 8)),
    ?S(power(2, 64) - power(2, 64) + 5),
    ?S(is_integer(id(power(2, 64) - power(2, 64)))),
    ?S(id(power(2, 70)) =:= id(power(4, 35))),
    ?S(lists:sort([power(2, N) * Sign || N <- [59, 60, 61, 63, 64, 65, 128], Sign <- [1, -1]])),
    ?S(digits(factorial(200), 0)),
    ?S(float(power(2, 100))), ?S(float(power(10, 308))), ?S(float(power(10, 309))),
    ?S(trunc(1.0e30)), ?S(round(-1.0e25)), ?S(floor(1.5e20)), ?S(ceil(-1.5e20)),
    ?S(power(10, 25) == 1.0e25), ?S(power(10, 22) == 1.0e22), ?S(power(2, 53) + 1 > 9007199254740992.0),
    ?S(power(2, 64) band (power(2, 64) - 1)), ?S(-power(2, 64) band power(2, 65)),
    ?S(bnot power(2, 100)), ?S(-power(2, 100) bor 1), ?S(power(2, 100) bxor -1),
    ?S(erlang:phash2(power(3, 77))), ?S(erlang:phash2(-power(3, 77))),
    ?S(1 bsl (1 bsl 40)), ?S(huge()).

%% Too large for anybody: system_limit, not a machine that swaps.
huge() -> id(1) bsl id(1 bsl 62).

factorial(0) -> 1;
factorial(N) -> N * factorial(N - 1).

fibonacci(N) -> fibonacci(N, 0, 1).
fibonacci(0, A, _) -> A;
fibonacci(N, A, B) -> fibonacci(N - 1, B, A + B).

power(_, 0) -> 1;
power(B, N) when N rem 2 =:= 0 -> power(B * B, N div 2);
power(B, N) -> B * power(B, N - 1).

gcd(A, 0) -> A;
gcd(A, B) -> gcd(B, A rem B).

isqrt(N) -> isqrt(N, N).
isqrt(N, X) ->
    case (X + N div X) div 2 of
        Y when Y >= X -> X;
        Y -> isqrt(N, Y)
    end.

digits(0, Sum) -> Sum;
digits(N, Sum) -> digits(N div 10, Sum + N rem 10).

%% A = (A div B) * B + A rem B, |A rem B| < |B|, the sign of the remainder is A's.
check_division(N) ->
    Seed = rand:seed_s(exsss, 42),
    check_division(N, Seed, ok).
check_division(0, _, Result) -> Result;
check_division(N, S0, Result) ->
    {A, S1} = number(S0),
    {B, S2} = number(S1),
    Q = A div B,
    R = A rem B,
    true = A =:= Q * B + R,
    true = abs(R) < abs(B),
    true = R =:= 0 orelse (R < 0) =:= (A < 0),
    true = (A + B) * (A - B) =:= A * A - B * B,
    true = (A bxor B) =:= (A bor B) - (A band B),
    true = (A bsr 13) =:= (A - (A band 8191)) div 8192,
    check_division(N - 1, S2, Result).

number(S0) ->
    {Bits, S1} = rand:uniform_s(400, S0),
    {N, S2} = rand:uniform_s(1 bsl Bits, S1),
    {Sign, S3} = rand:uniform_s(2, S2),
    {case Sign of 1 -> N; 2 -> -N end, S3}.
