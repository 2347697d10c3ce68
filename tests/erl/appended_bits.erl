%% Integers that do not make whole bytes, appended to binaries: in comprehensions, in place, behind
%% what ends within a byte, to windows that others see, of values that do not fit or are too large.
-module(appended_bits).
-export([main/1]).

main(_) ->
    B = << <<(X * 37 rem 256)>> || X <- lists:seq(0, 300) >>,
    show(comprehensions, [digest(<< <<(X bsr 1):N>> || <<X>> <= B >>) || N <- lists:seq(1, 57)]),
    show(pairs, [digest(<< <<X:N, (X bxor 5):M>> || <<X>> <= B >>)
                 || N <- [1, 2, 3, 7, 13, 25, 31], M <- [1, 4, 6, 12, 24, 25, 26, 33]]),
    show(constants, digest(<< <<X:3, 1:1, 0:2>> || <<X>> <= B >>)),
    show(little, digest(<< <<X:5/little, X:9/little>> || <<X>> <= B >>)),
    show(sums, [digest(sum(N, 400, <<>>)) || N <- lists:seq(0, 17)]),
    show(whole_then_bits, [digest(mix(K, <<>>)) || K <- lists:seq(0, 40)]),
    show(shared, shared()),
    show(bigs, [digest(<< <<V:3, (V bsl 1):62>> || V <- [1 bsl 59, -(1 bsl 59), 1 bsl 60, 1 bsl 80, -1] >>),
                digest(<< <<V:11>> || V <- [1 bsl 59, -(1 bsl 59) - 1, 1 bsl 60, 1 bsl 80, -1] >>)]),
    show(bad, [catch_class(fun() -> << <<V:3>> || V <- L >> end) || L <- [[1, a], [1.5], [1, 2, "3"]]]),
    show(bad_first, [catch_class(fun() -> byte_then(V, W) end) || V <- [<<1>>, <<1:1>>, x, 7], W <- [1, a]]),
    show(kept, kept(<<>>, 70, [])).

digest(B) -> {bit_size(B), erlang:md5(<<B/bits, 0:(7 - (bit_size(B) + 7) rem 8)>>)}.

sum(_, 0, A) -> A;
sum(N, K, A) -> sum(N, K - 1, <<A/bits, (N * K):6, K:3>>).

%% Whole bytes and bits by turns.
mix(0, A) -> A;
mix(K, A) when K rem 3 =:= 0 -> mix(K - 1, <<A/bits, K>>);
mix(K, A) when K rem 3 =:= 1 -> mix(K - 1, <<A/bits, K:5>>);
mix(K, A) -> mix(K - 1, <<A/bits, K:4, K:16>>).

%% Two that append to the same one do not see each other's.
shared() ->
    A = lists:foldl(fun(X, S) -> <<S/bits, X:3>> end, <<>>, lists:seq(1, 30)),
    B = <<A/bits, 5:3>>,
    C = <<A/bits, 2:7>>,
    D = <<B/bits, 1:1>>,
    E = <<C/bits, 1:2>>,
    {A, B, C, D, E, <<A/bits, 0:6>>}.

byte_then(B, V) -> <<B/binary, V:3>>.

%% Every state on the way stays what it was.
kept(_, 0, All) -> lists:reverse(All);
kept(A, N, All) -> kept(<<A/bits, N:(1), (N * 7):12>>, N - 1, [A | All]).

catch_class(F) -> try F() catch C:R -> {C, R} end.

show(What, Value) -> io:format("~p: ~p~n", [What, Value]).
