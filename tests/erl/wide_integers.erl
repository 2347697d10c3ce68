%% Operators on integers of one, two and three limbs, where the ways to compute them change.
-module(wide_integers).
-export([main/1]).

main(_) ->
    Edges = edges(),
    [io:format("~s ~p ~w~n", [Op, erlang:phash2(Results), lists:sum([R || R <- Results, is_integer(R)])])
     || {Op, F} <- operators(), Results <- [[attempt(F, A, B) || A <- Edges, B <- Edges]]],
    Shifts = [0, 1, 3, 4, 5, 58, 59, 60, 61, 63, 64, 65, 68, 127, 128, 129, -1, -60, -64, -65],
    [io:format("~s ~p~n", [Op, erlang:phash2([attempt(F, A, N) || A <- Edges, N <- Shifts])])
     || {Op, F} <- [{"bsl", fun(A, N) -> A bsl N end}, {"bsr", fun(A, N) -> A bsr N end}]],
    io:format("~p ~p ~p~n", [congruential(10000, 1), fnv(lists:seq(0, 255), 16#cbf29ce484222325),
                             xorshift(5000, 88172645463325252)]).

operators() ->
    [{"+", fun(A, B) -> A + B end}, {"-", fun(A, B) -> A - B end}, {"*", fun(A, B) -> A * B end},
     {"div", fun(A, B) -> A div B end}, {"rem", fun(A, B) -> A rem B end},
     {"band", fun(A, B) -> A band B end}, {"bor", fun(A, B) -> A bor B end},
     {"bxor", fun(A, B) -> A bxor B end}].

edges() ->
    Powers = [1 bsl N || N <- [0, 1, 31, 32, 58, 59, 60, 61, 62, 63, 64, 65, 126, 127, 128, 129, 190]],
    Near = lists:usort([P + D || P <- Powers, D <- [-1, 0, 1]]),
    Near ++ [-N || N <- Near] ++ [not_a_number, 1.5].

attempt(F, A, B) ->
    try F(A, B) catch error:Reason -> Reason end.

congruential(0, X) -> X;
congruential(N, X) -> congruential(N - 1, (X * 6364136223846793005 + 1442695040888963407) band 16#ffffffffffffffff).

fnv([], H) -> H;
fnv([B | Rest], H) -> fnv(Rest, ((H bxor B) * 1099511628211) band 16#ffffffffffffffff).

xorshift(0, X) -> X;
xorshift(N, X) ->
    X1 = X bxor (X bsl 13) band 16#ffffffffffffffff,
    X2 = X1 bxor (X1 bsr 7),
    xorshift(N - 1, X2 bxor (X2 bsl 17) band 16#ffffffffffffffff).
