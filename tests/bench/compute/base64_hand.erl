%% Base64 there and back by bit syntax comprehensions and by tuples.
-module(base64_hand).
-export([run/0]).

run() ->
    Data = << <<(N * 7 band 255)>> || N <- lists:seq(1, 30_000) >>,
    [Data = decode(encode(Data)) || _ <- lists:seq(1, 24)],
    erlang:md5(encode(Data)).

encode(Bin) -> encode(Bin, <<>>).
encode(<<A:6, B:6, C:6, D:6, R/binary>>, Acc) ->
    encode(R, <<Acc/binary, (digit(A)), (digit(B)), (digit(C)), (digit(D))>>);
encode(<<A:6, B:6, C:4>>, Acc) -> <<Acc/binary, (digit(A)), (digit(B)), (digit(C bsl 2)), $=>>;
encode(<<A:6, B:2>>, Acc) -> <<Acc/binary, (digit(A)), (digit(B bsl 4)), $=, $=>>;
encode(<<>>, Acc) -> Acc.

digit(N) when N < 26 -> $A + N;
digit(N) when N < 52 -> $a + N - 26;
digit(N) when N < 62 -> $0 + N - 52;
digit(62) -> $+;
digit(63) -> $/.

decode(Bin) -> decode(Bin, <<>>).
decode(<<A, B, $=, $=>>, Acc) -> <<Acc/binary, (value(A) bsl 2 bor (value(B) bsr 4))>>;
decode(<<A, B, C, $=>>, Acc) ->
    <<Acc/binary, ((value(A) bsl 12 bor (value(B) bsl 6) bor value(C)) bsr 2):16>>;
decode(<<A, B, C, D, R/binary>>, Acc) ->
    decode(R, <<Acc/binary, (value(A)):6, (value(B)):6, (value(C)):6, (value(D)):6>>);
decode(<<>>, Acc) -> Acc.

value(C) when C >= $A, C =< $Z -> C - $A;
value(C) when C >= $a, C =< $z -> C - $a + 26;
value(C) when C >= $0, C =< $9 -> C - $0 + 52;
value($+) -> 62;
value($/) -> 63.
