%% Bit syntax, construction: every type and size, overflow, alignment, and every error.
-ifndef(OLD_COMPILER).
-module(bs_construct).
-endif.
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    Ns = [0, 1, -1, 127, 128, 255, 256, -129, 16#123456789ABCDEF, 1 bsl 59, -(1 bsl 60), (1 bsl 70) + 5, -(1 bsl 70) - 5],
    [io:format("~w:~w ~w ~w~n", [N, S, <<N:S>>, <<N:S/little>>]) || N <- Ns, S <- [0, 1, 4, 7, 8, 9, 16, 17, 24, 31, 32, 40, 59, 60, 63, 64, 65, 80, 129]],
    [io:format("~w +~w ~w ~w~n", [N, P, <<0:P, N:20, 3:2>>, <<-1:P, N:37/little, -1:5>>]) || N <- Ns, P <- lists:seq(1, 8)],
    fixed(id(258), id(-2)), floats(), parts(), errors(), appends(), expressions(), neighbours(),
    ?S(sum_bytes(build(1000, <<>>))), ?S(byte_size(build_bits(1000, <<>>))), ?S(branches()), ?S(shared()),
    ?S(<< <<X:4>> || X <- lists:seq(1, 15) >>), ?S(<< <<X:3, 1:1>> || <<X:5>> <= <<"hello">> >>), ?S([X || <<X:16/little>> <= <<1, 2, 3, 4, 5>>]),
    ?S(<< <<B/binary, ",">> || B <- [<<"a">>, <<"bc">>] >>), ?S(<< <<X, Y>> || <<X:4, Y:4>> <= <<16#12, 16#34>> >>), ?S(<< <<1>> || _ <- [] >>),
    comprehensions().

%% Comprehensions that write text and other binaries behind what there is, in native code as well.
comprehensions() ->
    Texts = [<<>>, <<"a">>, <<"long enough to be nowhere but outside the heap: twenty, thirty, forty, fifty, sixty, seventy">>, part(<<"xabcx">>), part(<<1:9, "ab">>)],
    Chars = [0, $a, 127, 128, 16#7ff, 16#800, 16#d7ff, 16#e000, 16#ffff, 16#10000, 16#10ffff],
    [begin
         ?S(<< <<C/utf8>> || C <- Chars >>), ?S(<< <<C/utf8, 1:2, C:14, C/utf8>> || C <- Chars >>),
         ?S(erlang:phash2(<< <<T/binary, ",", (byte_size(T)):16>> || T <- Texts, _ <- lists:seq(1, 50) >>)),
         ?S(erlang:phash2(<< <<T/binary, T/binary>> || T <- lists:reverse(Texts), _ <- lists:seq(1, 50) >>)),
         ?S(<< <<T/binary, C/utf8>> || T <- [<<"x">>, <<>>], C <- Chars >>)
     end || _ <- lists:seq(1, 10)],
    ?S(catch << <<C/utf8>> || C <- Chars ++ [16#d800] >>), ?S(catch << <<C/utf8>> || C <- [$a, -1] >>), ?S(catch << <<T/binary>> || T <- Texts ++ [<<1:3>>] >>), ?S(catch << <<T/binary>> || T <- [<<"a">>, a] >>).
part(B) -> <<_:(bit_size(B) rem 8), C/binary>> = id(B), C.

%% Neighbours put together, in a heap binary and behind another, with what does not fit in between.
neighbours() ->
    Small = [0, 1, -1, 127, 16#1234, 16#123456789ABCDEF, -(1 bsl 59)], Other = [1 bsl 70, -(1 bsl 64), 1 bsl 60, a, 1.5],
    Texts = [<<>>, <<"xyz">>, <<0:9>>, binary:copy(<<"long">>, 40)], Chars = [$a, $z - $a, 16#e9, 16#20ac, 16#1f600, 16#d800, -1, b],
    [io:format("~w ~w: ~w~n", [A, B, caught(fun() -> group(F, A, B) end)]) || F <- lists:seq(1, 9), A <- Small, B <- [3, 1 bsl 62 | Other]],
    [io:format("~w ~w ~w: ~w~n", [F, T, C, caught(fun() -> behind(F, T, C) end)]) || F <- lists:seq(1, 7), T <- [c | Texts], C <- Chars].

caught(F) -> try F() catch error:R -> R end.

group(1, A, B) -> <<A:4, B:4>>;
group(2, A, B) -> <<A:6, B:6, A:6, B:6>>;
group(3, A, B) -> <<A:3, 5:2, B:19, A:24, B:40>>;
group(4, A, B) -> <<A:48, B:56, A:64>>;
group(5, A, B) -> <<A:16/little, B:24/little, A:40/little, B:48/little, A:56/little, B:64/little>>;
group(6, A, B) -> <<"a string between", A:7, B:1, "and one more", (A band 3)>>;
group(7, A, B) -> <<A, 1.5/float, B, 2.25:32/float>>;
group(8, A, B) -> <<A, (id(2.5))/float, B:32/little, (id(-0.5))/float>>;
group(9, A, B) -> <<A:60, B:63, A:5>>.

behind(1, T, C) -> <<T/binary, C>>;
behind(2, T, C) -> <<T/binary, C:4, 1:4, "t">>;
behind(3, T, C) -> <<T/binary, C/utf8, 1, C/utf8>>;
behind(4, T, C) -> <<1, T/binary, C/utf8, T/binary>>;
behind(5, T, C) -> <<T/bitstring, C, 2:16>>;
behind(6, T, C) -> <<C/utf8, T/binary, 5:24>>;
behind(7, T, C) -> lists:foldl(fun(N, Acc) -> <<Acc/binary, N, C/utf8, N:12, 1:4, T/binary>> end, T, lists:seq(1, 9)).

fixed(A, B) ->
    ?S(<<A>>), ?S(<<A:16>>), ?S(<<A:16/little>>), ?S(<<A:32/big, B:32/little>>), ?S(<<B:64/native>>), ?S(<<A:8, B:8, "tail">>),
    ?S(<<"abc", A:12, B:4>>), ?S(<<A:1, B:1>>), ?S(<<"żółw"/utf8>>), ?S(<<"abc"/utf16>>), ?S(<<"a":16, "b":16/little>>), ?S(<<1, 2, 3:24>>).

floats() ->
    ?S(<<(id(1.5))/float>>), ?S(<<(id(1.5)):32/float>>), ?S(<<(id(1.5)):16/float>>), ?S(<<(id(1.5))/float-little>>), ?S(<<(id(3))/float>>),
    ?S(<<(id(1 bsl 70)):32/float>>), ?S(<<(id(1.0e300)):32/float>>), ?S(<<(id(70000)):16/float>>), ?S(<<0:3, (id(-0.1))/float>>),
    ?S(<<(id(1.0)):40/float>>), ?S(begin S = id(64), <<(id(2.5)):S/float>> end), ?S(<<(id(1 bsl 2000))/float>>), ?S(<<(id(a))/float>>),
    ?S(<<(id(65504)):16/float>>), ?S(<<(id(1.0e-8)):16/float>>), ?S(<<(id(5.0e-8)):16/float>>), ?S(<<(id(0.1)):16/float>>).

parts() ->
    B = id(<<"hello">>), O = id(<<"hi", 5:3>>),
    ?S(<<B/binary>>), ?S(<<B/binary, B/binary>>), ?S(<<B:3/binary, "!">>), ?S(<<O/bits>>), ?S(<<O/bits, O/bits>>), ?S(<<1:1, B/binary>>),
    ?S(<<O:17/bits, 1:7>>), ?S(<<B:2/binary-unit:16>>), ?S(<<B:5/bits, B:3/bits>>), ?S(<<O/binary>>),
    ?S(<<O/binary-unit:2>>), ?S(<<(<<1, 2>>)/binary, 3>>), ?S(<<B/binary-unit:8>>), ?S(begin N = id(4), <<B:N/binary, 0:N>> end).

errors() ->
    ?S(<<(id(a))>>), ?S(<<(id(1.5))>>), ?S(<<(id(x))/binary>>), ?S(<<(id(1))/binary>>), ?S(<<(id(<<"ab">>)):3/binary>>), ?S(<<(id(5)):(id(-1))>>),
    ?S(<<(id(5)):(id(a))>>), ?S(<<(id(<<"ab">>)):(id(-1))/binary>>), ?S(<<(id(-1))/utf8>>), ?S(<<(id(16#D800))/utf8>>), ?S(<<(id(16#110000))/utf16>>),
    ?S(<<(id(a))/utf32>>), ?S(<<1:(id(1 bsl 64))>>), ?S(<<(id([1]))/integer>>), ?S(<<(id({}))/bits>>), ?S(<<(id(<<1:1>>))/binary, 1>>),
    ?S(<<1, (id(a)), 2>>), ?S(<<"abc", (id(x))/binary, (id(y))/float>>), ?S(<<(id(<<1>>)):(id(2.0))/binary>>), ?S(<<1:(id(1 bsl 70))/unit:8>>).

appends() ->
    N = id(<<1, 2, 3>>), W = <<(id(<<>>))/binary, 0, 1, 2>>, None = id(<<>>),
    ?S(erts_debug:same(N, <<N/binary, None/binary>>)), ?S(erts_debug:same(W, <<W/binary, None/binary>>)),
    A = id(<<1, 2, 3>>),
    B = <<A/binary, 4>>,
    C = <<B/binary, 5>>,
    D = <<B/binary, 6>>,
    E = <<C/binary, D/binary>>,
    ?S({A, B, C, D, E}),
    F = <<A/bits, 1:1>>,
    G = <<F/bits, 0:1>>,
    H = <<F/bits, 3:2>>,
    ?S({F, G, H}), ?S(begin <<X:4/binary, _/binary>> = C, <<X/binary, 9>> end), ?S(C).

build(0, Acc) -> Acc;
build(N, Acc) -> build(N - 1, <<Acc/binary, N:8, (N * 3):16/little>>).

build_bits(0, Acc) -> Acc;
build_bits(N, Acc) -> build_bits(N - 1, <<Acc/bits, N:5>>).

sum_bytes(B) -> sum_bytes(B, 0).
sum_bytes(<<X, R/binary>>, S) -> sum_bytes(R, S + X);
sum_bytes(<<>>, S) -> S.

%% Two continuations of one accumulator must not see each other.
branches() ->
    Base = build(20, <<>>),
    L = [<<Base/binary, I>> || I <- lists:seq(1, 5)],
    M = [<<X/binary, 0>> || X <- L],
    {[binary:last(X) || X <- L], [binary:at(X, byte_size(X) - 2) || X <- M], byte_size(Base)}.

shared() ->
    Base = build(50, <<>>),
    Self = self(),
    Pids = [spawn(fun() -> Self ! {self(), <<Base/binary, I, (binary:copy(<<I>>, 100))/binary>>} end) || I <- [1, 2, 3]],
    [receive {P, B} -> {byte_size(B), binary:at(B, 150), binary:last(B)} end || P <- Pids].

expressions() ->
    X = id(5), Y = id(<<"y">>),
    ?S(<<(X + 1), (X * 2):16, (byte_size(Y)):8, (list_to_binary([1, 2]))/binary>>),
    ?S(<<(X + a), 1>>), ?S(<<X:X, X:(X * 2), 0:1>>), ?S(byte_size(<<0:(X * 1000)/unit:8>>)), ?S(<<Y/binary, (<<Y/binary>>)/binary>>).
