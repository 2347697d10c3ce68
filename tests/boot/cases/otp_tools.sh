# reltool, os_mon with its programs, observer_backend, etop; of those that are not installed only that (`make test-apps` has all).
cat > tools_.erl <<'F'
-module(tools_).
-export([go/0]).
t(N, F) -> io:format("~p: ~0p~n", [N, try F() catch C:R -> {C, R} end]).
there(M, F) -> case code:which(M) of non_existing -> io:format("no ~p~n", [M]); _ -> F() end.
go() -> there(reltool, fun reltool/0), there(memsup, fun os_mon/0), there(observer_backend, fun observer/0), there(etop, fun etop/0), halt().
reltool() ->
    Config = {sys, [{root_dir, code:root_dir()}, {lib_dirs, []}, {incl_cond, exclude}, {boot_rel, "r"}, {rel, "r", "1", [kernel, stdlib, sasl]}
                    | [{app, A, [{incl_cond, include}]} || A <- [kernel, stdlib, sasl]]]},
    {ok, S} = reltool:start_server([{config, Config}]),
    t(rel, fun() -> reltool:get_rel(S, "r") end),
    t(script, fun() -> {ok, {script, N, L}} = reltool:get_script(S, "r"), {N, length(L)} end),
    t(config, fun() -> {ok, {sys, L}} = reltool:get_config(S), [element(1, X) || X <- L] end),
    t(status, fun() -> reltool:get_status(S) end),
    t(spec, fun() -> {ok, L} = reltool:get_target_spec(S), [{element(1, X), element(2, X)} || X <- L, element(2, X) =/= "whitebeam"] end),
    t(target, fun() -> file:make_dir("target"), reltool:create_target([{config, Config}], "target") end),
    t(files, fun() -> {lists:sort([F || F <- element(2, file:list_dir("target/lib"))]), filelib:is_file("target/releases/1/r.boot")} end),
    t(bad, fun() -> reltool:get_rel([{config, {sys, [{nosuch, 1}]}}], "r") end),
    t(stop, fun() -> reltool:stop(S) end).
os_mon() ->
    t(start, fun() -> element(1, application:ensure_all_started(os_mon)) end),
    t(cpu, fun() -> [is_integer(cpu_sup:F()) || F <- [nprocs, avg1, avg5, avg15]] ++ [is_number(cpu_sup:util()), tuple_size(cpu_sup:util([detailed]))] end),
    t(memory, fun() -> [[K || {K, V} <- lists:sort(memsup:get_system_memory_data()), is_integer(V)], tuple_size(memsup:get_memory_data()), memsup:get_check_interval()] end),
    t(disk, fun() -> [is_list(disksup:get_disk_data()), disksup:get_almost_full_threshold()] end),
    t(alarms, fun() -> is_list(alarm_handler:get_alarms()) end),
    t(stop, fun() -> application:stop(os_mon) end).
observer() ->
    t(system, fun() -> lists:sort([K || {K, _} <- observer_backend:sys_info()]) end),
    t(allocators, fun() -> [{A, is_list(L)} || {A, L} <- proplists:get_value(alloc_info, observer_backend:sys_info()), lists:member(A, erlang:system_info(alloc_util_allocators))] end),
    t(tables, fun() -> [is_list(observer_backend:get_table_list(K, [{sys_hidden, false}, {unread_hidden, false}])) || K <- [ets, mnesia]] end),
    t(ports, fun() -> lists:usort([length(P) || P <- observer_backend:get_port_list()]) =/= [] end).
etop() ->
    P = spawn(fun() -> etop:start([{output, text}, {interval, 1}, {lines, 3}, {sort, memory}]) end),
    timer:sleep(2500), t(etop, fun() -> is_process_alive(P) end).
F
erlc tools_.erl
erl -noshell -s tools_ go 2>&1 | grep -v '=\|REPORT' | awk '/^etop: /{ print } /^(no |[a-z]+: )/ && !/^etop: /{ print } /Load:|Procs:/{ seen = 1 } END { print seen + 0 }'
