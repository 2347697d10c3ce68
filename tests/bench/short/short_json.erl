%% Reads a document, changes it, writes it: binaries, maps, recursion through a dozen functions.
-module(short_json).
-export([run/0]).

run() ->
    Text = iolist_to_binary(write([#{<<"id">> => N, <<"name">> => <<"row ", (integer_to_binary(N))/binary>>,
                                     <<"tags">> => [<<"a">>, <<"b">>, N rem 3 =:= 0], <<"at">> => N / 8}
                                   || N <- lists:seq(1, 20_000)])),
    {Rows, <<>>} = value(Text),
    erlang:md5(write([Row#{<<"seen">> => true} || Row <- Rows])).

value(<<$\s, R/binary>>) -> value(R);
value(<<"true", R/binary>>) -> {true, R};
value(<<"false", R/binary>>) -> {false, R};
value(<<$", R/binary>>) -> text(R, R, 0);
value(<<"[]", R/binary>>) -> {[], R};
value(<<$[, R/binary>>) -> list(R, []);
value(<<"{}", R/binary>>) -> {#{}, R};
value(<<${, R/binary>>) -> object(R, #{});
value(R) -> number(R, R, 0).

text(<<$", R/binary>>, Whole, N) -> {binary_part(Whole, 0, N), R};
text(<<_, R/binary>>, Whole, N) -> text(R, Whole, N + 1).

number(<<C, R/binary>>, Whole, N) when C >= $0, C =< $9; C =:= $.; C =:= $-; C =:= $e -> number(R, Whole, N + 1);
number(R, Whole, N) ->
    Text = binary_part(Whole, 0, N),
    {case binary:match(Text, <<".">>) of nomatch -> binary_to_integer(Text); _ -> binary_to_float(Text) end, R}.

list(R, Done) ->
    case value(R) of
        {V, <<$,, More/binary>>} -> list(More, [V | Done]);
        {V, <<$], More/binary>>} -> {lists:reverse(Done, [V]), More}
    end.

object(<<$", R/binary>>, Done) ->
    {K, <<$:, R1/binary>>} = text(R, R, 0),
    case value(R1) of
        {V, <<$,, More/binary>>} -> object(More, Done#{K => V});
        {V, <<$}, More/binary>>} -> {Done#{K => V}, More}
    end.

write(true) -> <<"true">>;
write(false) -> <<"false">>;
write(N) when is_integer(N) -> integer_to_binary(N);
write(F) when is_float(F) -> float_to_binary(F, [{decimals, 4}, compact]);
write(B) when is_binary(B) -> [$", B, $"];
write(L) when is_list(L) -> [$[, lists:join($,, [write(E) || E <- L]), $]];
write(M) -> [${, lists:join($,, [[write(K), $:, write(V)] || {K, V} <- lists:sort(maps:to_list(M))]), $}].
