%% Starts api_runner on `erl` as `whitebeam run` does.
-module(api_erl).
-export([start/1]).

start(Args) ->
    {_, Ref} = spawn_monitor(fun() -> api_runner:main(Args) end),
    receive
        {'DOWN', Ref, process, _, normal} -> halt(0);
        {'DOWN', Ref, process, _, Reason} ->
            io:format(standard_error, "~tp~n", [Reason]),
            halt(1)
    end.
