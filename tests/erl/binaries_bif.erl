%% The functions on binaries: split, parts, search, copies, conversions, encodings.
-module(binaries_bif).
-export([main/1]).
-compile(no_copt).
-include("show.hrl").

main(_Args) ->
    many_needles(),
    B = id(<<"hello, world">>),
    ?S(byte_size(B)), ?S(bit_size(<<1:3>>)), ?S(byte_size(<<1:3>>)), ?S(byte_size(id(x))), ?S(size(B)), ?S(binary_part(B, 1, 3)), ?S(binary_part(B, {12, -5})),
    ?S(binary_part(B, 10, 5)), ?S(binary_part(B, -1, 1)), ?S(binary:part(B, 0, 0)), ?S(split_binary(B, 5)), ?S(split_binary(B, 13)), ?S(binary:at(B, 4)),
    ?S(binary:at(B, 12)), ?S(binary:first(B)), ?S(binary:last(B)), ?S(binary:first(<<>>)), ?S(binary:copy(<<"ab">>, 3)), ?S(binary:copy(<<"ab">>, 0)),
    ?S(binary:copy(<<"ab">>, -1)), ?S(binary:match(B, <<"o">>)), ?S(binary:match(B, [<<"wor">>, <<"lo">>])), ?S(binary:match(B, <<"z">>)), ?S(binary:match(B, <<>>)),
    ?S(binary:matches(B, <<"o">>)), ?S(binary:matches(<<"aaaa">>, <<"aa">>)), ?S(binary:matches(B, [<<"l">>, <<"ll">>])), ?S(binary:match(B, <<"l">>, [{scope, {5, 7}}])),
    ?S(binary:split(B, <<", ">>)), ?S(binary:split(<<"a,b,,c,">>, <<",">>, [global])), ?S(binary:split(<<"a,b,,c,">>, <<",">>, [global, trim])),
    ?S(binary:split(<<",a,,b,">>, <<",">>, [global, trim_all])), ?S(binary:split(B, [<<"x">>, <<"y">>])), ?S(binary:replace(B, <<"l">>, <<"L">>, [global])),
    ?S(binary:replace(B, <<"l">>, <<"[]">>, [global, {insert_replaced, 1}])), ?S(binary:longest_common_prefix([<<"abcd">>, <<"abx">>])),
    ?S(binary:longest_common_suffix([<<"xbcd">>, <<"ybcd">>])), ?S(binary:compile_pattern(<<>>)), ?S(binary:matches(B, binary:compile_pattern([<<"he">>, <<"ld">>]))),
    ?S(binary:decode_unsigned(<<1, 0, 0, 0, 0, 0, 0, 0, 5>>)), ?S(binary:decode_unsigned(<<1, 2>>, little)), ?S(binary:encode_unsigned(1 bsl 72)),
    ?S(binary:encode_unsigned(258, little)), ?S(binary:encode_unsigned(-1)), ?S(binary:bin_to_list(B, 1, 3)), ?S(binary:bin_to_list(B, {5, -2})), ?S(binary:list_to_bin([1, 2, "x"])),
    ?S(binary:encode_hex(<<"abc", 255>>)), ?S(binary:decode_hex(<<"6162FF">>)), ?S(binary:decode_hex(<<"6g">>)), ?S(binary_to_list(B)), ?S(binary_to_list(B, 2, 4)),
    ?S(binary_to_list(B, 0, 1)), ?S(bitstring_to_list(<<1, 2:3>>)), ?S(list_to_binary([1, [2, <<3>>], "abc" | <<4>>])), ?S(list_to_binary([256])), ?S(list_to_binary([a])),
    ?S(list_to_binary(<<"x">>)), ?S(list_to_bitstring([1, <<2:3>>])), ?S(iolist_to_binary(["a", [<<"b">>], $c])), ?S(iolist_to_binary(<<"x">>)), ?S(iolist_to_binary(a)), ?S(iolist_size(["abc", <<1, 2>>, [[]]])),
    ?S(iolist_size([-1])), ?S(list_to_binary(["a" | b])), ?S(binary_to_atom(<<"żółw"/utf8>>)), ?S(binary_to_atom(<<255>>, utf8)), ?S(binary_to_atom(<<255>>, latin1)),
    ?S(binary_to_existing_atom(<<"no_such_atom_", "at_all_42">>)), ?S(binary_to_existing_atom(<<"lists">>)), ?S(atom_to_binary('żółw')), ?S(atom_to_binary('żółw', latin1)),
    ?S(atom_to_binary(é, latin1)), ?S(atom_to_list('żółw')), ?S(list_to_atom([380, 243])), ?S(list_to_atom(lists:duplicate(256, $a))), ?S(length(atom_to_list(list_to_atom(lists:duplicate(255, $ż))))),
    ?S(integer_to_binary(-255, 16)), ?S(binary_to_integer(<<"-00ff">>, 16)), ?S(binary_to_integer(<<>>)), ?S(binary_to_float(<<"1.5">>)), ?S(binary_to_term(<<131, 97, 5>>)), ?S(binary_to_term(<<1, 2>>)),
    sub_binaries(), large(), ?S(erlang:crc32(B)), ?S(erlang:crc32([<<"hel">>, "lo", $,, " world"])), ?S(erlang:adler32(B)), ?S(erlang:crc32(1, B)), ?S(erlang:crc32_combine(1, 2, 3)),
    sums_of_nothing(),
    ?S(erlang:md5(B)), ?S(erlang:md5_final(erlang:md5_update(erlang:md5_init(), ["hello", <<", world">>]))), ?S(erlang:external_size(B)).

%% A sum is reduced by whatever is added, if it is a binary: an empty one, too.
sums_of_nothing() ->
    Nothing = [<<>>, [], [<<>>], [[]], [<<>>, <<>>], [[], [<<>>]], binary:part(<<"abc">>, 1, 0)],
    ?S([{X, Sum, erlang:adler32(Sum, X), erlang:crc32(Sum, X)} || X <- Nothing, Sum <- [0, 1, 65535, 1114111, 4294967295]]),
    ?S([erlang:adler32_combine(A, C, N) || A <- [1, 65535, 4294967295], C <- [0, 65535, 4294967295], N <- [0, 1, 65521]]),
    ?S([erlang:md5(X) || X <- Nothing]).

sub_binaries() ->
    Big = binary:copy(<<"0123456789">>, 100),
    <<_:5, Bits:50/bits, _/bits>> = Big,
    Part = binary:part(Big, 3, 500),
    ?S(Bits), ?S(erlang:phash2(Part)), ?S(binary:part(Part, 490, 10)), ?S(binary:copy(Bits)), ?S(Bits =:= binary_to_term(term_to_binary(Bits))),
    ?S(binary:referenced_byte_size(Part)), ?S(binary:referenced_byte_size(binary:copy(Part))), ?S(binary:match(Part, <<"789012">>)), ?S(list_to_bitstring([Bits, Bits])).

large() ->
    Big = binary:copy(<<1>>, 1000000),
    ?S(byte_size(<<Big/binary, Big/binary>>)), ?S(lists:sum(binary_to_list(Big))), ?S(byte_size(iolist_to_binary([Big, [Big | Big]]))),
    ?S(length(binary:matches(Big, <<1, 1>>))), ?S(erlang:md5(Big)), ?S(erlang:crc32(Big)), ?S(erlang:phash2(Big)), ?S(binary:match(Big, <<2>>)).

%% Several needles: found as if each place was tried, also in long binaries with many and with few of them.
many_needles() ->
    Needles = [[<<" ">>, <<",">>], [<<"ab">>, <<"abc">>, <<"b">>], [<<"zz">>, <<"yx">>, <<"zzz">>], [<<"qqq">>, <<"a,b">>]],
    Texts = [iolist_to_binary(lists:duplicate(N, T)) || T <- ["abc, d", "zzyxab,b ", "nothing", "a"], N <- [0, 1, 2, 50, 400]],
    [begin
         Found = binary:matches(T, Ns),
         Found = tried(T, Ns, 0),
         io:format("~w ~w ~w~n", [byte_size(T), length(Found), erlang:phash2({Found, binary:match(T, Ns), binary:split(T, Ns, [global]), binary:split(T, Ns, [global, trim_all]), binary:replace(T, Ns, <<"-">>, [global])})])
     end || T <- Texts, Ns <- Needles].
tried(T, Ns, At) when At < byte_size(T) ->
    case lists:max([0 | [N || B <- Ns, N <- [byte_size(B)], At + N =< byte_size(T), binary:part(T, At, N) =:= B]]) of
        0 -> tried(T, Ns, At + 1);
        N -> [{At, N} | tried(T, Ns, At + N)]
    end;
tried(_, _, _) -> [].
