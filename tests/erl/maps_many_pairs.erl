%% skip gc-stress: runs the compiler
%% skip asan: runs the compiler
%% One map expression with thousands of pairs: more than any buffer an interpreter may keep.
-module(maps_many_pairs).
-export([main/1]).

main(_) ->
    Keys = lists:seq(1, 3000),
    Forms = [{attribute, 1, module, many}, {attribute, 1, export, [{new, 1}, {update, 2}]},
             function(new, ['X'], {map, 1, pairs(map_field_assoc, Keys)}),
             function(update, ['M', 'X'], {map, 1, {var, 1, 'M'}, pairs(map_field_exact, Keys)})],
    {ok, many, Code} = compile:forms(Forms, []),
    {module, many} = code:load_binary(many, "many", Code),
    M = many:new(a),
    N = many:update(M, b),
    io:format("~p ~p ~p~n", [map_size(M), lists:usort(maps:values(M)), lists:usort(maps:values(N))]),
    io:format("~p~n", [catch element(1, catch many:update(#{}, c))]).

function(Name, Vars, Body) ->
    {function, 1, Name, length(Vars), [{clause, 1, [{var, 1, V} || V <- Vars], [], [Body]}]}.

pairs(Type, Keys) -> [{Type, 1, {integer, 1, K}, {var, 1, 'X'}} || K <- Keys].
