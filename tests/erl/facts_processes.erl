%% What OTP settles about processes, row by row: spawning, names, flags, what process_info tells, collecting, hibernating,
%% suspending, timers. README.md lists which row is reproduced by which case.
-module(facts_processes).
-export([main/1, waits/0, woken/1]).
-include("show.hrl").

main(_Args) ->
    %% 5. spawn_opt and spawn_request
    [?S({O, spawn_option(O)}) || O <- spawn_options()], ?S(spawn_results()), ?S(rounded()), ?S(requests()), ?S(no_replies()), ?S(unknown_node()), ?S(bad_request()),
    %% 6. names
    ?S(registrations()),
    %% 7. flags
    [?S({F, flag(F, V)}) || {F, V} <- flags()], ?S(bad_flags()), ?S(queue_moves()),
    %% 8. process_info
    ?S(name_item()), ?S(calls()), ?S(locations()), ?S(states()), ?S(queued()), ?S(relations()), ?S(dictionaries()), ?S(settings()), ?S(sizes()), ?S(collection()), ?S(collection_info()), ?S(texts()), ?S(set_sizes()),
    ?S(fails(fun() -> process_info(self(), id(async_dist)) end)), ?S(usual()), ?S(of_dead()),
    %% 10. collecting, hibernating, suspending, timers
    ?S(collects()), ?S(hibernates()), ?S(suspends()), ?S(timers()), ?S(wrong_timers()), ?S(afters()), ?S(leaders()).

waits() -> receive stop -> ok end.
waiting() -> P = spawn(?MODULE, waits, []), until_waiting(P), P.
until_waiting(P) -> case process_info(P, status) of {status, waiting} -> ok; _ -> erlang:yield(), until_waiting(P) end.
dead() -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> P end.
fails(Fun) -> try Fun() catch error:Reason:Stack -> {_, _, _, Info} = hd(Stack), {Reason, maps:get(cause, proplists:get_value(error_info, Info, #{}), no_cause)} end.
apart(Fun) -> {_, R} = spawn_monitor(fun() -> exit({said, Fun()}) end), receive {'DOWN', R, _, _, {said, X}} -> X; {'DOWN', R, _, _, Why} -> {died, Why} end.
flushed() -> receive M -> [M | flushed()] after 0 -> [] end.

%% --- spawn_opt and spawn_request
spawn_options() ->
    [link, monitor, {monitor, [{tag, t}]}, {priority, low}, {priority, normal}, {priority, high}, {priority, max}, {fullsweep_after, 5}, {min_heap_size, 500}, {min_bin_vheap_size, 50000},
     {max_heap_size, 100000}, {max_heap_size, #{size => 0}}, {message_queue_data, on_heap}, {message_queue_data, off_heap}, {async_dist, true}, unknown].
spawn_option(O) -> apart(fun() -> fails(fun() -> case spawn_opt(fun() -> ok end, [O]) of P when is_pid(P) -> pid; {P, R} when is_pid(P), is_reference(R) -> {pid, ref} end end) end).
spawn_results() -> {is_pid(spawn_opt(fun() -> ok end, [])), element(1, id({spawn_opt(fun() -> ok end, [monitor])})) =/= x, [W || {'DOWN', _, process, _, W} <- [receive D -> D end]]}.
rounded() -> P = spawn_opt(?MODULE, waits, [], [{min_heap_size, 5000}, {min_bin_vheap_size, 50000}]), process_info(P, [min_heap_size, min_bin_vheap_size]).
requests() ->
    A = spawn_request(?MODULE, waits, [], []), Plain = receive {spawn_reply, A, ok, P} -> is_pid(P) end,
    B = spawn_request(?MODULE, waits, [], [{reply_tag, tag}]), Tagged = receive {tag, B, ok, Q} -> is_pid(Q) end,
    C = spawn_request(fun() -> exit(over) end, [monitor]), Watched = receive {'DOWN', C, process, S, W} -> receive {spawn_reply, C, ok, S} -> W end end,
    {Plain, Tagged, Watched}.
no_replies() -> [begin R = spawn_request(?MODULE, waits, [], [{reply, How}]), {How, receive {spawn_reply, R, _, _} -> came after 20 -> nothing end, spawn_request_abandon(R)} end || How <- [no, error_only]].
unknown_node() -> R = spawn_request(somewhere@else, ?MODULE, waits, [], []), receive {spawn_reply, R, A, B} -> {A, B} end.
bad_request() -> R = spawn_request(?MODULE, waits, [], [unknown]), receive {spawn_reply, R, A, B} -> {A, B} end.

%% --- names
registrations() ->
    P = waiting(), D = dead(), true = register(a_name, P),
    {fails(fun() -> register(id(undefined), self()) end), fails(fun() -> register(a_name, self()) end), fails(fun() -> register(other_name, D) end), fails(fun() -> register(other_name, P) end),
     fails(fun() -> unregister(no_such_name) end), unregister(a_name)}.

%% --- flags
flags() ->
    [{trap_exit, true}, {priority, low}, {message_queue_data, off_heap}, {error_handler, other}, {save_calls, 10}, {min_heap_size, 233}, {min_bin_vheap_size, 46422}, {fullsweep_after, 7},
     {max_heap_size, #{size => 0}}, {sensitive, true}, {async_dist, true}].
flag(F, V) -> apart(fun() -> {fails(fun() -> process_flag(F, V) end), fails(fun() -> process_flag(F, id(wrong_value)) end)} end).
bad_flags() -> {fails(fun() -> process_flag(id(unknown), 1) end), fails(fun() -> process_flag(self(), id(trap_exit), true) end), process_flag(self(), save_calls, 0)}.
queue_moves() ->
    apart(fun() ->
        [self() ! {N, lists:seq(1, N)} || N <- lists:seq(1, 50)], on_heap = process_flag(message_queue_data, off_heap),
        [self() ! {N, lists:seq(1, N)} || N <- lists:seq(51, 100)], off_heap = process_flag(message_queue_data, on_heap),
        [N || {N, L} <- flushed(), L =:= lists:seq(1, N)] =:= lists:seq(1, 100)
    end).

%% --- process_info of a process that waits and has one message
named() -> P = waiting(), P ! message, P.
name_item() -> P = named(), A = {process_info(P, registered_name), process_info(P, [registered_name])}, register(has_name, P), B = process_info(P, registered_name), unregister(has_name), {A, B}.
calls() -> P = named(), Q = spawn(fun() -> waits() end), {process_info(P, [current_function, initial_call]), process_info(Q, initial_call)}.
locations() -> P = named(), {current_location, {M, F, A, L}} = process_info(P, current_location), {current_stacktrace, S} = process_info(P, current_stacktrace), {M, F, A, [K || {K, _} <- L], [{X, Y, Z} || {X, Y, Z, _} <- S]}.
states() ->
    P = named(), until_waiting(P), A = process_info(P, status), erlang:suspend_process(P), B = process_info(P, status), erlang:resume_process(P), C = process_info(self(), status),
    {A, B, C}.
queued() -> process_info(named(), [messages, message_queue_len]).
relations() ->
    apart(fun() ->
        P = named(), link(P), monitor(process, P), register(is_watched, P), monitor(process, is_watched),
        R = {process_info(self(), links) =:= {links, [P]}, lists:sort(element(2, process_info(self(), monitors))) =:= lists:sort([{process, P}, {process, {is_watched, node()}}]),
             process_info(P, monitored_by) =:= {monitored_by, [self(), self()]}},
        unlink(P), unregister(is_watched), R
    end).
dictionaries() -> Me = self(), P = spawn(fun() -> put(key, value), Me ! ready, waits() end), receive ready -> ok end, {process_info(P, dictionary), fails(fun() -> process_info(P, id({dictionary, key})) end)}.
settings() -> P = named(), {process_info(P, [priority, trap_exit, error_handler, catchlevel]), process_info(P, parent) =:= {parent, self()}, process_info(P, group_leader) =:= {group_leader, group_leader()}}.
sizes() -> [{K, is_integer(V)} || {K, V} <- process_info(named(), [heap_size, total_heap_size, stack_size, memory, reductions])].
collection() -> {_, L} = process_info(named(), garbage_collection), [{K, K =:= minor_gcs orelse V} || {K, V} <- L].
collection_info() -> {_, L} = process_info(named(), garbage_collection_info), [{K, is_integer(V)} || {K, V} <- L].
texts() ->
    Me = self(), B = list_to_binary(lists:duplicate(1000, 1)),
    P = spawn(fun() -> Me ! ready, receive stop -> Me ! B end end), receive ready -> ok end, until_waiting(P),
    {binary, [{Id, 1000, Count}]} = process_info(P, binary), {backtrace, Text} = process_info(P, backtrace),
    {is_integer(Id), Count >= 2, is_binary(Text), process_info(P, [last_calls, sequential_trace_token, suspending, trace, magic_ref])}.
set_sizes() -> process_info(named(), [min_heap_size, min_bin_vheap_size, fullsweep_after, max_heap_size, message_queue_data]).
usual() -> P = named(), A = [K || {K, _} <- process_info(P)], register(usual_name, P), [B | _] = process_info(P), unregister(usual_name), {A, B}.
of_dead() -> D = dead(), {process_info(D), process_info(D, status), fails(fun() -> process_info(self(), id(unknown)) end)}.

%% --- collecting, hibernating, suspending, timers
collects() ->
    P = waiting(),
    {erlang:garbage_collect(), erlang:garbage_collect(P), erlang:garbage_collect(dead()), erlang:garbage_collect(P, [{async, mine}]), receive {garbage_collect, mine, R} -> R end,
     [erlang:garbage_collect(P, [{type, T}]) || T <- [minor, major]], begin D = dead(), erlang:garbage_collect(D, [{async, its}]), receive {garbage_collect, its, S} -> S end end, fails(fun() -> erlang:garbage_collect(P, id([bad])) end)}.
woken(To) -> receive M -> To ! {woken, M, process_info(self(), catchlevel)} end.
hibernates() ->
    Me = self(), P = spawn(fun() -> L = lists:seq(1, 10000), try erlang:hibernate(?MODULE, woken, [Me]) catch _:_ -> Me ! {caught, L} end end),
    Until = fun U() -> process_info(P, current_function) =:= {current_function, {erlang, hibernate, 3}} orelse begin erlang:yield(), U() end end, Until(),
    A = process_info(P, status), {_, Heap} = process_info(P, heap_size), P ! wake_up, {A, Heap < 30, receive {woken, _, _} = W -> W end}.
suspends() ->
    P = waiting(),
    {erlang:suspend_process(P), process_info(P, status), erlang:suspend_process(P, [unless_suspending]), erlang:resume_process(P), fails(fun() -> erlang:resume_process(P) end), fails(fun() -> erlang:suspend_process(self()) end)}.
timers() ->
    A = erlang:send_after(5, self(), hello), B = receive hello -> hello end,
    C = erlang:start_timer(5, self(), hello), D = receive {timeout, C, M} -> M end,
    Long = fun() -> erlang:send_after(100000, self(), never) end, E = Long(),
    {B, D, erlang:cancel_timer(A), erlang:read_timer(A), is_integer(erlang:read_timer(E)), is_integer(erlang:cancel_timer(E)), erlang:cancel_timer(E), erlang:cancel_timer(Long(), [{info, false}]),
     begin F = Long(), ok = erlang:cancel_timer(F, [{async, true}]), receive {cancel_timer, F, N} -> is_integer(N) end end, begin ok = erlang:cancel_timer(E, [{async, true}]), receive {cancel_timer, E, X} -> X end end}.
wrong_timers() -> [fails(fun() -> erlang:send_after(id(T), self(), x) end) || T <- [-1, 1 bsl 70]].
afters() -> [show:quiet(fun() -> self() ! here, receive here -> here after id(T) -> late end end) || T <- [0, 16#ffffffff, infinity]] ++ [show:quiet(fun() -> receive never -> here after id(T) -> late end end) || T <- [0, -1, 16#100000000, x]].
leaders() -> P = waiting(), {group_leader(self(), P), [fails(fun() -> group_leader(id(A), id(B)) end) || {A, B} <- [{no_pid, P}, {self(), no_pid}, {self(), dead()}]]}.
