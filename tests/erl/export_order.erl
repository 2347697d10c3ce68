%% The order of module_info(exports): what the machine knew last comes first. An export is known when its module
%% is loaded, when a module that imports it is, or when somebody makes a fun of it.
-module(export_order).
-export([zebra/0, main/1, apple/1, mango/0, apple/0, as_fun/0]).

main(_) ->
    show(?MODULE),
    io:format("~0p~n", [?MODULE:module_info(functions)]),
    io:format("~0p~n", [[K || {K, _} <- ?MODULE:module_info()]]),
    io:format("~0p~n", [proplists:get_value(exports, ?MODULE:module_info()) =:= ?MODULE:module_info(exports)]),
    [made(M, Before) || {M, Before} <- [{eo_plain, fun(_) -> ok end},
                                        {eo_called, fun(M) -> catch apply(M, middle, []) end},
                                        {eo_asked, fun(M) -> erlang:function_exported(M, middle, 0) end},
                                        {eo_made, fun(M) -> erlang:make_fun(M, middle, 0) end},
                                        {eo_fun, fun(M) -> is_function(fun M:middle/0) end},
                                        {eo_decoded, fun(M) -> binary_to_term(external(M, middle, 0)) end},
                                        {eo_spawned, fun(M) -> spawn_monitor(M, middle, []), receive {'DOWN', _, _, _, _} -> ok end end},
                                        {eo_imported, fun(M) -> load(eo_importer, imports(eo_importer, M)) end},
                                        {eo_literal, fun(M) -> load(eo_holder, holds(eo_holder, M)) end}]],
    reloaded().

%% A module that was reloaded with more exports, deleted, and loaded again.
reloaded() ->
    M = eo_reloaded,
    load(M, plain(M, [b, a, c])),
    load(M, plain(M, [d, c, b, a, e])),
    show(M),
    code:purge(M), code:delete(M), code:purge(M),
    load(M, plain(M, [a, b, c])),
    show(M).

made(M, Before) ->
    Before(M),
    load(M, plain(M, [first, middle, zlast, alpha])),
    show(M).

show(M) -> io:format("~p ~0p~n", [M, M:module_info(exports)]).

load(M, Forms) ->
    {ok, M, Code} = compile:forms(Forms, [deterministic]),
    code:purge(M),
    {module, M} = code:load_binary(M, "made", Code).

head(M, Exports) -> [{attribute, 1, module, M}, {attribute, 1, export, Exports}].
function(Name, Body) -> {function, 1, Name, 0, [{clause, 1, [], [], [Body]}]}.
plain(M, Names) -> head(M, [{N, 0} || N <- Names]) ++ [function(N, {atom, 1, ok}) || N <- Names].
imports(M, Other) ->
    Call = {call, 1, {remote, 1, {atom, 1, Other}, {atom, 1, middle}}, []},
    head(M, [{go, 0}]) ++ [function(go, Call)].
holds(M, Other) ->
    Fun = {'fun', 1, {function, {atom, 1, Other}, {atom, 1, middle}, {integer, 1, 0}}},
    head(M, [{go, 0}]) ++ [function(go, {tuple, 1, [{atom, 1, x}, Fun]})].

external(M, F, A) ->
    <<131, 113, (atom(M))/binary, (atom(F))/binary, 97, A>>.
atom(A) -> Text = atom_to_binary(A), <<119, (byte_size(Text)), Text/binary>>.

zebra() -> ?MODULE:mango().
apple(_) -> ok.
mango() -> fun ?MODULE:as_fun/0.
apple() -> ok.
as_fun() -> ok.
