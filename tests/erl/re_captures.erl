%% What may be asked for is checked before anything is matched.
-module(re_captures).
-export([main/1]).

main(_) ->
    [io:format("~p ~p: ~p~n", [What, Pattern, try re:run("12", Pattern, [{capture, What, index}]) catch C:R -> {C, R} end])
     || Pattern <- ["3", "(1)(?<a>2)"],
        What <- [[]] ++ [[V] || V <- [{a, 1}, a, b, "a", <<"a">>, 0, 1, 7, -1, 1 bsl 70, 1.0, [a], ["a"], [1000], fun main/1]]
            ++ [[1 | 2], [1 | a], [a | []], [0, -1], all, none, first, all_but_first, all_names, nothing, 1, {1}, [1, 1, 2]]].
