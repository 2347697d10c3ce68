%% What the command `elixir` does around a program, for a machine where nothing is booted: main([Module]).
-module(launcher).
-export([main/1]).

main([Module]) ->
    {ok, _} = application:ensure_all_started(elixir),
    ok = application:start(logger),
    (list_to_atom(Module)):main([]).
