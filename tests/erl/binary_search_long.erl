-module(binary_search_long).
-export([main/1]).
%% Needles in long binaries: rare and frequent last bytes, scopes at the borders of what is searched at once, needles as long as the text.
main(_) ->
    T = binary:copy(<<"abc ">>, 50000),
    io:format("~p~n", [[binary:match(T, P, O) || P <- [<<"zz">>, <<"c a">>, <<" ">>, [<<"c a">>, <<"zz">>], <<"abc abc abc abc abc abd">>, binary:part(T, 100, 70000), <<(binary:part(T, 0, 70000))/binary, "!">>], O <- [[], [{scope, {199990, 10}}], [{scope, {200000, -5}}], [{scope, {100, 0}}], [{scope, {65530, 20}}], [{scope, {65534, 2}}]]]]),
    io:format("~p~n", [[length(binary:matches(T, P)) || P <- [<<"c">>, <<"ab">>, <<"bc a">>, <<"zz">>, <<"c abc a">>]]]),
    io:format("~p~n", [[length(binary:split(T, P, [global, trim])) || P <- [<<"c">>, <<"ab">>, <<"bc a">>, <<"zz">>, <<"c abc a">>]]]),
    io:format("~p~n", [[binary:match(<<T/binary, "needle", T/binary>>, N) || N <- [<<"needle">>, <<"needl">>, <<" needle">>, <<"needle ">>, <<"needlea">>]]]).
