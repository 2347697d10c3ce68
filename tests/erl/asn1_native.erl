%% What modules compiled by asn1 have done natively: tag, length and value of BER, bits of PER.
-module(asn1_native).
-export([main/1]).

main(_) ->
    ber(), broken(), deep(), refused(), per(), random().

ber() ->
    [encoded(T) || T <- terms()],
    it(lists, fun() -> asn1rt_nif:decode_ber_tlv([4, [2, <<"ab">>], <<"rest">>]) end),
    it(empty, fun() -> asn1rt_nif:decode_ber_tlv(<<>>) end),
    it(indefinite, fun() -> asn1rt_nif:decode_ber_tlv(<<16#30, 16#80, 4, 1, $a, 16#30, 16#80, 0, 0, 0, 0, 7>>) end),
    it(long_length, fun() -> asn1rt_nif:decode_ber_tlv(<<4, 16#84, 0, 0, 0, 2, "ab">>) end).

terms() ->
    [{4, <<"abc">>}, {4, <<>>}, {16, []}, {16, [{2, <<5>>}, {4, <<"x">>}]}, {16, [{17, [{16, []}, {2, <<1>>}]}, {4, <<>>}]},
     {4, binary:copy(<<7>>, 127)}, {4, binary:copy(<<7>>, 128)}, {4, binary:copy(<<7>>, 70000)},
     {16, [{4, binary:copy(<<I>>, I)} || I <- lists:seq(1, 60)]}, {30, <<1>>}, {31, <<1>>}, {127, <<1>>}, {128, <<1>>}, {16383, <<1>>},
     {16384, <<1>>}, {65535, <<1>>}] ++ [{C bsl 16 bor N, V} || C <- [0, 1, 2, 3, 4], N <- [0, 5, 31, 200], V <- [<<2>>, [{1, <<0>>}]]].

encoded(T) ->
    B = asn1rt_nif:encode_ber_tlv(T),
    R = (catch asn1rt_nif:decode_ber_tlv(<<B/binary, 1, 2>>)),
    io:format("~p ~p ~p~n", [byte_size(B), erlang:phash2(B), {R =:= {T, <<1, 2>>}, erlang:phash2(R)}]).

broken() ->
    B = asn1rt_nif:encode_ber_tlv({16, [{200, <<"abc">>}, {16, [{1, binary:copy(<<1>>, 200)}]}, {65536 + 300, [{2, <<>>}]}]}),
    [io:format("~p: ~p~n", [N, short(catch asn1rt_nif:decode_ber_tlv(binary:part(B, 0, N)))])
     || N <- lists:seq(0, 20) ++ lists:seq(byte_size(B) - 8, byte_size(B))],
    [io:format("~w: ~p~n", [X, catch asn1rt_nif:decode_ber_tlv(X)])
     || X <- [<<16#1f, 16#81, 16#81, 1, 0>>, <<16#1f, 16#81, 1, 0>>, <<16#1f, 5, 0>>, <<16#1f, 5>>, <<4, 16#80, 0, 0>>, <<16#30, 16#80, 0>>,
              <<16#30, 16#80, 0, 1, 0>>, <<4, 16#85, 1, 0, 0, 0, 0>>, <<4, 16#85, 0, 0, 0, 0, 1, 9>>, <<4, 16#ff, 1>>, <<16#30, 3, 4, 5, 1>>, <<16#30, 1, 4>>]].

short({{T, _}, Rest}) -> {T, Rest};
short(Other) -> Other.

deep() ->
    Nested = fun(N) -> [[<<16#30, 16#80>> || _ <- lists:seq(1, N)], [<<0, 0>> || _ <- lists:seq(1, N)]] end,
    [io:format("~p ~p~n", [N, erlang:phash2(catch asn1rt_nif:decode_ber_tlv(Nested(N)))]) || N <- [1, 10, 100, 500]],
    it(too_deep, fun() -> asn1rt_nif:decode_ber_tlv(Nested(20000)) end),
    T = lists:foldl(fun(_, A) -> {16, [A, {2, <<1>>}]} end, {4, <<"in">>}, lists:seq(1, 400)),
    io:format("~p~n", [asn1rt_nif:decode_ber_tlv(asn1rt_nif:encode_ber_tlv(T)) =:= {T, <<>>}]).

refused() ->
    [io:format("~p: ~p~n", [T, catch asn1rt_nif:encode_ber_tlv(T)])
     || T <- [x, {4, x}, {x, <<1>>}, {-1, <<1>>}, {1 bsl 32, <<1>>}, {4, <<1:3>>}, {16, [x]}, {16, [{4, <<1>>} | x]}, {16, [{4, <<1>>}, {4, 5}]},
              {4.0, <<1>>}, {16, [[]]}, {4, <<1>>, more}, #{}]],
    [it(T, fun() -> asn1rt_nif:decode_ber_tlv(T) end) || T <- [x, {1, 2}, [300], <<1:3>>, [4, 0 | x], 5]],
    [it(T, fun() -> show:id(asn1rt_nif:encode_per_complete(T)) end) || T <- [x, [300], 5, <<1:3>>]].

per() ->
    [it(T, fun() -> show:id(asn1rt_nif:encode_per_complete(T)) end) || T <- codes()].

codes() ->
    [[], <<>>, [0], [1], [2], [1, 2], [1, 0, 1, 1, 0, 0, 0, 1], [1, 0, 1, 1, 0, 0, 0, 1, 1], [10, 3, 5, 1], [10, 8, 255], [1, 10, 8, 129, 10, 1, 1],
     [1, 20, 2, 255, 1], [20, 0], [1, [20, 3, <<"abc">>], 1], [1, 21, 1, 0, binary:copy(<<5>>, 256), 1], [30, 0, 2, "ab"], [1, 30, 3, 2, $a, 16#f8, 1],
     [1, 1, 1, 1, 1, 1, 30, 3, 1, 16#f8, 1], [30, 3, 1, 16#f8, 0, 0, 0, 1], [1, 31, 2, 1, 0, binary:copy(<<16#54>>, 256), 1],
     [40, 5, 3, 1, 0, 1, 1], [40, 3, 5, 1, 0, 1, 1, 1, 1], [40, 3, 3, 1, 1, 1], [1, 41, 9, 0, 2, 1, 1, 1], [42, 1, 0, 3, 1, 0, 1, 1], [43, 0, 20, 0, 3, 1, 1, 1, 1],
     [45, 16, 2, "ab"], [45, 11, 2, "ab", 1], [1, 45, 24, 2, "ab", 1], [46, 0, 24, 2, "ab", 1], [1, 47, 0, 15, 0, 2, "ab", 1],
     [3], [44, 1, 1, 1], [99], [40, 2, 2, 5, 1], [2, 2, 2], [1, 2, 2, 1, 2, 2], [10, 7, 100, 2, 20, 1, 9, 1]].

%% Sequences of codes as encoders make them; damaged BER.
random() ->
    rand:seed(exsss, {1, 2, 3}),
    Per = [asn1rt_nif:encode_per_complete([code(rand:uniform(9)) || _ <- lists:seq(1, rand:uniform(12))]) || _ <- lists:seq(1, 2000)],
    io:format("per ~p ~p~n", [iolist_size(Per), erlang:phash2(Per)]),
    Ber = [damaged() || _ <- lists:seq(1, 3000)],
    io:format("ber ~p ~p~n", [length([ok || {{_, _}, <<_/binary>>} <- Ber]), erlang:phash2(Ber)]).

code(1) -> 0;
code(2) -> 1;
code(3) -> 2;
code(4) -> N = rand:uniform(8), [10, N, rand:uniform(1 bsl N) - 1];
code(5) -> [20, counted(rand:uniform(5))];
code(6) -> U = rand:uniform(8) - 1, [30, U, 3, 7, 9, (rand:uniform(256) - 1) band (255 bsl U)];
code(7) -> [40, rand:uniform(20), 4, [rand:uniform(2) - 1 || _ <- lists:seq(1, 4)]];
code(8) -> [45, 24 + rand:uniform(20), counted(3)];
code(9) -> [45, 16 + rand:uniform(7), 3, 1, 2, 16#80].

counted(N) -> [N, [rand:uniform(256) - 1 || _ <- lists:seq(1, N)]].

damaged() ->
    B = asn1rt_nif:encode_ber_tlv(term(4)),
    {L, <<_, R/binary>>} = split_binary(B, rand:uniform(byte_size(B)) - 1),
    catch asn1rt_nif:decode_ber_tlv([L, rand:uniform(256) - 1, R]).

term(0) -> {rand:uniform(40), <<1, 2>>};
term(N) ->
    case rand:uniform(3) of
        1 -> term(0);
        _ -> {16, [term(N - 1) || _ <- lists:seq(1, rand:uniform(4) - 1)]}
    end.

it(What, Fun) -> show:is(io_lib:format("~0p", [What]), Fun).
