%% What system_info, statistics, memory, system_flag, system_monitor and system_profile answer.
-module(sys_info).
-export([main/1]).

attempt(F) -> try F() catch Class:Reason -> {Class, Reason} end.

main(_) ->
    info(),
    counts(),
    statistics(),
    memory(),
    flags(),
    monitors(),
    profiles(),
    deep_traces().

info() ->
    Same = [otp_release, version, machine, wordsize, endian, os_type, process_limit_kind, build_type,
            emu_type, debug_compiled, smp_support, threads, kernel_poll, heap_type, nif_version,
            driver_version, compat_rel, time_correction, time_offset, time_warp_mode,
            tolerant_timeofday, multi_scheduling_blockers, normal_multi_scheduling_blockers,
            message_queue_data, max_heap_size, min_heap_size, min_bin_vheap_size, fullsweep_after,
            garbage_collection, heap_sizes, scheduler_bind_type, sequential_tracer,
            trace_control_word, dynamic_trace, dynamic_trace_probes, dist, dist_ctrl, creation,
            dist_buf_busy_limit, delayed_node_table_gc, constant_pool_support, hipe_architecture,
            modified_timing_level, ets_realloc_moves, lock_checking, port_parallelism, taints,
            atom_limit, ets_limit, port_limit, thread_pool_size, system_architecture, start_time,
            end_time, break_ignored, update_cpu_info, outstanding_system_requests_limit,
            {wordsize, internal}, {wordsize, external}, {cpu_topology, defined_not},
            async_dist, backtrace_depth, memory_types, allocated, elib_malloc, instruction_counts,
            internal_cpu_topology, halt_flush_timeout, foo, 1, "x", {a, b}, {a, b, c}, {},
            {port_parallelism, 1}, context_reductions, {allocator, test_alloc}, {allocator_sizes, test_alloc}],
    [erlang:display({K, attempt(fun() -> erlang:system_info(K) end)}) || K <- Same].

counts() ->
    [erlang:display({K, is_integer(erlang:system_info(K))})
     || K <- [atom_count, ets_count, port_count, process_count, process_limit, schedulers,
              schedulers_online, dirty_cpu_schedulers, dirty_cpu_schedulers_online,
              dirty_io_schedulers, logical_processors, logical_processors_online,
              logical_processors_available, scheduler_id]],
    [erlang:display({K, is_list(erlang:system_info(K))})
     || K <- [system_version, compile_info, check_io, snifs, os_monotonic_time_source,
              os_system_time_source, allocated_areas, alloc_util_allocators, cpu_topology]],
    [erlang:display({K, is_binary(erlang:system_info(K))}) || K <- [info, loaded, procs]],
    erlang:display({allocator, [is_list(T) || T <- tl(tuple_to_list(erlang:system_info(allocator)))]}),
    erlang:display({tuple_size(erlang:system_info(os_version)),
                    tuple_size(erlang:system_info(c_compiler_used)),
                    tuple_size(erlang:system_info(scheduler_bindings))
                        =:= erlang:system_info(schedulers)}),
    erlang:display({emu_args, [is_list(A) || A <- lists:sublist(erlang:system_info(emu_args), 2)]}),
    true = lists:member(erlang:system_info(emu_flavor), [emu, jit]),
    "Erlang/OTP 25 [erts-13.1.5]" ++ _ = erlang:system_info(system_version).

statistics() ->
    [erlang:display({K, shape(attempt(fun() -> erlang:statistics(K) end))})
     || K <- [reductions, exact_reductions, runtime, wall_clock, garbage_collection,
              context_switches, run_queue, total_run_queue_lengths, total_run_queue_lengths_all,
              total_active_tasks, total_active_tasks_all, io, scheduler_wall_time,
              scheduler_wall_time_all, foo, 1, {a}]],
    N = erlang:system_info(schedulers),
    [erlang:display({K, length(erlang:statistics(K)) - N})
     || K <- [run_queue_lengths, run_queue_lengths_all, active_tasks, active_tasks_all]],
    {Before, _} = erlang:statistics(reductions),
    lists:sum(lists:seq(1, 100000)),
    {After, Since} = erlang:statistics(reductions),
    erlang:display({After > Before, After - Before =:= Since}).

shape(I) when is_integer(I) -> integer;
shape(T) when is_tuple(T) -> list_to_tuple([shape(E) || E <- tuple_to_list(T)]);
shape(Other) -> Other.

memory() ->
    Memory = erlang:memory(),
    erlang:display([{K, V >= 0} || {K, V} <- Memory]),
    erlang:display(is_integer(erlang:memory(total))),
    [{total, _}, {atom, _}] = erlang:memory([total, atom]),
    [erlang:display({K, attempt(fun() -> erlang:memory(K) end)}) || K <- [foo, 1, [foo], maximum]],
    Large = binary:copy(<<1>>, 10000000),
    erlang:display(erlang:memory(binary) >= byte_size(Large)),
    List = lists:seq(1, 1000000),
    erlang:display(erlang:memory(processes) >= 16 * length(List)).

flags() ->
    Self = self(),
    [erlang:display({K, put_and_back(K, V)})
     || {K, V} <- [{backtrace_depth, 20}, {backtrace_depth, -1}, {backtrace_depth, a},
                   {backtrace_depth, 100000}, {schedulers_online, 0}, {schedulers_online, 9999},
                   {scheduler_wall_time, x}, {microstate_accounting, x}, {trace_control_word, 5},
                   {trace_control_word, -1}, {time_offset, x}, {system_logger, x},
                   {reset_seq_trace, true}, {reset_seq_trace, false}, {multi_scheduling, x},
                   {sequential_tracer, false}, {foo, 1}, {"foo", 1}, {fullsweep_after, 7}, {fullsweep_after, -1},
                   {min_heap_size, 1000}, {min_bin_vheap_size, 100000}, {max_heap_size, 5}, {max_heap_size, 1000000}]],
    erlang:display(erlang:system_flag(time_offset, finalize)),
    Was = erlang:system_flag(sequential_tracer, Self),
    {sequential_tracer, Self} = erlang:system_info(sequential_tracer),
    Self = erlang:system_flag(sequential_tracer, Was),
    erlang:display(erlang:system_flag(scheduler_wall_time, true)),
    [{1, Active, Total} | _] = lists:sort(erlang:statistics(scheduler_wall_time)),
    erlang:display({Active >= 0, Total > 0, erlang:system_flag(scheduler_wall_time, false)}).

put_and_back(Flag, Value) ->
    attempt(fun() ->
                    Old = erlang:system_flag(Flag, Value),
                    {Old, erlang:system_flag(Flag, Old)}
            end).

monitors() ->
    S = self(),
    Name = fun({P, Options}) when P =:= S -> {self, Options};
              (Other) -> Other
           end,
    [erlang:display(Name(attempt(fun() -> apply(erlang, system_monitor, Args) end)))
     || Args <- [[], [S, [busy_port, {long_gc, 100}, busy_dist_port, {large_heap, 1000},
                          {long_schedule, 50}]],
                 [], [undefined], [S, [foo]], [{S, [busy_port]}], [], [S, []], [], [x],
                 [undefined, []], [S, [{long_gc, -1}]], [S, [{large_heap, 1 bsl 70}]], [a, [busy_port]]]].

profiles() ->
    S = self(),
    Name = fun({P, Options}) when P =:= S -> {self, Options};
              (Other) -> Other
           end,
    [erlang:display(Name(attempt(fun() -> apply(erlang, system_profile, Args) end)))
     || Args <- [[], [S, [runnable_procs, scheduler]], [], [undefined, []], [S, [foo]],
                 [S, [monotonic_timestamp, exclusive]], [], [S, []], []]].

%% As many frames as one asked for.
deep_traces() ->
    [begin
         Old = erlang:system_flag(backtrace_depth, Depth),
         try deep(100) catch error:deep:Trace -> erlang:display({Depth, length(Trace)}) end,
         erlang:system_flag(backtrace_depth, Old)
     end || Depth <- [1, 2, 8, 20, 64, 1000]].

deep(0) -> fail(get(harmless));
deep(N) -> [deep_too(N - 1)].
deep_too(0) -> fail(get(harmless));
deep_too(N) -> {deep(N - 1)}.

fail(true) -> [];
fail(_) -> erlang:error(deep).
