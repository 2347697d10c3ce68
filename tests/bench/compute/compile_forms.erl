%% The Erlang compiler on the abstract code of thirty modules of stdlib, which the first run keeps.
-module(compile_forms).
-export([run/0]).

run() ->
    lists:foldl(fun({Module, Forms}, Sum) ->
                    {ok, Module, Beam} = compile:forms(Forms, [binary, deterministic, no_spawn_compiler_process]),
                    Sum + erlang:crc32(code(Beam))
                end, 0, forms()).

code(Beam) ->
    {ok, {_, [{"Code", Code}]}} = beam_lib:chunks(Beam, ["Code"]),
    Code.

forms() ->
    case persistent_term:get(?MODULE, none) of
        none ->
            Forms = [{M, forms(M)} || M <- modules()],
            persistent_term:put(?MODULE, Forms),
            Forms;
        Forms -> Forms
    end.

forms(Module) ->
    {Module, Binary, _} = code:get_object_code(Module),
    {ok, {_, [{abstract_code, {raw_abstract_v1, Forms}}]}} = beam_lib:chunks(Binary, [abstract_code]),
    Forms.

modules() ->
    [base64, dict, digraph, digraph_utils, erl_bits, erl_posix_msg, error_logger_file_h, error_logger_tty_h, filename,
     gb_sets, gb_trees, gen, gen_event, io, io_lib, lists, log_mf_h, maps, orddict, ordsets, pool, proc_lib, proplists,
     queue, random, sets, slave, supervisor_bridge, sys, timer].
