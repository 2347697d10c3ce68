%% Calls that do something to processes, names, timers, tables or the process dictionary: each in a
%% process of its own, whose end is part of the outcome. In the arguments the pid of the caller stands
%% for that process.
-module(api_effects).
-export([families/0, effect/2, effect/3, effect/4, effect/5]).

families() ->
    Types = maps:from_list([{M, api_types:load(M)} || M <- [erlang, ets, erts_internal, net_kernel, error_logger, io, file]]),
    [{processes, [{?MODULE, effect, plan({M, F}, A, api_types:classes(maps:get(M, Types), {F, A}))} || {M, F, As} <- functions(), A <- As]}].

plan({M, F}, A, Clauses) ->
    Name = atom_to_list(M) ++ [$_ | atom_to_list(F)],
    Samples = lists:foldl(fun(Cs, P) -> {both, {sample, 400, [{lit, {M, F}} | Cs]}, P} end, {sample, 200, [{lit, {M, F}} | lists:duplicate(A, any)]}, Clauses),
    {named, Name, case A of
                      1 -> {both, {product, [{lit, {M, F}}, all]}, Samples};
                      2 -> {both, {product, [{lit, {M, F}}, op_any, op_any]}, Samples};
                      _ -> Samples
                  end}.

functions() ->
    [{erlang, F, As} ||
        {F, As} <- [{alias, [1]}, {unalias, [1]}, {cancel_timer, [1, 2]}, {read_timer, [1, 2]}, {demonitor, [1, 2]}, {monitor, [2, 3]}, {erase, [1]}, {get, [1]}, {get_keys, [1]}, {put, [2]}, {error, [1, 2, 3]}, {exit, [1, 2]}, {throw, [1]}, {raise, [3]}, {nif_error, [1, 2]}, {link, [1]}, {unlink, [1]},
                    {monotonic_time, [1]}, {system_time, [1]}, {unique_integer, [1]}, {register, [2]}, {unregister, [1]}, {whereis, [1]}, {spawn, [1, 2, 3, 4]}, {spawn_link, [1, 2, 3]}, {spawn_monitor, [1, 2, 3]}, {spawn_opt, [2, 3, 4, 5]}, {spawn_request, [1, 2, 3, 4]}, {spawn_request_abandon, [1]}, {is_process_alive, [1]}, {process_info, [1, 2]}, {process_flag, [2]},
                    {check_old_code, [1]}, {module_loaded, [1]}, {nodes, [1]}, {garbage_collect, [1, 2]}, {suspend_process, [1, 2]}, {resume_process, [1]}, {statistics, [1]}, {system_info, [1]}, {memory, [1]}, {group_leader, [2]}, {send, [2, 3]}, {send_nosuspend, [2, 3]}, {'!', [2]}, {send_after, [3, 4]}, {start_timer, [3, 4]},
                    {localtime_to_universaltime, [1, 2]}, {universaltime_to_localtime, [1]}, {md5_final, [1]}, {md5_update, [2]}, {bump_reductions, [1]}, {convert_time_unit, [3]}, {set_cookie, [1]}, {get_cookie, [1]}, {is_builtin, [3]}, {function_exported, [3]}, {make_fun, [3]}, {apply, [2, 3]}, {seq_trace_print, []}]] ++
        [{ets, new, [2]}, {ets, whereis, [1]}, {ets, info, [1, 2]}, {ets, give_away, [3]}, {erts_internal, garbage_collect, [1]}, {erts_internal, is_process_alive, [2]}].

effect(F, A) -> run(F, [A]).
effect(F, A, B) -> run(F, [A, B]).
effect(F, A, B, C) -> run(F, [A, B, C]).
effect(F, A, B, C, D) -> run(F, [A, B, C, D]).

run({M, F}, Args) ->
    Caller = self(),
    Leader = group_leader(),
    Main = fun() ->
                   Own = [if A =:= Caller -> self(); true -> A end || A <- Args],
                   Result = try apply(M, F, Own) of V -> {value, V} catch C:R:S -> {C, R, S} end,
                   group_leader(Leader, self()),
                   exit({result, without_numbers(F, Result)})
           end,
    {_, Ref} = spawn_monitor(Main),
    receive {'DOWN', Ref, process, _, Reason} -> end_of(Reason) end.

end_of({result, {value, V}}) -> V;
end_of({result, {C, R, S}}) -> erlang:raise(C, R, S);
end_of(Other) -> {ended, Other}.

%% Times, unique numbers and sizes differ in each run.
without_numbers(F, {value, V}) ->
    case lists:member(F, [monotonic_time, system_time, unique_integer, cancel_timer, read_timer, statistics, process_info, memory, system_info, spawn_opt, info]) of
        true -> {value, shape(F, V)};
        false -> {value, V}
    end;
without_numbers(_, Raised) -> Raised.

%% What a machine says of itself: compared by tests/erl/sys_info.erl and proc_info.erl.
shape(system_info, _) -> some;
shape(statistics, _) -> some;
shape(process_info, V) when V =/= undefined, V =/= [] -> some;
shape(_, V) -> shape(V).

shape(N) when is_integer(N) -> number;
shape(L) when is_list(L) -> [shape(E) || E <- L];
shape(T) when is_tuple(T) -> list_to_tuple([shape(E) || E <- tuple_to_list(T)]);
shape(V) -> V.
