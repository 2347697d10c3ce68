%% Many processes call a module at once that nobody has called before: one loads it, all find it.
-module(first_calls).
-export([main/1]).
-include("show.hrl").

main(_Args) -> [?S({M, called(M, 60)}) || M <- modules()].

modules() ->
    [array, calendar, dict, digraph, digraph_utils, epp, erl_anno, erl_lint, erl_parse, erl_pp, erl_scan, eval_bits, gb_sets,
     gb_trees, gen_event, gen_statem, io_lib_pretty, ordsets, pool, proplists, qlc, queue, sets, sofs, uri_string, v3_core,
     beam_ssa, beam_ssa_opt, cerl, sys_core_fold].

called(M, N) ->
    Me = self(),
    Go = [spawn(fun() -> receive go -> Me ! {called, catch M:module_info(module)} end end) || _ <- lists:seq(1, N)],
    [P ! go || P <- Go],
    lists:usort([receive {called, R} -> R end || _ <- Go]).
