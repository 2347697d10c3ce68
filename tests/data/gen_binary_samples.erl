%% Calls of BIFs on binaries, characters, regular expressions and packets, and what OTP makes of
%% them: module, function, arguments, ok|error, value|reason (external format, hex). The calls are
%% those of binary_calls.txt (written by hand, the edges) and random ones.
-module(gen_binary_samples).
-export([main/1]).

main([File]) ->
    rand:seed(exsss, {2, 5, 25}),
    {ok, Text} = file:read_file(File),
    Written = [parsed(unicode:characters_to_list(L))
               || L <- binary:split(Text, <<"\n">>, [global, trim_all])],
    Random = [call(rand:uniform(14)) || _ <- lists:seq(1, 2500)],
    io:put_chars(lists:usort([line(C) || C <- Written ++ Random])).

parsed(Source) ->
    {ok, Tokens, _} = erl_scan:string(Source ++ "."),
    {ok, [{call, _, {remote, _, {atom, _, M}, {atom, _, F}}, Args}]} = erl_parse:parse_exprs(Tokens),
    {M, F, [begin {value, V, _} = erl_eval:expr(A, []), V end || A <- Args]}.

line({M, F, Args}) ->
    case try {"ok", apply(M, F, Args)} catch error:R -> {"error", R} end of
        {_, {ok, {re_pattern, _, _, _, _}}} -> [];  % its binary is each VM's own
        {Outcome, Value} ->
            io_lib:format("~s\t~s\t~s\t~s\t~s~n", [M, F, hex(Args), Outcome, hex(Value)])
    end.

hex(T) -> [io_lib:format("~2.16.0b", [B]) || <<B>> <= term_to_binary(T)].

call(1) -> {binary, matches, [letters(30), needles()]};
call(2) -> {binary, matches, [letters(30), needles(), [{scope, {int(30), int(20) - 10}}]]};
call(3) -> {binary, split, [letters(30), needles(), options([global, trim, trim_all])]};
call(4) -> {binary, match, [letters(30), needles()]};
call(5) -> {erlang, iolist_to_binary, [iolist(4)]};
call(6) -> {erlang, list_to_bitstring, [bitlist(4)]};
call(7) -> {unicode, characters_to_list, [chardata(4), pick([utf8, unicode, latin1])]};
call(8) -> {unicode, characters_to_binary, [chardata(4), pick([utf8, unicode, latin1])]};
call(9) -> {erlang, binary_part, [letters(10), int(12), int(14) - 7]};
call(10) -> {erlang, binary_to_term, [damaged(term_to_binary(iolist(3)))]};
call(11) -> {erlang, bitstring_to_list, [bits()]};
call(12) -> {erlang, binary_to_list, [bits(), int(5), int(5)]};
call(13) -> {erlang, split_binary, [bits(), int(5)]};
call(14) -> {re, run, [letters(20), regex(3), [{capture, all, pick([index, list, binary])},
                                               {offset, int(3) - 1}]]}.

int(N) -> rand:uniform(N).
pick(L) -> lists:nth(rand:uniform(length(L)), L).
some(N, F) -> [F() || _ <- lists:seq(1, rand:uniform(N + 1) - 1)].
letters(N) -> list_to_binary([some(N, fun() -> pick("abc") end), "abc"]).
needles() -> pick([letter_string(), [letter_string() || _ <- lists:seq(1, int(4))]]).
letter_string() -> list_to_binary([pick("abc") || _ <- lists:seq(1, int(4))]).
options(L) -> [O || O <- L, int(2) =:= 1].
bits() -> N = int(40), <<(rand:uniform(1 bsl 40)):N>>.

iolist(0) -> pick([[], 1, 200, <<>>, <<"ab">>, [3]]);
iolist(D) -> nested(fun() -> iolist(D - 1) end, pick([[] || _ <- lists:seq(1, 30)] ++ [<<"t">>, 5])).
bitlist(0) -> pick([[], 1, <<1:3>>, <<5:1>>, <<"ab">>, bits()]);
bitlist(D) -> nested(fun() -> bitlist(D - 1) end, pick([[], [], <<3:2>>])).
nested(F, Tail) -> lists:foldr(fun(E, L) -> [E | L] end, Tail, some(4, F)).

chardata(0) -> pick([[], $a, 255, 256, 8364, 16#1F600, fragment(), fragment(), fragment(), $b,
                     pick([16#D800, 16#110000, -1, $x, $y, $z])]);
chardata(D) -> nested(fun() -> chardata(D - 1) end, pick([[], [], [], [], fragment()])).
%% Pieces of characters that may go on in the next piece.
fragment() ->
    B = unicode:characters_to_binary([pick([$a, 229, 8364, 16#1F600]) || _ <- lists:seq(1, int(2))]),
    From = pick([0, 0, 0, 1, 2]),
    binary:part(B, min(From, byte_size(B)), max(0, byte_size(B) - From - pick([0, 0, 0, 1, 2]))).

damaged(B) ->
    At = rand:uniform(byte_size(B)) - 1,
    <<Before:At/binary, X, After/binary>> = B,
    case int(3) of
        1 -> B;
        2 -> Before;
        3 -> <<Before/binary, (X bxor (1 bsl (int(8) - 1))), After/binary>>
    end.

regex(0) -> pick(["a", "b", "c", ".", "[ab]", "[^a]", "^", "$", "\\b", "x"]);
regex(D) ->
    A = regex(D - 1), B = regex(D - 1),
    pick([A ++ B, A ++ "|" ++ B, "(" ++ A ++ ")" ++ B, "(?:" ++ A ++ ")*", "(" ++ A ++ ")?" ++ B,
          "(?:" ++ A ++ "){1,2}" ++ B, "(?=" ++ A ++ ")" ++ B, A ++ "(?!" ++ B ++ ")"]).
