%% List and binary comprehensions, lists:zip, foldl with funs of two arguments.
-module(comprehensions).
-export([run/0]).

run() ->
    L = lists:seq(1, 2000),
    [R | _] = [round_of(L) || _ <- lists:seq(1, 200)],
    R.

round_of(L) ->
    Pairs = [{X, Y} || X <- L, X rem 20 =:= 0, Y <- [1, 2, 3, 4, 5]],
    Zipped = lists:zipwith(fun(A, B) -> A * B end, L, lists:reverse(L)),
    Bytes = << <<X:8>> || X <- Zipped >>,
    Sum = lists:sum([B || <<B>> <= Bytes, B > 10]),
    {Odd, Even} = lists:partition(fun(X) -> X band 1 =:= 1 end, L),
    {length(Pairs), Sum, length(Odd), lists:foldl(fun(X, A) -> X + A end, 0, Even),
     lists:any(fun(X) -> X > 1999 end, L), lists:nth(1000, Zipped)}.
