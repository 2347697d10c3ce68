%% single_functions:main([Out | Sources]): a module of its own for every function of the sources, with the functions
%% that it calls itself; what those call is replaced by a function that returns its argument or anything. Compiled for
%% this release and for OTP 23, whose instructions for binaries are others. Small modules load a hundred times as often
%% as whole ones, and each change hits an instruction that is run.
-module(single_functions).
-export([main/1]).

main([Out | Sources]) ->
    ok = filelib:ensure_dir(filename:join(Out, "x")),
    Made = lists:sum([split(Source, Out) || Source <- Sources]),
    io:format("~b modules of one function each in ~ts~n", [Made, Out]),
    halt(0).

split(Source, Out) ->
    Include = [filename:dirname(Source), filename:join(filename:dirname(Source), "../include"), "tests/erl/support"],
    case epp:parse_file(Source, [{includes, Include}]) of
        {ok, Forms} ->
            Base = filename:basename(Source, ".erl"),
            Functions = maps:from_list([{{N, A}, Form} || {function, _, N, A, _} = Form <- Forms]),
            Kept = [Form || {attribute, _, Kind, Value} = Form <- Forms, is_kept(Kind, Value)],
            Numbered = lists:enumerate(lists:sort(maps:keys(Functions))),
            lists:sum([write(Base, K, F, Kept, Functions, Out) || {K, F} <- Numbered]);
        {error, _} ->
            0
    end.

is_kept(record, _) -> true;
is_kept(compile, {no_auto_import, _}) -> true;
is_kept(compile, no_auto_import) -> true;
is_kept(_, _) -> false.

write(Base, K, F, Kept, Functions, Out) ->
    Near = callees([F], Functions),
    Far = callees(Near, Functions) -- [F | Near],
    Bodies = [maps:get(G, Functions) || G <- lists:usort([F | Near])] ++ [stub(G) || G <- Far],
    lists:sum([write(atom(Base, K, Suffix), Options, F, Kept ++ Bodies, Out) || {Suffix, Options} <- [{"", []}, {"_r23", [r23]}]]).

write(Name, Options, F, Forms, Out) ->
    Module = [{attribute, 1, module, Name}, {attribute, 1, export, [F]} | Forms],
    case catch compile:forms(Module, [binary, return_errors | Options]) of
        {ok, Name, Beam} ->
            {ok, {Name, Small}} = beam_lib:strip(Beam),
            ok = file:write_file(filename:join(Out, atom_to_list(Name) ++ ".beam"), Small),
            1;
        _ ->  % not every function stands alone, and not every one is of OTP 23
            0
    end.

callees(Callers, Functions) ->
    lists:usort([G || F <- Callers, G <- calls(maps:get(F, Functions)), is_map_key(G, Functions)]).

calls({call, _, {atom, _, Name}, Arguments}) -> [{Name, length(Arguments)} | calls(Arguments)];
calls({'fun', _, {function, Name, Arity}}) -> [{Name, Arity}];
calls(Tuple) when is_tuple(Tuple) -> calls(tuple_to_list(Tuple));
calls([H | T]) -> calls(H) ++ calls(T);
calls(_) -> [].

stub({Name, Arity}) ->
    Anything = {call, 1, {atom, 1, get}, [{atom, 1, anything}]},
    Body = case Arity of
        0 -> Anything;
        _ ->
            {'case', 1, Anything, [{clause, 1, [{atom, 1, undefined}], [], [{var, 1, 'A1'}]},
                                   {clause, 1, [{var, 1, 'V'}], [], [{var, 1, 'V'}]}]}
    end,
    Parameters = [{var, 1, case K of 1 -> 'A1'; _ -> '_' end} || K <- lists:seq(1, Arity)],
    {function, 1, Name, Arity, [{clause, 1, Parameters, [], [Body]}]}.

atom(Base, K, Suffix) -> list_to_atom(Base ++ "_" ++ integer_to_list(K) ++ Suffix).
