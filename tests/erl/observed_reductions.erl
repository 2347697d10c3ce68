-module(observed_reductions).
-export([main/1]).
%% What it costs a process to be asked, and how much bump_reductions/1 counts at most.
main(_) ->
    P = spawn_link(fun() -> receive stop -> ok end end),
    receive after 50 -> ok end,
    [io:format("~0p ~p~n", [I, cost(P, fun() -> process_info(P, I) end)]) || I <- items()],
    io:format("process_info/1 ~p~n", [cost(P, fun() -> process_info(P) end)]),
    [io:format("~0p: at most a slice: ~p~n", [N, bumped(N)]) || N <- [1, 2000, 4000, 5000, 1 bsl 20, (1 bsl 27) - 1]],
    Q = spawn_link(fun() -> erlang:bump_reductions(1 bsl 27 - 1), receive stop -> ok end end),
    receive after 50 -> ok end,
    io:format("waiting: ~p~n", [reductions(Q) < 5000]).

items() ->
    [registered_name, [registered_name], current_function, initial_call, status, messages, message_queue_len, links, monitors,
     monitored_by, dictionary, trap_exit, error_handler, heap_size, stack_size, memory, garbage_collection, group_leader, reductions,
     priority, trace, binary, sequential_trace_token, catchlevel, backtrace, last_calls, total_heap_size, suspending, min_heap_size,
     min_bin_vheap_size, max_heap_size, current_location, current_stacktrace, message_queue_data, garbage_collection_info, magic_ref,
     fullsweep_after, parent, [], [status, priority], [status, links], [links, memory, messages, messages], [reductions, status]].

cost(P, Ask) -> Before = reductions(P), Ask(), reductions(P) - Before.

bumped(N) ->
    Me = self(),
    spawn_link(fun() -> A = reductions(self()), erlang:bump_reductions(N), Me ! {N, reductions(self()) - A} end),
    receive {N, Counted} -> Counted >= min(N, 3500) andalso Counted < 4100 orelse N < 3500 andalso Counted < N + 100 end.

reductions(P) -> element(2, process_info(P, reductions)).
