%% Factorials: a large integer times a small one; and their decimal digits.
-module(factorial).
-export([run/0]).

run() ->
    lists:sum([digit_sum(integer_to_list(fac(N, 1))) || N <- lists:seq(600, 1400, 10)]).

fac(0, P) -> P;
fac(N, P) -> fac(N - 1, P * N).

digit_sum(Digits) -> lists:sum([D - $0 || D <- Digits]).
