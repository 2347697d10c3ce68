%% Runs a test program on `erl` as `whitebeam run` would: main/1 in a fresh process, exit code 0,
%% or 1 after an uncaught error.
-module(on_erl).
-export([start/0]).

start() ->
    [Name | Args] = init:get_plain_arguments(),
    %% Elixir's own start does this.
    string:prefix(Name, "Elixir.") =/= nomatch andalso io:setopts(standard_io, [{encoding, unicode}]),
    Module = list_to_atom(Name),
    {_, Ref} = spawn_monitor(fun() -> Module:main(Args) end),
    receive
        {'DOWN', Ref, process, _, normal} -> halt(0);
        {'DOWN', Ref, process, _, Reason} ->
            io:format(standard_error, "~tp~n", [Reason]),
            halt(1)
    end.
