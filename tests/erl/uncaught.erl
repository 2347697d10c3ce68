%% An uncaught error: exit code 1, and nothing of what was printed is lost.
-module(uncaught).
-export([main/1]).

main(_Args) ->
    io:format("printed before~n"),
    deep(3).

deep(0) -> error({not_caught, "reason"});
deep(N) -> 1 + deep(N - 1).
