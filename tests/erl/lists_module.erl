%% The lists module: sorting in all its forms, folds, searches, zips.
%% skip gc-stress: 20,000 elements, each a collection; lists_core covers the instructions
-module(lists_module).
-export([main/1]).
-compile(no_copt).
-include("show.hrl").

main(_Args) ->
    L = id([5, 3, 8, 1, 9, 2, 7]), KV = id([{b, 2}, {a, 1}, {c, 3}, {a, 0}]),
    ?S(lists:sort(L)), ?S(lists:sort(fun(A, B) -> A > B end, L)), ?S(lists:usort([3, 1, 3, 2, 1])), ?S(lists:keysort(1, KV)), ?S(lists:ukeysort(1, KV)), ?S(lists:keysort(2, KV)), ?S(lists:merge([1, 3, 5], [2, 4])),
    ?S(lists:umerge([[1, 3], [1, 2], [2, 5]])), ?S(lists:keymerge(1, [{a, 1}], [{b, 2}])), ?S(lists:reverse(lists:sort(L))), ?S(lists:max(L)), ?S(lists:min([])), ?S(lists:sum(L)), ?S(lists:nth(3, L)), ?S(lists:nthtail(5, L)),
    ?S(lists:split(3, L)), ?S(lists:split(30, L)), ?S(lists:splitwith(fun(X) -> X > 2 end, L)), ?S(lists:partition(fun(X) -> X rem 2 =:= 0 end, L)), ?S(lists:takewhile(fun(X) -> X > 2 end, L)), ?S(lists:dropwhile(fun(X) -> X > 2 end, L)),
    ?S(lists:flatten([1, [2, [3, [], "ab"]]])), ?S(lists:flatlength([[1], [[2]]])), ?S(lists:append([[1], [2], []])), ?S(lists:concat([a, 1, "b", 2.5])), ?S(lists:seq(1, 10, 3)), ?S(lists:seq(5, 1, -2)), ?S(lists:seq(5, 1)), ?S(lists:seq(1, 0)),
    ?S(lists:zip([1, 2], [a, b])), ?S(lists:zip([1], [a, b])), ?S(lists:unzip([{1, a}, {2, b}])), ?S(lists:zip3([1], [2], [3])), ?S(lists:zipwith(fun(A, B) -> A * B end, [1, 2], [3, 4])), ?S(lists:foldl(fun(X, A) -> [X | A] end, [], L)), ?S(lists:foldr(fun(X, A) -> [X | A] end, [], L)),
    ?S(lists:mapfoldl(fun(X, A) -> {X * 2, A + X} end, 0, L)), ?S(lists:mapfoldr(fun(X, A) -> {X, [X | A]} end, [], [1, 2])), ?S(lists:filtermap(fun(X) -> case X > 5 of true -> {true, X * 10}; false -> false end end, L)), ?S(lists:all(fun is_integer/1, L)), ?S(lists:any(fun is_atom/1, L)),
    ?S(lists:delete(8, L)), ?S(lists:subtract(L, [5, 9])), ?S(lists:duplicate(3, x)), ?S(lists:last(L)), ?S(lists:droplast(L)), ?S(lists:prefix("ab", "abc")), ?S(lists:suffix("bc", "abc")), ?S(lists:sublist(L, 2, 3)), ?S(lists:sublist(L, 100)), ?S(lists:search(fun(X) -> X > 7 end, L)),
    ?S(lists:keystore(a, 1, KV, {a, new})), ?S(lists:keyreplace(c, 1, KV, {d, 4})), ?S(lists:keydelete(b, 1, KV)), ?S(lists:keytake(b, 1, KV)), ?S(lists:keymap(fun(X) -> X + 1 end, 2, KV)), ?S(lists:uniq([a, b, a])), ?S(lists:enumerate([a, b])), ?S(lists:join(x, [1, 2, 3])), ?S(lists:flatmap(fun(X) -> [X, X] end, [1, 2])),
    ?S(lists:sort(sample_terms:values() -- sample_terms:funs()) =:= lists:sort(lists:reverse(sample_terms:values() -- sample_terms:funs()))), ?S(lists:map(fun(X) -> X end, x)), ?S(lists:nth(0, [1])), ?S(lists:sort(x)), ?S(lists:keysort(1, [a])), ?S(lists:sort([a | b])), ?S(lists:foldl(x, 0, [1])), ?S(lists:zf(fun(X) -> X > 5 end, L)),
    random(), stable().

random() ->
    {L, _} = lists:mapfoldl(fun(_, S) -> rand:uniform_s(1000000, S) end, rand:seed_s(exsss, 7), lists:seq(1, 20000)),
    S = lists:sort(L),
    ?S(erlang:phash2(S)), ?S(ordered(S)), ?S(length(lists:usort(L))), ?S(lists:sort(fun(A, B) -> A =< B end, L) =:= S), ?S(lists:reverse(lists:sort(fun(A, B) -> A >= B end, L)) =:= S), ?S(lists:sort(S) =:= S), ?S(lists:sort(lists:reverse(S)) =:= S),
    ?S(element(1, lists:unzip(lists:keysort(1, [{X, x} || X <- L]))) =:= S), ?S(lists:merge(lists:sort(lists:sublist(L, 10000)), lists:sort(lists:nthtail(10000, L))) =:= S).

ordered([A, B | T]) -> A =< B andalso ordered([B | T]);
ordered(_) -> true.

stable() -> ?S(lists:keysort(1, [{1, a}, {0, b}, {1.0, c}, {0, d}, {1, e}])), ?S(lists:sort(fun({A, _}, {B, _}) -> A =< B end, [{2, a}, {1, b}, {2, c}, {1, d}])).
