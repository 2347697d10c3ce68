%% utf8, utf16, utf32 segments: matching, skipping, building; valid and broken.
-ifndef(OLD_COMPILER).
-module(bs_utf).
-endif.
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    Points = [0, $a, 127, 128, 16#7FF, 16#800, 16#D7FF, 16#E000, 16#FFFD, 16#FFFF, 16#10000, 16#10FFFF],
    [begin
         B8 = <<P/utf8>>, B16 = <<P/utf16>>, L16 = <<P/utf16-little>>, B32 = <<P/utf32>>, L32 = <<P/utf32-little>>,
         <<P/utf8>> = B8, <<P/utf16>> = B16, <<P/utf16-little>> = L16, <<P/utf32>> = B32, <<P/utf32-little>> = L32,
         <<Q/utf8, R/utf16, 1:1>> = <<B8/binary, B16/binary, 1:1>>,
         io:format("~w ~w ~w ~w ~w ~w ~w~n", [P, B8, B16, L16, B32, L32, {Q, R}])
     end || P <- Points],
    Broken = [<<128>>, <<192, 128>>, <<193, 191>>, <<224, 128, 128>>, <<237, 160, 128>>, <<240, 128, 128, 128>>, <<244, 144, 128, 128>>,
              <<245, 128, 128, 128>>, <<226, 130>>, <<226, 40, 161>>, <<16#D8, 0>>, <<16#DC, 0, 16#D8, 0>>, <<16#D8, 0, 0, 65>>,
              <<0, 17, 0, 0>>, <<0, 0, 216, 0>>, <<255, 255, 255, 255>>, <<0>>, <<>>, <<1:5>>, <<"abc">>, <<65:8, 1:1>>],
    [io:format("~w: ~w ~w ~w ~w ~w~n", [B, one8(B), one16(B), one16l(B), one32(B), skip(B)]) || B <- Broken],
    Text = id(<<"zażółć gęślą jaźń €𐍈"/utf8>>),
    ?S(codepoints(Text)), ?S(length(codepoints(Text))), ?S(<< <<C/utf16>> || <<C/utf8>> <= Text >>), ?S(<< <<C/utf32-little>> || <<C/utf8>> <= <<"ab€"/utf8>> >>),
    ?S(skip_chars(Text, 10)), ?S(unaligned(<<1:3, Text/binary>>)), ?S(<<(id(16#20AC))/utf8, (id($x))/utf16, (id($y))/utf32>>),
    ?S(<<(id(16#DFFF))/utf8>>), ?S(<<(id(16#110000))/utf8>>), ?S(<<(id(-5))/utf16>>), ?S(<<(id(x))/utf8>>), ?S(<<1:1, (id(16#20AC))/utf8>>),
    ?S(upper(<<"straße"/utf8>>)), ?S(guarded(<<"é"/utf8>>)), ?S(guarded(<<"e">>)),
    [io:format("~w ~w~n", [Lead, erlang:phash2([decoded(B) || B <- led_by(Lead)])]) || Lead <- [0, 127, 128, 191, 192, 193, 194, 223, 224, 225, 236, 237, 238, 239, 240, 241, 243, 244, 245, 247, 248, 255]].

one8(<<C/utf8, R/bits>>) -> {C, R};
one8(_) -> no.
one16(<<C/utf16, R/bits>>) -> {C, R};
one16(_) -> no.
one16l(<<C/utf16-little, R/bits>>) -> {C, R};
one16l(_) -> no.
one32(<<C/utf32, R/bits>>) -> {C, R};
one32(_) -> no.

skip(B) ->
    {case B of <<_/utf8, R/bits>> -> R; _ -> no end, case B of <<_/utf16, R/bits>> -> R; _ -> no end,
     case B of <<_/utf32, R/bits>> -> R; _ -> no end}.

codepoints(<<C/utf8, R/binary>>) -> [C | codepoints(R)];
codepoints(<<>>) -> [].

skip_chars(B, 0) -> B;
skip_chars(<<_/utf8, R/binary>>, N) -> skip_chars(R, N - 1).

unaligned(<<_:3, R/bits>>) -> unaligned2(R).
unaligned2(<<C/utf8, R/bits>>) -> C + unaligned2(R);
unaligned2(<<>>) -> 0.

upper(B) -> << <<(if C >= $a, C =< $z -> C - 32; true -> C end)/utf8>> || <<C/utf8>> <= B >>.

guarded(<<C/utf8>>) when C > 127 -> wide;
guarded(<<_/utf8>>) -> ascii.

%% Every kind of lead byte, before bytes that may follow it and bytes that may not, all there and cut short.
led_by(Lead) ->
    Next = [65, 127, 128, 143, 144, 159, 160, 191, 192],
    [binary:part(B, 0, N) || X <- Next, Y <- Next, Z <- [128, 192], N <- [1, 2, 3, 4], B <- [<<Lead, X, Y, Z>>]].
decoded(B) -> {one8(B), skip(B), one8(within(B)), unicode:characters_to_list(B)}.
within(B) -> <<_:3, C:(byte_size(B))/binary, _/bits>> = id(<<1:3, B/binary, 1:5>>), C.
