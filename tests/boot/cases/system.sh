# quick
# What a booted system consists of.
cat > facts.erl <<'F'
-module(facts).
-export([start/0]).

start() ->
    print(registered, lists:sort(registered())),
    print(applications, application:which_applications()),
    print(loaded, lists:sort([A || {A, _, _} <- application:loaded_applications()])),
    print(pre_loaded, erlang:pre_loaded()),
    print(modules, lists:sort(erlang:loaded())),
    print(code, [{M, code:which(M)} || {M, _} <- lists:sort(code:all_loaded())]),
    print(path, code:get_path()),
    print(mode, code:get_mode()),
    print(root, {code:root_dir(), code:lib_dir(), code:lib_dir(kernel), init:get_argument(root)}),
    print(arguments, init:get_arguments()),
    print(status, init:get_status()),
    print(script, init:script_id()),
    print(system_processes, [erts_internal:is_system_process(P) || P <- lists:sublist(processes(), 12)]),
    print(first, lists:sublist(processes(), 11)),
    print(names, [{N, pid_to_list(whereis(N))} || N <- lists:sort(registered()), N =< erts_z]),
    print(ports, [erlang:port_info(P, name) || P <- erlang:ports()]),
    print(kernel, tree(kernel_sup)),
    print(logger, logger:get_config()),
    print(node, {node(), is_alive(), nodes(), erlang:get_cookie(), net_kernel:get_state()}),
    print(leader, erlang:process_info(group_leader(), registered_name)),
    print(limits, [{K, erlang:system_info(K)} || K <- [process_limit, port_limit, atom_limit, ets_limit, break_ignored,
        otp_release, version, machine, emu_type, wordsize, thread_pool_size, message_queue_data, start_time =:= 0 orelse compat_rel]]),
    print(env, lists:sort(application:get_all_env(kernel))),
    halt().

print(What, Value) -> io:format("~p: ~0p~n", [What, sorted(Value)]).

%% Since OTP 26 the order of the keys of a map is an accident of each run.
sorted(M) when is_map(M) -> {map, lists:sort([{K, sorted(V)} || {K, V} <- maps:to_list(M)])};
sorted(T) when is_tuple(T) -> list_to_tuple([sorted(E) || E <- tuple_to_list(T)]);
sorted([H | T]) -> [sorted(H) | sorted(T)];
sorted(T) -> T.

tree(Sup) ->
    [{Id, Type, case Type of supervisor when is_pid(P) -> tree(P); _ -> is_pid(P) end}
     || {Id, P, Type, _} <- lists:sort(supervisor:which_children(Sup))].
F
erlc facts.erl
unset ERL_AFLAGS
erl -noshell -s facts
