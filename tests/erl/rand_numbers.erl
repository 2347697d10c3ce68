%% rand: every algorithm from a fixed seed; the numbers must be OTP's.
-module(rand_numbers).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    [begin
         S = rand:seed_s(A, {123, 456, 789}),
         {L, S1} = lists:mapfoldl(fun(_, X) -> rand:uniform_s(1000000, X) end, S, lists:seq(1, 10)),
         {F, S2} = lists:mapfoldl(fun(_, X) -> rand:uniform_s(X) end, S1, lists:seq(1, 5)),
         {N, S3} = rand:normal_s(S2), {B, S4} = rand:bytes_s(10, S3), {Big, _} = rand:uniform_s(1 bsl 100, S4), {R, _} = rand:uniform_real_s(S4),
         io:format("~w ~w ~w ~w ~w ~w ~w~n", [A, L, F, N, B, Big, R])
     end || A <- [exsss, exro928ss, exrop, exs1024s, exsp, dummy]],
    rand:seed(exsss, 42),
    ?S([rand:uniform(100) || _ <- lists:seq(1, 10)]), ?S(rand:uniform()), ?S(rand:normal(10, 2)), ?S(rand:uniform(0)), ?S(rand:uniform(x)), ?S(element(1, rand:export_seed())), ?S(rand:mwc59(1)), ?S(rand:splitmix64_next(7)), ?S(rand:exsp_next(element(2, rand:seed_s(exsp, 5)))),
    J = rand:jump(rand:seed_s(exsss, 1)), ?S(element(1, rand:uniform_s(1000, J))), ?S(pi(20000)),
    ?S(shuffle(lists:seq(1, 20))).

pi(N) -> S0 = rand:seed_s(exsss, 99), {In, _} = lists:foldl(fun(_, {C, S}) -> {X, S1} = rand:uniform_s(S), {Y, S2} = rand:uniform_s(S1), {case X * X + Y * Y < 1.0 of true -> C + 1; false -> C end, S2} end, {0, S0}, lists:seq(1, N)), 4 * In / N.
shuffle(L) -> [X || {_, X} <- lists:sort([{rand:uniform(), X} || X <- L])].
