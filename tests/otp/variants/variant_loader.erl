%% Loads .beam files, one after the other, on any Erlang machine:
%%
%%   main([List, Results])
%%
%% List names a file a line; Results gets a line for each: FILE <tab> what code:load_binary answers.
-module(variant_loader).
-export([main/1]).

main([List, Results]) ->
    {ok, Names} = file:read_file(List),
    {ok, Out} = file:open(Results, [write, raw, delayed_write]),
    [file:write(Out, io_lib:format("~ts\t~0p~n", [File, load(binary_to_list(File))]))
     || File <- binary:split(Names, <<"\n">>, [global, trim])],
    ok = file:close(Out),
    halt(0).

load(File) ->
    {ok, Beam} = file:read_file(File),
    Module = list_to_atom(filename:basename(File, ".beam")),
    Answer = code:load_binary(Module, File, Beam),
    code:delete(Module),
    code:purge(Module),
    Answer.
