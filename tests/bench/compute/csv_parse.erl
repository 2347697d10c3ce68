%% A CSV parser that cuts sub-binaries, with quoted fields, and sums columns.
-module(csv_parse).
-export([run/0]).

run() ->
    Text = iolist_to_binary([line(N) || N <- lists:seq(1, 4000)]),
    [Result | _] = [sums(rows(Text, [])) || _ <- [1, 2, 3, 4]],
    Result.

line(N) ->
    [integer_to_binary(N), ",name ", integer_to_binary(N * 7), ",\"a, quoted \"\"field\"\" here\",",
     integer_to_binary(N rem 13), ",plain text that is longer\n"].

rows(<<>>, Rows) -> Rows;
rows(Text, Rows) ->
    {Row, Rest} = row(Text, []),
    rows(Rest, [Row | Rows]).

row(<<"\"", R/binary>>, Fields) -> quoted(R, <<>>, Fields);
row(R, Fields) -> plain(R, 0, R, Fields).

plain(<<C, R/binary>>, N, Start, Fields) when C =/= $,, C =/= $\n -> plain(R, N + 1, Start, Fields);
plain(<<C, R/binary>>, N, Start, Fields) ->
    <<Field:N/binary, _/binary>> = Start,
    next(C, R, [Field | Fields]).

quoted(<<"\"\"", R/binary>>, Acc, Fields) -> quoted(R, <<Acc/binary, "\"">>, Fields);
quoted(<<"\"", C, R/binary>>, Acc, Fields) -> next(C, R, [Acc | Fields]);
quoted(<<C, R/binary>>, Acc, Fields) -> quoted(R, <<Acc/binary, C>>, Fields).

next($,, R, Fields) -> row(R, Fields);
next($\n, R, Fields) -> {lists:reverse(Fields), R}.

sums(Rows) ->
    lists:foldl(fun([Id, Name, Quoted, Small, _], {A, B, C}) ->
                    {A + binary_to_integer(Id), B + binary_to_integer(Small),
                     C + byte_size(Name) + byte_size(Quoted)}
                end, {0, 0, 0}, Rows).
