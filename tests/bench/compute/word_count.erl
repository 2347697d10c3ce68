%% Words of a text counted in a map of binaries, then sorted.
-module(word_count).
-export([run/0]).

run() ->
    Text = text(40_000, 7, []),
    Counts = count(Text, <<>>, #{}),
    {map_size(Counts), lists:sublist(lists:sort(fun by_count/2, maps:to_list(Counts)), 5)}.

by_count({W1, N1}, {W2, N2}) -> {-N1, W1} =< {-N2, W2}.

text(0, _, Words) -> iolist_to_binary(Words);
text(N, X, Words) ->
    Next = (X * 1103515245 + 12345) band 16#7fffffff,
    text(N - 1, Next, ["w", integer_to_list((Next bsr 8) rem 3000), " " | Words]).

count(<<>>, _, Counts) -> Counts;
count(<<" ", R/binary>>, Word, Counts) ->
    case Counts of
        #{Word := N} -> count(R, <<>>, Counts#{Word := N + 1});
        #{} -> count(R, <<>>, Counts#{Word => 1})
    end;
count(<<C, R/binary>>, Word, Counts) -> count(R, <<Word/binary, C>>, Counts).
