%% Assembles .S files as they are: `erlc` would refuse instructions that its own validator has
%% forgotten, though OTP's loader still takes them.
-module(assembler).
-export([start/0]).

start() ->
    [Out | Files] = init:get_plain_arguments(),
    [file(F, Out) || F <- Files],
    halt(0).

file(Name, Out) ->
    {ok, Terms} = file:consult(Name),
    {module, Module} = lists:keyfind(module, 1, Terms),
    {exports, Exports} = lists:keyfind(exports, 1, Terms),
    {attributes, Attributes} = lists:keyfind(attributes, 1, Terms),
    {labels, Labels} = lists:keyfind(labels, 1, Terms),
    Code = {Module, Exports, Attributes, functions(Terms), Labels},
    {ok, Beam} = beam_asm:module(Code, [], [], []),
    ok = file:write_file(filename:join(Out, atom_to_list(Module) ++ ".beam"), Beam).

functions([{function, Name, Arity, Entry} | Terms]) ->
    {Body, Rest} = lists:splitwith(fun(T) -> not is_function_head(T) end, Terms),
    [{function, Name, Arity, Entry, Body} | functions(Rest)];
functions([_ | Terms]) -> functions(Terms);
functions([]) -> [].

is_function_head(T) -> is_tuple(T) andalso element(1, T) =:= function.
