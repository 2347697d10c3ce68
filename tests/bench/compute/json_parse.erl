%% A JSON parser and printer over binaries: bit matching, maps, lists.
-module(json_parse).
-export([run/0]).

run() ->
    Text = iolist_to_binary(print(document(400))),
    lists:foldl(fun(_, _) -> {Value, <<>>} = value(Text), map_size(Value) + length(maps:get(<<"items">>, Value)) end,
                0, lists:seq(1, 12)),
    {Value, <<>>} = value(Text),
    erlang:md5(print(Value)).

document(N) ->
    #{<<"count">> => N,
      <<"items">> => [#{<<"id">> => I, <<"name">> => <<"item \"", (integer_to_binary(I))/binary, "\"">>,
                        <<"price">> => I / 4, <<"tags">> => [<<"red">>, <<"green">>, <<"blue">>],
                        <<"ok">> => I rem 2 =:= 0, <<"none">> => null}
                      || I <- lists:seq(1, N)]}.

value(<<C, R/binary>>) when C =:= $\s; C =:= $\n; C =:= $\t; C =:= $\r -> value(R);
value(<<"{", R/binary>>) -> object(space(R), []);
value(<<"[", R/binary>>) -> array(space(R), []);
value(<<"\"", R/binary>>) -> string(R, <<>>);
value(<<"true", R/binary>>) -> {true, R};
value(<<"false", R/binary>>) -> {false, R};
value(<<"null", R/binary>>) -> {null, R};
value(<<"-", R/binary>>) -> {N, R1} = number(R, 0), {-N, R1};
value(R) -> number(R, 0).

space(<<C, R/binary>>) when C =:= $\s; C =:= $\n; C =:= $\t; C =:= $\r -> space(R);
space(R) -> R.

object(<<"}", R/binary>>, Pairs) -> {maps:from_list(Pairs), R};
object(<<"\"", R/binary>>, Pairs) ->
    {Key, R1} = string(R, <<>>),
    <<":", R2/binary>> = space(R1),
    {Value, R3} = value(R2),
    case space(R3) of
        <<",", R4/binary>> -> object(space(R4), [{Key, Value} | Pairs]);
        R4 -> object(R4, [{Key, Value} | Pairs])
    end.

array(<<"]", R/binary>>, Values) -> {lists:reverse(Values), R};
array(R, Values) ->
    {Value, R1} = value(R),
    case space(R1) of
        <<",", R2/binary>> -> array(space(R2), [Value | Values]);
        R2 -> array(R2, [Value | Values])
    end.

string(<<"\"", R/binary>>, S) -> {S, R};
string(<<"\\", C, R/binary>>, S) -> string(R, <<S/binary, C>>);
string(<<C, R/binary>>, S) -> string(R, <<S/binary, C>>).

number(<<C, R/binary>>, N) when C >= $0, C =< $9 -> number(R, N * 10 + C - $0);
number(<<".", R/binary>>, N) -> fraction(R, N, 10);
number(R, N) -> {N, R}.

fraction(<<C, R/binary>>, N, Scale) when C >= $0, C =< $9 ->
    fraction(R, N + (C - $0) / Scale, Scale * 10);
fraction(R, N, _) -> {N, R}.

print(M) when is_map(M) ->
    [${, lists:join($,, [[print(K), $:, print(V)] || {K, V} <- lists:sort(maps:to_list(M))]), $}];
print(L) when is_list(L) -> [$[, lists:join($,, [print(V) || V <- L]), $]];
print(B) when is_binary(B) -> [$", << <<(quote(C))/binary>> || <<C>> <= B >>, $"];
print(I) when is_integer(I) -> integer_to_binary(I);
print(F) when is_float(F) -> float_to_binary(F, [{decimals, 2}]);
print(A) when is_atom(A) -> atom_to_binary(A).

quote($") -> <<"\\\"">>;
quote($\\) -> <<"\\\\">>;
quote(C) -> <<C>>.
