%% Bit syntax, matching: every type, size, unit, sign and byte order, at every alignment.
-ifndef(OLD_COMPILER).
-module(bs_match).
-endif.
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    Data = id(<<16#DEADBEEF0123456789ABCDEF00FF7F80:128>>),
    [integers(Offset, Size, Data) || Offset <- lists:seq(0, 9), Size <- [0, 1, 3, 7, 8, 9, 15, 16, 17, 28, 31, 32, 33, 59, 60, 61, 63, 64, 65, 100]],
    [known(Offset, Data) || Offset <- lists:seq(0, 9)], known(0, id(<<"xyzxyzxyz", 16#20ac/utf8, 0:32>>)),
    fixed(Data), floats(), parts(Data), strings(), sizes(), alignment(), tails(), matching_twice(Data), units(),
    [?S(packet(P)) || P <- [<<1, 3, "abcrest">>, <<1, 9, "abc">>, <<2, 5:16, 7:32/little>>, <<3:4, 5:4, 1:1>>, <<>>, <<4, 1, 2>>, x]],
    ?S(sum(binary:copy(<<1, 2, 3, 4>>, 1000), 0)), ?S(bits(<<16#A5, 3:3>>, [])), ?S(words(<<1:12, 2:12, 3:12, 5:5>>)),
    ?S(utf_like(<<"key=value;k2=v2;">>)), ?S(wrong()), ?S(mismatch(<<1, 2, 3>>)), ?S(mismatch(<<0, 2, 3>>)), ?S(pascal(<<3, "abc", 0, 2, "xy">>)),
    ?S(var_units(<<1, 2, 3, 4, 5, 6, 7>>, 2)), ?S(var_units(<<1, 2>>, 2)), ?S(var_units(<<1, 2>>, -1)), ?S(var_units(<<1>>, x)), ?S(var_units(<<1>>, 1 bsl 70)),
    [skips(B, N) || B <- bases(), N <- [0, 1, 7, 24, 25, 30, 79, 80, 81, 10000, -1, 1 bsl 40, 1 bsl 59, 1 bsl 70, x, 1.0]],
    [?S({byte_size(B), positions(B, 0, 0)}) || B <- bases(), is_binary(B)].

%% A size of run-time pieces over every kind of binary: heap, reference-counted, windows, with room to grow.
bases() ->
    Big = binary:copy(<<"0123456789">>, 8), Grown = lists:foldl(fun(C, A) -> <<A/binary, C>> end, <<>>, lists:seq(1, 80)),
    <<_:3, Odd:80/bits, _/bits>> = Big, <<_:5/binary, Window/binary>> = Big,
    [id(<<>>), id(<<"0123456789">>), Big, Grown, Window, Odd, <<Big/bits, 1:3>>].
skips(B, N) -> ?S({N, catch skip(B, N), catch cut(B, N), catch skip_bits(B, N), catch rest(B, N)}).
skip(B, N) -> case B of <<_:N/binary, C, _/binary>> -> C; <<_:N/unit:3, C:3, _/bits>> -> {C}; _ -> no end.
skip_bits(B, N) -> <<_:N, R/bits>> = B, R.
cut(B, N) -> <<A:N/binary, R/bits>> = B, {A, R}.
rest(B, N) -> <<_:N/binary, _/binary>> = B, byte_size(B).
positions(B, P, S) when P < byte_size(B) -> <<_:P/binary, C, _/binary>> = B, positions(B, P + 1, S * 7 + C);
positions(_, P, S) -> {P, S}.

integers(Offset, Size, Data) ->
    <<_:Offset, U:Size, _/bits>> = Data,
    <<_:Offset, S:Size/signed, _/bits>> = Data,
    <<_:Offset, L:Size/little, _/bits>> = Data,
    <<_:Offset, Ls:Size/little-signed, _/bits>> = Data,
    <<_:Offset, N:Size/native-unsigned, Rest/bits>> = Data,
    io:format("~w ~w ~w ~w ~w ~w ~w ~w~n", [Offset, Size, U, S, L, Ls, N, bit_size(Rest)]).

%% Sizes that the compiler knows, at every alignment, up to the last bit.
known(Offset, Data) ->
    Cut = fun(Bits) -> <<C:Bits/bits, _/bits>> = Data, C end,
    [io:format("~w ~w ~w ~w ~w ~w ~w ~w~n", [Offset, Bits, ints(Offset, B), signed(Offset, B), wide(Offset, B), texts(Offset, B), pieces(Offset, B), spans(Offset, B)])
     || Bits <- [0, 8, 30, 63, 64, 65, 72, 100, 128], B <- [Cut(Bits)]].

ints(O, D) -> case D of <<_:O, A:5, B:17, C:24/little, R/bits>> -> {A, B, C, R}; <<_:O, A:7, R/bits>> -> {A, R}; _ -> no end.
signed(O, D) -> case D of <<_:O, A:5/signed, B:16/little-signed, C:32/signed-little, R/bits>> -> {A, B, C, R}; <<_:O, A/signed, R/bits>> -> {A, R}; _ -> no end.
wide(O, D) -> case D of <<_:O, A:64, _/bits>> -> <<_:O, B:64/little, _/bits>> = D, <<_:O, C:64/signed, E:56/signed-little, R/bits>> = <<D/bits, 0:64>>, {A, B, C, E, R}; <<_:O, A:56, R/bits>> -> {A, R}; _ -> no end.
texts(O, D) -> case D of <<_:O, 16#DEAD:16, _/bits>> -> dead; <<_:O, 1:1, 6:3, _/bits>> -> six; <<_:O, "xyzxyzxyz", _/bits>> -> xyz; <<_:O, A/utf8, _/bits>> -> A; _ -> no end.
pieces(O, D) -> case D of <<_:O, A/float, R/binary>> -> {A, R}; <<_:O, R/binary>> -> R; _ -> no end.
spans(O, D) -> case D of <<_:O, N:3, A:N/binary, R/binary>> -> {N, A, R}; <<_:O, N:2, A:N/binary-unit:3, R/bits>> -> {N, A, R}; _ -> no end.

fixed(Data) ->
    ?S(begin <<A:8, B:16, C:32, D:64, _/binary>> = Data, {A, B, C, D} end),
    ?S(begin <<A:8/signed, B:16/signed, C:32/signed, D:64/signed, _/bits>> = Data, {A, B, C, D} end),
    ?S(begin <<A/little, B:16/little, C:32/little, D:64/little, _/bits>> = Data, {A, B, C, D} end),
    ?S(begin <<_:3, A:8, B:16, C:32, D:64/signed-little, _/bits>> = Data, {A, B, C, D} end),
    ?S(begin <<A:4, B:4, C:1, D:7, E:128/bits>> = <<Data/binary, 0:16>>, {A, B, C, D, E} end),
    ?S(begin <<A:128>> = Data, A end), ?S(begin <<A:128/signed-little>> = Data, A end), ?S(begin <<A:127, B:1>> = Data, {A, B} end).

floats() ->
    B = id(<<1.5/float, 2.5:32/float, -1.5:16/float, 3.25:64/little-float, 0.1:32/little-float>>),
    ?S(B), ?S(begin <<A/float, C:32/float, D:16/float, E:64/little-float, F:32/float-little>> = B, {A, C, D, E, F} end),
    ?S(case id(<<16#7FF0000000000000:64>>) of <<F/float>> -> F; _ -> no_float end),
    ?S(case id(<<16#7FF8000000000001:64>>) of <<F/float>> -> F; _ -> no_float end),
    ?S(case id(<<16#FF800000:32>>) of <<F:32/float>> -> F; _ -> no_float end),
    ?S(case id(<<16#7C00:16>>) of <<F:16/float>> -> F; _ -> no_float end),
    ?S(case id(<<1:3, 2.75/float, 1:5>>) of <<_:3, F/float, _:5>> -> F end),
    ?S(case id(<<0:40>>) of <<F:40/float>> -> F; _ -> no_float end), ?S(begin S = id(32), <<F:S/float, _/bits>> = <<2.0:32/float>>, F end),
    ?S(begin S = id(31), <<F:S/float, _/bits>> = <<2.0:32/float>>, F end), ?S(case id(<<16#0001:16>>) of <<F:16/float>> -> F end).

parts(Data) ->
    ?S(begin <<A:3/binary, B:5/bytes, C/binary>> = Data, {A, B, C} end),
    ?S(begin <<A:3/bits, B:5/bitstring, C/bits>> = Data, {A, B, C} end),
    ?S(begin <<_:1, A:2/binary, B/bits>> = Data, {A, B} end),
    ?S(case Data of <<_:1, A/binary>> -> A; _ -> not_bytes end),
    ?S(case Data of <<_:7, A:20/binary, _/bits>> -> A; _ -> too_short end),
    ?S(case Data of <<A:2/binary-unit:24, B/binary-unit:4>> -> {A, B} end),
    ?S(case <<Data/binary, 1:1>> of <<_/binary-unit:7>> -> x; <<B/binary-unit:3>> -> bit_size(B) end),
    ?S(case Data of <<_:16/binary>> -> exact end), ?S(case Data of <<_:15/binary>> -> exact; _ -> longer end),
    ?S(binary:referenced_byte_size(begin <<_:2/binary, B/binary>> = Data, B end)).

strings() ->
    ?S(case id(<<"GET /index.html HTTP/1.1\r\n">>) of <<"GET ", Path:11/binary, " HTTP/", V:3/binary, "\r\n">> -> {Path, V} end),
    ?S(case id(<<"PUT x">>) of <<"GET", _/binary>> -> get; <<"PUT", R/binary>> -> {put, R} end),
    ?S(case id(<<1:1, "abc", 1:1>>) of <<1:1, "abc", R/bits>> -> R end),
    ?S(case id(<<"ab">>) of <<"abc">> -> yes; _ -> no end), ?S(case id(<<"abc">>) of <<"abc">> -> yes end),
    ?S(case id(<<0, 1, 2>>) of <<0:8, 1:8, X>> -> X end), ?S(case id(<<16#FFFF:16>>) of <<-1:16/signed>> -> minus; _ -> other end).

sizes() ->
    ?S(begin <<N, B:N/binary, M:N/unit:4, R/bits>> = id(<<3, "abc", 16#123:12, 1:4>>), {N, B, M, R} end),
    ?S(begin <<N:16, B:(N * 2)/binary, _/binary>> = id(<<2:16, "abcdef">>), B end),
    ?S(case id(<<200, "abc">>) of <<N, B:N/binary>> -> B; _ -> short end),
    ?S(case id(<<3, "abc">>) of <<N, _:(N - 4)/binary, _/binary>> -> x; _ -> negative end),
    ?S(begin <<_:4, N:4, X:N, R/bits>> = id(<<16#05, 16#FF>>), {N, X, R} end).

alignment() ->
    [begin
         B = <<0:Pad, "hello world, this is aligned at ", Pad, 77:13>>,
         <<_:Pad, T:32/binary, P, X:13>> = B,
         ?S({T, P, X}),
         ?S(T =:= id(<<"hello world, this is aligned at ">>)),
         ?S(erlang:phash2(T)), ?S(byte_size(B)), ?S(bit_size(B))
     end || Pad <- lists:seq(0, 9)].

tails() ->
    ?S(case id(<<1, 2>>) of <<_, _>> -> two end), ?S(case id(<<1, 2:3>>) of <<_, R/binary>> -> {bin, R}; <<_, R/bits>> -> {bits, R} end),
    ?S(case id(<<>>) of <<>> -> empty end), ?S(case id(<<0:0>>) of <<_, _/bits>> -> x; <<_/bits>> -> none end),
    ?S(case id(<<1:1>>) of <<>> -> empty; <<X:1>> -> X end),
    ?S(case id(<<1, 2>>) of <<_, _:18446744073709551616/bits>> -> huge; <<_:18446744073709551616, _/bits>> -> huge; _ -> other end).

matching_twice(Data) ->
    <<A:8, Rest/binary>> = Data,
    ?S({A, first(Rest), first(Rest), second(Rest), byte_size(Rest)}),
    ?S(both(Data)), ?S(backtrack(<<1, 2, 3>>)), ?S(backtrack(<<1, 5, 3>>)), ?S(backtrack(<<9>>)).

first(<<X, _/binary>>) -> X.
second(<<_, X, _/binary>>) -> X.
both(<<X:16, _/binary>> = B) -> {X, byte_size(B)}.

backtrack(<<1, 2, X>>) -> {a, X};
backtrack(<<1, Y, 3>>) -> {b, Y};
backtrack(B) -> {c, B}.

units() ->
    ?S(begin <<X:2/integer-unit:13, _/bits>> = id(<<16#FFFF0000:32>>), X end),
    ?S(begin <<X:3/unit:8, Y:1/unit:8>> = id(<<1, 2, 3, 4>>), {X, Y} end),
    ?S(begin <<X:1/integer-unit:1, _/bits>> = id(<<255>>), X end).

packet(<<1, L, Body:L/binary, Rest/binary>>) -> {text, Body, Rest};
packet(<<2, N:16, M:32/little>>) -> {numbers, N, M};
packet(<<A:4, B:4, Flag:1>>) -> {odd, A, B, Flag};
packet(<<>>) -> empty;
packet(B) when is_bitstring(B) -> {unknown, B};
packet(_) -> no_binary.

sum(<<A:32/little, Rest/binary>>, Acc) -> sum(Rest, Acc + A);
sum(<<>>, Acc) -> Acc.

bits(<<B:1, Rest/bits>>, Acc) -> bits(Rest, [B | Acc]);
bits(<<>>, Acc) -> lists:reverse(Acc).

words(<<W:12, Rest/bits>>) -> [W | words(Rest)];
words(Rest) -> [Rest].

utf_like(B) -> fields(B, <<>>, []).
fields(<<$;, R/binary>>, Acc, Out) -> fields(R, <<>>, [Acc | Out]);
fields(<<C, R/binary>>, Acc, Out) -> fields(R, <<Acc/binary, C>>, Out);
fields(<<>>, <<>>, Out) -> lists:reverse(Out).

wrong() -> <<X:8>> = id(notbinary), X.

mismatch(B) -> <<1, X, _>> = B, X.

pascal(<<N, S:N/binary, R/binary>>) -> [S | pascal(R)];
pascal(<<>>) -> [].

var_units(B, N) ->
    case B of
        <<X:N/binary-unit:16, R/binary>> -> {X, R};
        _ -> no
    end.
