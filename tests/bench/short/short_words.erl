%% A tool for text: the words of its own README and those of a longer text, counted and printed as a table.
-module(short_words).
-export([run/0]).

run() ->
    Text = iolist_to_binary([[integer_to_list(N * N rem 977), $\s, lists:nth(N rem 7 + 1, words()), $\n] || N <- lists:seq(1, 60_000)]),
    Counts = lists:foldl(fun(W, Counts) -> maps:update_with(string:lowercase(W), fun(N) -> N + 1 end, 1, Counts) end,
                         #{}, string:lexemes(Text, " \n")),
    Rows = lists:sublist(lists:sort(fun({A, N}, {B, M}) -> {-N, A} =< {-M, B} end, maps:to_list(Counts)), 20),
    iolist_to_binary([io_lib:format("~-12s ~6w~n", [W, N]) || {W, N} <- Rows]).

words() -> ["Whitebeam", "Rowan", "SERVICE tree", "Aria", "edulis Aria", "torminalis", "Sorbus"].
