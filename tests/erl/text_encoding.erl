%% What standard output and input are before and after a program sets their encoding.
-module(text_encoding).
-export([main/1]).

main(_) ->
    io:format("~p ~p~n", [proplists:get_value(encoding, io:getopts()), io:getopts(standard_error)]),
    show(),
    ok = io:setopts([{encoding, unicode}]),
    show(),
    ok = io:setopts([{encoding, latin1}]),
    show().

show() ->
    io:format("~ts ~ts ~s ~p ~tp~n", [[228, 8364], <<"ä€"/utf8>>, [228], [228, 8364], [228, 8364]]),
    io:format("~s~n", [<<"ä€"/utf8>>]),
    io:put_chars([8364, $\n]).
