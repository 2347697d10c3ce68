%% Bit syntax, matching: patterns of known sizes that a compiler may take as one piece: byte orders and signs,
%% prefixes, what the way to the next clause still needs, sizes of the rest, and BIFs that are instructions.
-module(bit_patterns).
-export([main/1]).
-import(show, [id/1]).
%% Without text: releases differ in what bytes they print as letters.
-define(S(E), io:format("~s = ~w~n", [??E, fun() -> E end()])).

main(_Args) ->
    ?S(begin <<_:32, X:32>> = id(<<1, 2, 3, 4, 0, 0, 0, 3>>), X end),
    ?S(begin <<X:16/signed, Y:16/little>> = id(<<255, 254, 1, 0>>), {X, Y} end),
    [?S(pair(B)) || B <- [<<"ab=", 5:32, 1>>, <<"skipme">>, <<"ab=">>, <<"sk">>, <<"ab=", 5:31>>]],
    [?S({Name, [try F(B) catch _:R -> {failed, R} end || B <- inputs()]}) || {Name, F} <- functions()],
    Data = << <<(I * 7)>> || I <- lists:seq(1, 64) >>,
    [?S({Offset, orders(Offset, Data)}) || Offset <- lists:seq(0, 8)],
    [?S({Offset, signs(Offset, Data)}) || Offset <- lists:seq(0, 8)],
    [?S({Offset, [wide(Offset, binary:part(Data, 0, N)) || N <- [0, 7, 9, 17, 64]]}) || Offset <- [0, 1, 4]],
    ?S(sum(Data, 0)), ?S(triples(binary:part(Data, 0, 63), 0)), ?S(triples(Data, 0)), ?S(nibbles(<<16#123456789:36>>, [])),
    [?S(scan(B, 0)) || B <- [<<"key=1;key=22;other=3;">>, <<"keykey=kekey=;">>, <<>>, <<"k">>]],
    [?S({V, atoms(V)}) || V <- [<<"ok">>, "ok", <<"no such atom of all">>, "no such atom of all", x, <<255>>, lists:duplicate(256, $a), [$a | b]]],
    [?S({A, B, min(A, B), max(A, B), clamp(A, B), larger(A, B)}) || A <- [1, 1.0, a, <<1>>, []], B <- [1, 2.0, b, <<>>, [1]]],
    ?S(many(binary:copy(<<1, 2, 3, 4, 5, 6, 7, 8, 9, 10>>, 100), 0)).

pair(<<K:2/binary, $=, N:32, _/binary>>) -> {K, N};
pair(<<"skip", R/binary>>) -> {skip, R};
pair(O) -> {other, O}.

inputs() ->
    [<<>>, <<1>>, <<1:1>>, <<1, 2>>, <<1, 2, 3>>, <<1, 2, 3, 4:4>>, <<0:64>>, <<-1:64>>, <<1:70, 5:3>>, <<7:70, 9:3>>, <<3, 0>>, <<16#80, 0, 0, 0, 1>>,
     <<"GET /a">>, <<"GEX /a">>, <<"PUTT">>, <<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>>, no_binary, {<<1>>}, binary:copy(<<"0123456789">>, 20)].

functions() ->
    [{verb, fun verb/1}, {nested, fun nested/1}, {rest_size, fun rest_size/1}, {rest_bits, fun rest_bits/1}, {guarded, fun guarded/1},
     {kept, fun(B) -> kept(B, first, second, third) end}, {units, fun units/1}, {tagged, fun tagged/1}, {header, fun header/1},
     {twice, fun twice/1}, {huge, fun huge/1}, {exact, fun exact/1}, {odd, fun odd/1}, {sized, fun(B) -> sized(B, 3) end}, {either, fun either/1}].

verb(<<"GET ", P/binary>>) -> {get, P};
verb(<<"GEX", _:8, P/binary>>) -> {gex, P};
verb(<<"PUT", C, R/binary>>) -> {put, C, R};
verb(<<1, 2, R/bits>>) -> {one_two, R};
verb(<<1, R/bits>>) -> {one, R};
verb(<<1:1>>) -> bit;
verb(_) -> none.

nested(<<1:16/little, X:12/binary-unit:3, 5:4, -1:8/signed, Y:3/bits, R/bits>>) -> {X, Y, R};
nested(<<7:70, X/bits>>) -> {seven, X};
nested(<<1:70, X:3>>) -> {one, X};
nested(<<3:5/little, X:3>>) -> {three, X};
nested(<<16#80000000:32/signed, X/bits>>) -> {never, X};
nested(<<-16#80000000:32/signed, X/bits>>) -> {least, X};
nested(B) -> {other, B}.

rest_size(<<_, R/binary>>) -> byte_size(R);
rest_size(B) when is_bitstring(B) -> {bits, bit_size(B)}.
rest_bits(<<_:3, R/bits>>) -> {bit_size(R), byte_size(R), R};
rest_bits(B) -> B.
guarded(<<X:16, R/bits>>) when byte_size(R) > 3, bit_size(R) < 200 -> {X, byte_size(R), R};
guarded(<<X, R/binary>>) when byte_size(R) =:= 1; X =:= 3 -> {X, R};
guarded(_) -> neither.

%% A function that gets binaries from some and what is left of one from others.
either(<<1, R/binary>>) -> left(R);
either(B) -> left(B).
left(B) when byte_size(B) < 2 -> {few, B};
left(<<X:16, R/binary>>) when byte_size(R) > 1 -> {X, byte_size(R)};
left(B) -> {left, B}.

%% What comes first in the arguments is needed when the pattern does not match.
kept(<<1, 2, 3, X:100, Y:2/binary, R/binary>>, A, B, C) -> {A, B, C, X, Y, R};
kept(<<X:64, Y:8/binary, 0>>, A, B, C) -> {X, Y, A, B, C};
kept(<<X, Y:2/binary, 4:4, _/bits>>, A, B, C) -> {A, B, C, X, Y};
kept(<<X:64/signed, "x", Y/binary>>, A, B, C) -> {A, B, C, X, Y};
kept(Other, A, B, C) -> {A, B, C, Other}.

units(<<X:3/binary-unit:4, R/binary-unit:4>>) -> {four, X, R};
units(<<X:4, R/binary-unit:3>>) -> {three, X, R};
units(<<X:1, R/binary>>) -> {eight, X, R};
units(_) -> other.

tagged(<<0, N:32/big, S:16/little-signed, T/binary>>) -> {N, S, T};
tagged(<<255, N:24/little, F:32/native, _/bits>>) -> {N, F};
tagged(<<T:2, L:6, V/bits>>) -> {T, L, V};
tagged(_) -> none.

header(<<V:4, L:4, _:8, Len:16, _:64, S:4/binary, D:4/binary, _/bits>>) -> {V, L, Len, S, D};
header(<<A:1, B:1, C:1, D:5, _/bits>>) -> {A, B, C, D};
header(_) -> none.

twice(<<A:8, _/bits>> = B) -> <<C:4, D:4, R/bits>> = B, {A, C, D, R};
twice(B) -> {B}.

huge(<<_, _:18446744073709551616/bits>>) -> huge;
huge(<<_:18446744073709551616, _/bits>>) -> huge;
huge(<<X:1099511627777, _/bits>>) -> X;
huge(<<_:1099511627776/binary, _/bits>>) -> huger;
huge(<<16#ffffffffffffffff:64>>) -> ones;
huge(<<16#ffffffffffffffff00:72, _/bits>>) -> more;
huge(_) -> fits.

exact(<<X:0, Y:16>>) -> {X, Y};
exact(<<X:7, 1:1>>) -> {X};
exact(<<>>) -> empty;
exact(<<X:64/little>>) -> X;
exact(<<0:12, X:12/little, R:3/binary>>) -> {X, R};
exact(_) -> none.

odd(<<A:3/little, B:13/little, C:17/little-signed, R/bits>>) -> {A, B, C, R};
odd(<<A:9/little-signed, R/bits>>) -> {A, R};
odd(_) -> none.

sized(<<N, B:N/binary, C:16/little, R/binary>>, _) -> {B, C, R};
sized(B, S) ->
    case B of <<_, X:S/unit:5, C:S/little-signed, R/bits>> -> {X, C, R}; _ -> none end.

orders(O, D) -> <<_:O, A:16/little, B:24/little, C:32/little, E:40/little, F:48/little, G:56/little, H:64/little, I:72/little, _/bits>> = D, {A, B, C, E, F, G, H, I}.
signs(O, D) -> <<_:O, A:16/signed, B:24/little-signed, C:32/signed, E:40/signed, F:12/signed, G:56/signed, H:64/signed, I:64/little-signed, J:59/signed, K:60/signed, _/bits>> = D, {A, B, C, E, F, G, H, I, J, K}.
wide(O, D) -> case D of <<_:O, A:60, B:128/little, R/bits>> -> {A, B, R}; <<_:O, A:65, R/bits>> -> {A, R}; <<_:O, A:57/signed, R/bits>> -> {A, R}; _ -> no end.

sum(<<X, R/binary>>, A) -> sum(R, A + X);
sum(<<>>, A) -> A.
triples(<<A, B, C, R/binary>>, S) -> triples(R, S + A + B * C);
triples(<<>>, S) -> S;
triples(R, S) -> {R, S}.
nibbles(<<N:4, R/bits>>, Acc) -> nibbles(R, [N | Acc]);
nibbles(<<>>, Acc) -> lists:reverse(Acc).
scan(<<"key=", R/binary>>, N) -> scan(R, N + 1);
scan(<<_, R/binary>>, N) -> scan(R, N);
scan(<<>>, N) -> N.
many(<<A:16, B:64/little, R/binary>>, S) -> many(R, S * 31 + A + B rem 1000003);
many(<<>>, S) -> S.

atoms(V) ->
    {try binary_to_existing_atom(V) catch _:_ -> no end, try list_to_existing_atom(V) catch _:_ -> no end,
     try binary_to_existing_atom(V, latin1) of A -> {ok, A} catch error:badarg -> no end, try atom_to_list(list_to_atom(V)) catch error:_ -> no end,
     try binary_to_atom(V) of A -> A catch _:_ -> no end}.
clamp(A, B) -> max(min(A, B), 1).
-if(?OTP_RELEASE >= 26).
larger(A, B) when max(A, B) > 1, min(A, B) < b -> yes;
larger(_, _) -> no.
-else.
larger(A, B) -> case max(A, B) > 1 andalso min(A, B) < b of true -> yes; false -> no end.
-endif.
