%% Writes api_table.beam: families of functions, each with the plan of its calls.
-module(api_table_make).
-export([main/1]).

main([Dir]) ->
    Families = families() ++ api_code:make(Dir),
    Forms = [{attribute, 1, module, api_table}, {attribute, 1, export, [{families, 0}]},
             {function, 1, families, 0, [{clause, 1, [], [], [erl_parse:abstract(Families)]}]}],
    {ok, api_table, Beam} = compile:forms(Forms, []),
    ok = file:write_file(filename:join(Dir, "api_table.beam"), Beam),
    Calls = [api_plan:size(P) || {_, Rows} <- Families, {_, _, P} <- Rows],
    [io:format("~s~n", [F]) || {F, _} <- Families],
    io:format(standard_error, "~w families, ~w functions, ~w calls planned~n", [length(Families), length(Calls), lists:sum(Calls)]).

families() ->
    [{Family, lists:append([rows(M) || M <- Ms])} ||
        {Family, Ms} <- [{erlang, [erlang]}, {lists, [lists]}, {maps, [maps]}, {binary, [binary]}, {unicode, [unicode]}, {math, [math]}, {string, [string]},
                         {re, [re]}, {ets, [ets]}, {vm, [erts_debug, erts_internal, atomics, counters, persistent_term, os]},
                         {io_lib, [io_lib]}, {sets, [sets, ordsets, gb_sets]}, {dicts, [orddict, dict, gb_trees, proplists]}, {sequences, [queue, array]},
                         {texts, [base64, uri_string]}, {calendar, [calendar]}, {rand, [rand]}]]
        ++ api_special:families() ++ api_effects:families().

rows(M) ->
    Types = api_types:load(M),
    [{M, F, plan(M, api_types:classes(Types, {F, A}), A)} ||
        {F, A} <- lists:sort(M:module_info(exports)), F =/= module_info, not api_skip:function(M, F)].

%% Native modules see every value in each place; those written in Erlang the pairs' values.
plan(_, _, 0) -> {product, []};
plan(_, Clauses, 1) -> {both, {product, [all]}, samples(Clauses, 250)};
plan(M, Clauses, 2) ->
    Pairs = case lists:member(M, [erlang, binary, math, ets, erts_internal, erts_debug, atomics, counters, persistent_term, os]) of
                true -> {both, {product, [all, any]}, {product, [any, all]}};
                false -> {product, [any, any]}
            end,
    {both, Pairs, samples(Clauses, 1000)};
plan(_, Clauses, _) -> samples(Clauses, 4000).

samples([Cs], N) -> {sample, N, Cs};
samples([Cs | More], N) -> {both, {sample, N, Cs}, samples(More, N)}.
