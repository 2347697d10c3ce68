%% halt(3) from a process that is not the main one, with output under way.
-module(halting).
-export([main/1]).

main(Args) ->
    io:format("~p~n", [Args]),
    [io:format("line ~b~n", [N]) || N <- lists:seq(1, 200)],
    spawn(fun() -> halt(3) end),
    receive never -> ok end.
%% args: one "two" -three
