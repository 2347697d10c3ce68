%% Assembles what OTP's own validator would refuse.
%%   erl -noshell -pa DIR -run assemble start OutputDir File.S ...
%% An element {repeat, N, X} of a list stands for N times X. The result
%% is OutputDir/File/Module.beam.
-module(assemble).
-export([start/1]).

start([Dir | Files]) ->
    [file(Dir, F) || F <- Files],
    halt(0).

file(Dir, File) ->
    {ok, Terms} = file:consult(File),
    [{module, Module}, {exports, Exports}, {attributes, _}, {labels, Labels} | Code] = repeated(Terms),
    {ok, Bytes} = beam_asm:module({Module, Exports, [], functions(Code), Labels}, [], [], [no_type_opt]),
    Out = filename:join([Dir, filename:basename(File, ".S"), atom_to_list(Module) ++ ".beam"]),
    ok = filelib:ensure_dir(Out),
    ok = file:write_file(Out, Bytes).

repeated([{repeat, N, X} | Rest]) -> lists:duplicate(N, repeated(X)) ++ repeated(Rest);
repeated([X | Rest]) -> [repeated(X) | repeated(Rest)];
repeated(T) when is_tuple(T) -> list_to_tuple(repeated(tuple_to_list(T)));
repeated(T) -> T.

functions([{function, Name, Arity, Entry} | Terms]) ->
    {Code, Rest} = lists:splitwith(fun(T) -> not is_tuple(T) orelse element(1, T) =/= function end, Terms),
    [{function, Name, Arity, Entry, Code} | functions(Rest)];
functions([]) -> [].
