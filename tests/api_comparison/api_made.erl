%% Values of OTP's abstract data types, made by their own modules.
-module(api_made).
-export([values/1]).

pairs() -> [[], [{a, 1}], [{a, 1}, {b, 2}, {1, x}, {1.5, y}], [{I, I} || I <- lists:seq(1, 40)]].
keys() -> [[K || {K, _} <- L] || L <- pairs()].

values(gb_tree) -> [lists:foldl(fun({K, V}, T) -> gb_trees:enter(K, V, T) end, gb_trees:empty(), P) || P <- pairs()];
values(gb_tree_iter) -> [gb_trees:iterator(T) || T <- values(gb_tree)];
values(gb_set) -> [gb_sets:from_list(K) || K <- keys()];
values(gb_set_iter) -> [gb_sets:iterator(T) || T <- values(gb_set)];
values(set) -> [sets:from_list(K) || K <- keys()] ++ [sets:from_list(K, [{version, 2}]) || K <- keys()];
values(ordset) -> [ordsets:from_list(K) || K <- keys()];
values(orddict) -> [orddict:from_list(P) || P <- pairs()];
values(dict) -> [dict:from_list(P) || P <- pairs()];
values(queue) -> [queue:from_list(K) || K <- keys()] ++ [queue:in(z, queue:in(y, queue:new()))];
values(array) -> [array:new(), array:new([{size, 5}, {default, d}]), array:from_list([a, b, c]), array:fix(array:from_list(lists:seq(1, 30), none)),
                  array:set(25, x, array:new()), array:resize(12, array:from_list(lists:seq(1, 30)))];
values(rand_state) -> [rand:seed_s(A, 42) || A <- [exsss, exro928ss, exrop, exs1024s, exsp]] ++ [rand:seed_s(exsss, {1, 2, 3})];
values(map_iter) -> [{'$make', iterator, N} || N <- [0, 3, 32, 50]] ++ [maps:iterator(#{a => 1}), none];
values(datetime) -> [{{1970, 1, 1}, {0, 0, 0}}, {{2024, 2, 29}, {23, 59, 59}}, {{2023, 2, 29}, {12, 0, 0}}, {{0, 1, 1}, {0, 0, 0}}, {{9999, 12, 31}, {23, 59, 60}}, {{-1, 1, 1}, {0, 0, 0}}];
values(date) -> [D || {D, _} <- values(datetime)];
values(time) -> [T || {_, T} <- values(datetime)];
values(compiled_regex) -> [element(2, re:compile(R)) || R <- ["a", "(a)(b)?"]];
values(compiled_pattern) -> [binary:compile_pattern(P) || P <- [<<"a">>, [<<"ab">>, <<"b">>]]];
values(_) -> [].
