%% Processes: spawn in all shapes, names, dictionary, flags, process_info, hibernation.
%% args: 100000
%% args gc-stress: 5000
-module(processes).
-export([main/1, entry/2, woken/2]).
-include("show.hrl").

main([Depth]) ->
    ?S(spawned(fun(F) -> spawn(F) end)), ?S(spawned(fun(F) -> spawn_link(F) end)), ?S(spawned(fun(F) -> spawn_opt(F, [link, {priority, high}]) end)), ?S(spawn_mfa()),
    ?S(spawn(nomodule, f, [])), ?S(spawn(lists, id(1), [])), ?S(spawn(lists, map, x)), ?S(spawn_link(a, b, [c | d])), ?S(spawn_opt(fun() -> ok end, x)), ?S(is_process_alive(self())), ?S(is_process_alive(x)),
    ?S(names()), ?S(register(undefined, self())), ?S(register(a_name, x)), ?S(unregister(no_name)), ?S(whereis(no_name)), ?S(whereis(1)), ?S(register_twice()), ?S(name_freed()),
    ?S(dictionary()), ?S(flags()), ?S(process_flag(nothing, 1)), ?S(infos()), ?S(process_info(self(), nothing)), ?S(process_info(x)), ?S(process_info(self(), [registered_name, trap_exit])), ?S(dead_info()),
    ?S(hibernates()), ?S(many(10000)), ?S(spawn_tree(12)), ?S(deep_stack(list_to_integer(Depth))), ?S(group_leaders()), ?S(yields()), ?S(suspended()), ?S(priorities()), ?S(max_heap()), ?S(queue_data()),
    ?S(pids()), ?S(list_to_pid("<0.1.0>") =:= list_to_pid("<0.1.0>")), ?S(list_to_pid("nonsense")), ?S(pid_to_list(id(x))), ?S(is_list(ref_to_list(make_ref()))), ?S(self() =:= list_to_pid(pid_to_list(self()))),
    ?S(unique()), ?S(garbage()), ?S(node()), ?S(nodes()), ?S(is_alive()), ?S(node(self())), ?S(process_display_bad()), ?S(bump()), ?S(exit_reason_collected()), ?S(initial_call()), ?S(current_function()),
    ?S(process_info(self(), message_queue_len)), ?S(spawn_request_test()), ?S(parallel_map(lists:seq(1, 50))), ?S(length([P || P <- erlang:processes(), is_pid(P)]) > 0), ?S(lists:member(self(), processes())).

spawned(Spawn) ->
    Self = self(),
    P = Spawn(fun() -> Self ! {self(), hello} end),
    receive {P, hello} -> ok after 5000 -> timeout end.

entry(To, X) -> To ! {entry, X}.

spawn_mfa() ->
    spawn(?MODULE, entry, [self(), 1]), spawn_link(?MODULE, entry, [self(), 2]), {_, R} = spawn_monitor(?MODULE, entry, [self(), 3]),
    Got = lists:sort([receive {entry, X} -> X end || _ <- [1, 2, 3]]),
    receive {'DOWN', R, process, _, normal} -> Got end.

names() ->
    Self = self(),
    P = spawn(fun() -> receive {ask, F} -> F ! {name, process_info(self(), registered_name)} end, receive stop -> ok end end),
    true = register(my_process, P),
    my_process ! {ask, Self},
    A = receive {name, N} -> N end,
    {my_process, node()} ! ignored,
    B = whereis(my_process) =:= P,
    C = lists:member(my_process, registered()),
    true = unregister(my_process),
    D = process_info(P, registered_name),
    exit(P, kill),
    {A, B, C, D, whereis(my_process)}.

register_twice() -> register(twice, self()), try register(thrice, self()) after unregister(twice) end.

name_freed() ->
    {P, R} = spawn_monitor(fun() -> receive stop -> ok end end),
    register(freed, P), P ! stop,
    receive {'DOWN', R, _, _, _} -> whereis(freed) end.

dictionary() ->
    erase(),
    A = put(k, 1), B = put(k, 2), C = get(k), D = get(missing), put({complex, "key"}, #{v => 1}), put(1, int), put(2.0, float),
    E = lists:sort(get()), F = lists:sort(get_keys()), G = get_keys(2), H = erase(k), I = erase(k),
    [put({n, N}, N * N) || N <- lists:seq(1, 2000)],
    J = lists:sum([get({n, N}) || N <- lists:seq(1, 2000)]),
    [erase({n, N}) || N <- lists:seq(1, 2000, 2)],
    K = length(get()), {K, []} = {length(erase()), get()},
    {A, B, C, D, E, F, G, H, I, J, K}.

flags() ->
    [{F, process_flag(F, V), process_flag(F, process_flag(F, V))}
     || {F, V} <- [{trap_exit, true}, {priority, low}, {min_heap_size, 1000}, {fullsweep_after, 10}, {message_queue_data, off_heap}, {save_calls, 0}]] ++
    [process_flag(trap_exit, false), process_flag(priority, normal), process_flag(message_queue_data, on_heap), show:quiet(fun() -> process_flag(priority, x) end)].

infos() ->
    [{K, is_tuple(process_info(self(), K))} || K <- [current_function, current_location, current_stacktrace, dictionary, garbage_collection, group_leader, heap_size, initial_call, links, memory, message_queue_len, messages, min_heap_size, monitored_by, monitors, priority, reductions, stack_size, status, suspending, total_heap_size, trap_exit, message_queue_data, catchlevel, binary, error_handler, last_calls, garbage_collection_info, fullsweep_after, parent, async_dist] , show:quiet(fun() -> process_info(self(), K) end) =/= {error, badarg}].

dead_info() -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> {process_info(P), process_info(P, messages), process_info(P, [messages])} end.

hibernates() ->
    Self = self(),
    P = spawn(fun() -> put(kept, yes), Big = lists:seq(1, 1000), erlang:hibernate(?MODULE, woken, [Self, length(Big)]) end),
    P ! {wake, 42},
    receive {woken, X} -> X after 5000 -> timeout end.

woken(To, N) -> receive {wake, M} -> To ! {woken, {N, M, get(kept)}} end.

many(N) ->
    Self = self(),
    Pids = [spawn(fun() -> receive {add, X} -> Self ! {sum, X * 2} end end) || _ <- lists:seq(1, N)],
    lists:foldl(fun(P, I) -> P ! {add, I}, I + 1 end, 1, Pids),
    lists:sum([receive {sum, S} -> S end || _ <- Pids]).

spawn_tree(0) -> 1;
spawn_tree(N) ->
    Self = self(),
    Ref = make_ref(),
    [spawn(fun() -> Self ! {Ref, spawn_tree(N - 1)} end) || _ <- [1, 2]],
    lists:sum([receive {Ref, X} -> X end || _ <- [1, 2]]).

deep_stack(N) ->
    {_, R} = spawn_monitor(fun() -> exit({sum, sum(N)}) end),
    receive {'DOWN', R, _, _, Reason} -> Reason end.
sum(0) -> 0;
sum(N) -> N + sum(N - 1).

group_leaders() ->
    Self = self(),
    P = spawn(fun() -> group_leader(Self, self()), spawn(fun() -> Self ! {gl, group_leader()} end), receive stop -> ok end end),
    A = receive {gl, G} -> G =:= Self end,
    P ! stop,
    {A, is_pid(group_leader()), show:quiet(fun() -> group_leader(x, self()) end)}.

yields() -> {erlang:yield(), erlang:bump_reductions(100)}.

suspended() ->
    Self = self(),
    P = spawn(fun() -> receive go -> Self ! went end end),
    true = erlang:suspend_process(P),
    P ! go,
    A = receive went -> went after 20 -> still end,
    B = process_info(P, status),
    true = erlang:resume_process(P),
    {A, B, receive went -> went after 5000 -> lost end}.

priorities() ->
    Self = self(),
    [spawn_opt(fun() -> Self ! {prio, process_info(self(), priority)} end, [{priority, L}]) || L <- [low, normal, high, max]],
    lists:sort([receive {prio, X} -> X end || _ <- [1, 2, 3, 4]]).

max_heap() ->
    {_, R} = spawn_opt(fun() -> grow([]) end, [monitor, {max_heap_size, #{size => 100000, kill => true, error_logger => false}}]),
    receive {'DOWN', R, _, _, Reason} -> Reason end.
grow(L) -> grow([lists:seq(1, 100) | L]).

queue_data() ->
    Self = self(),
    [begin
         P = spawn_opt(fun() -> Self ! ready, collect(1000, []) end, [{message_queue_data, D}, link]),
         receive ready -> ok end,
         [P ! {I, lists:seq(1, 10), Self} || I <- lists:seq(1, 1000)],
         receive {collected, X} -> X end
     end || D <- [on_heap, off_heap]].
collect(0, [{_, _, From} | _] = L) -> From ! {collected, {length(L), lists:sum([I || {I, _, _} <- L])}};
collect(N, L) -> receive M -> collect(N - 1, [M | L]) end.

pids() -> P = spawn(fun() -> ok end), {is_pid(P), P =/= self(), hd(pid_to_list(P))}.

unique() ->
    A = erlang:unique_integer([monotonic, positive]), B = erlang:unique_integer([monotonic, positive]),
    Refs = [make_ref() || _ <- lists:seq(1, 1000)],
    {A < B, length(lists:usort(Refs)), is_integer(erlang:unique_integer()), show:quiet(fun() -> erlang:unique_integer([x]) end)}.

garbage() -> {erlang:garbage_collect(), erlang:garbage_collect(spawn(fun() -> receive x -> ok end end)), show:quiet(fun() -> erlang:garbage_collect(x) end)}.

process_display_bad() -> erlang:process_display(id(x), backtrace).

bump() -> {reductions, A} = process_info(self(), reductions), erlang:bump_reductions(1000), {reductions, B} = process_info(self(), reductions), B - A >= 1000.

exit_reason_collected() ->
    {_, R} = spawn_monitor(fun() -> exit({big, lists:seq(1, 10), <<"bin">>, #{k => "v"}}) end),
    receive {'DOWN', R, _, _, X} -> X end.

initial_call() ->
    P = spawn(?MODULE, woken, [self(), 1]),
    X = process_info(P, initial_call), P ! {wake, 1}, receive {woken, _} -> X end.

current_function() ->
    P = spawn(?MODULE, woken, [self(), 1]),
    wait_until_waiting(P),
    X = {process_info(P, current_function), process_info(P, status), process_info(P, message_queue_len)},
    P ! {wake, 1}, receive {woken, _} -> X end.
wait_until_waiting(P) -> case process_info(P, status) of {status, waiting} -> ok; _ -> erlang:yield(), wait_until_waiting(P) end.

spawn_request_test() ->
    R = spawn_request(fun() -> ok end, [{reply, yes}]),
    receive {spawn_reply, R, ok, P} -> is_pid(P) after 5000 -> timeout end.

parallel_map(L) ->
    Self = self(),
    Refs = [begin R = make_ref(), spawn(fun() -> Self ! {R, X * X} end), R end || X <- L],
    [receive {R, Y} -> Y end || R <- Refs].
