%% since: 29
%% is_integer/3 in guards (the instruction bif3) and as a function.
-module(integer_ranges).
-export([main/0, main/1]).

main(_) -> main().

main() ->
    Values = [0, 1, 5, 9, 10, -1, 1 bsl 70, -(1 bsl 70), 5.0, a, [], {}, <<5>>, #{}],
    Bounds = [{0, 9}, {9, 0}, {5, 5}, {-(1 bsl 80), 1 bsl 80}, {1 bsl 64, 1 bsl 80}, {0, 9.5}, {a, 9}],
    [io:format("~p: ~p~n", [B, [in_guard(V, L, H) || V <- Values]]) || {L, H} = B <- Bounds],
    [io:format("~p: ~p~n", [B, [called(V, L, H) || V <- Values]]) || {L, H} = B <- Bounds],
    io:format("~p~n", [[digit(C) || C <- "a0 9:/" ++ [1 bsl 65, x]]]),
    io:format("~p~n", [lists:sum([native(K) || K <- lists:seq(1, 20000)])]).

in_guard(V, L, H) when is_integer(V, L, H) -> true;
in_guard(_, _, _) -> false.

called(V, L, H) ->
    try erlang:is_integer(V, L, H) catch C:R -> {C, R} end.

digit(C) when is_integer(C, $0, $9) -> C - $0;
digit(_) -> none.

native(K) when is_integer(K, 100, 200) -> 1;
native(K) when is_integer(K, 19000, 1 bsl 70) -> 2;
native(_) -> 0.
