%% process_info, process_flag, suspending, collecting, group leaders, the dictionary.
-module(proc_info).
-export([main/1, waits/1, log/2]).
-include("show.hrl").

main(_Args) ->
    P = spawn(?MODULE, waits, [1]), waiting(P),
    {D, DR} = spawn_monitor(fun() -> ok end), receive {'DOWN', DR, _, _, _} -> ok end,
    [begin io:format("~0p: ", [I]), ?S(process_info(P, I)) end || I <- items()],
    ?S([K || {K, _} <- process_info(P)]), ?S({process_info(D), process_info(D, status), process_info(D, [status]), process_info(D, [])}),
    ?S(process_info(D, id(foo))), ?S(process_info(id(x), status)), ?S(process_info(self(), [status, current_function, message_queue_len])),
    ?S(queue(P)), ?S(names(P)), ?S(relations(P)), ?S(located()),
    [begin io:format("~0p: ", [F]), ?S(process_flag(element(1, F), element(2, F))) end || F <- flags()],
    ?S(process_flag(self(), save_calls, 10)), ?S(process_flag(self(), save_calls, 0)), ?S(process_flag(P, save_calls, 5)),
    ?S(process_flag(self(), id(foo), 0)), ?S(process_flag(id(x), save_calls, 0)), ?S(process_flag(D, save_calls, 1)),
    ?S(group_leader(id(x), self())), ?S(group_leader(self(), id(x))), ?S(group_leader(self(), D)), ?S(leads(P)),
    ?S(suspends(P)), ?S(erlang:resume_process(P)), ?S(erlang:suspend_process(self())), ?S(erlang:suspend_process(D)),
    ?S(erlang:suspend_process(P, id([foo]))), ?S(erlang:suspend_process(P, id(foo))), ?S(asynchronous(P)), ?S(suspends_often(P, 300)), ?S(erlang:resume_process(D)),
    ?S(erlang:garbage_collect()), ?S(erlang:garbage_collect(P)), ?S(erlang:garbage_collect(D)), ?S(erlang:garbage_collect(id(x))),
    ?S(erlang:garbage_collect(P, id([foo]))), ?S(erlang:garbage_collect(P, [{type, minor}])), ?S(erlang:garbage_collect(self(), [{type, major}])), ?S(collects(P, D)),
    ?S(erlang:check_process_code(self(), lists)), ?S(erlang:check_process_code(P, lists)), ?S(erlang:check_process_code(D, lists)), ?S(erlang:check_process_code(P, id(1))),
    ?S(erlang:bump_reductions(id(x))), ?S(erlang:bump_reductions(id(-1))), ?S(erlang:process_display(id(x), backtrace)), ?S(erlang:process_display(self(), id(x))),
    ?S(shrinks()), ?S(dictionary()), ?S(limited(true)), ?S(limited(false)), ?S(looked_at(P)), ?S(bound()), ?S(hibernates()), ?S(queue_counts()), ?S(looked_at_often()), ?S(yields()), ?S(told_of_limit()), ?S(default_limits()).

waits(N) -> receive {stop, N} -> ok end.

items() ->
    [foo, [foo], [status | x], 1, [], [status, status], registered_name, [registered_name], binary, magic_ref, trace, suspending,
     last_calls, sequential_trace_token, catchlevel, monitors, links, monitored_by, max_heap_size, current_function,
     current_location, current_stacktrace, min_heap_size, status, initial_call, message_queue_data, error_handler, dictionary,
     fullsweep_after, priority, trap_exit, messages, message_queue_len, {dictionary, a}, async_dist].

queue(P) -> P ! a, P ! {b, "x"}, R = process_info(P, [messages, message_queue_len]), R.
names(P) ->
    register(named, P),
    A = {process_info(P, registered_name), process_info(P, [registered_name]), hd(process_info(P))},
    B = show:quiet(fun() -> register(again, P) end), C = show:quiet(fun() -> register(named, self()) end),
    unregister(named), {A, B, C, process_info(P, registered_name)}.
relations(P) ->
    link(P), R = monitor(process, P), S = self(),
    A = {process_info(P, links) =:= {links, [S]}, process_info(P, monitored_by) =:= {monitored_by, [S]}, process_info(S, monitors) =:= {monitors, [{process, P}]}},
    unlink(P), demonitor(R),
    {A, process_info(P, links), process_info(P, monitored_by), process_info(S, monitors)}.
located() ->
    {current_stacktrace, [{M, F, A, _} | _]} = process_info(self(), current_stacktrace),
    {current_location, {M, F, A, L}} = process_info(self(), current_location),
    {M, F, A, L}.

flags() ->
    [{trap_exit, x}, {trap_exit, true}, {trap_exit, false}, {priority, x}, {priority, high}, {priority, normal}, {message_queue_data, x}, {min_heap_size, -1},
     {min_heap_size, x}, {min_heap_size, 5000}, {min_heap_size, 10}, {min_heap_size, 10}, {min_bin_vheap_size, -1}, {min_bin_vheap_size, 50000},
     {min_bin_vheap_size, 10}, {fullsweep_after, -1}, {fullsweep_after, 5}, {fullsweep_after, 65535}, {max_heap_size, 10}, {max_heap_size, #{size => 10000000, kill => false}},
     {max_heap_size, 0}, {max_heap_size, x}, {save_calls, -1}, {save_calls, 10}, {save_calls, 0}, {save_calls, 10001}, {sensitive, x},
     {sensitive, true}, {sensitive, false}, {error_handler, 1}, {error_handler, foo}, {error_handler, error_handler}, {foo, 1}, {1, 2}, {async_dist, true}].

leads(P) -> Old = element(2, process_info(P, group_leader)), true = group_leader(self(), P), R = process_info(P, group_leader) =:= {group_leader, self()}, group_leader(Old, P), R.
suspends(P) ->
    erlang:suspend_process(P), erlang:suspend_process(P),
    {suspending, [{P, N, 0}]} = process_info(self(), suspending),
    {N, process_info(P, status), erlang:suspend_process(P, [unless_suspending]), erlang:resume_process(P), erlang:resume_process(P), process_info(self(), suspending)}.
asynchronous(P) ->
    true = erlang:suspend_process(P, [{asynchronous, tag}]),
    R = receive {tag, X} -> X after 5000 -> none end,
    Again = erlang:suspend_process(P, [{asynchronous, tag}, unless_suspending]),
    Told = receive {tag, Y} -> Y after 1000 -> none end,
    {Dead, Ref} = spawn_monitor(fun() -> ok end), receive {'DOWN', Ref, _, _, _} -> ok end,
    Gone = [erlang:suspend_process(Dead, [{asynchronous, tag} | O]) || O <- [[], [unless_suspending]]],
    {R, erlang:suspend_process(P, [asynchronous, unless_suspending]), Again, Told, Gone, flushed(), erlang:resume_process(P)}.
flushed() -> receive M -> [M | flushed()] after 0 -> [] end.
suspends_often(P, N) ->
    [true = erlang:suspend_process(P) || _ <- lists:seq(1, N)], [true = erlang:resume_process(P) || _ <- lists:seq(2, N)],
    {process_info(P, status), erlang:resume_process(P), process_info(P, status)}.
collects(P, D) ->
    async = erlang:garbage_collect(P, [{async, 1}]), async = erlang:garbage_collect(D, [{async, 2}]), async = erlang:garbage_collect(self(), [{async, 3}]),
    [receive {garbage_collect, N, R} -> {N, R} after 5000 -> none end || N <- [1, 2, 3]].
shrinks() ->
    L = lists:seq(1, 100000), {total_heap_size, A} = process_info(self(), total_heap_size), true = length(L) > 0,
    erlang:garbage_collect(), {total_heap_size, B} = process_info(self(), total_heap_size), B < A.

dictionary() ->
    erase(),
    N = 3000, [put({k, I}, I) || I <- lists:seq(1, N)], [put(float(I), I) || I <- lists:seq(1, 10)], [put(I, I) || I <- lists:seq(1, 10)],
    [erase({k, I}) || I <- lists:seq(1, N), I rem 3 =/= 0], erlang:garbage_collect(),
    Right = lists:all(fun(I) -> get({k, I}) =:= case I rem 3 of 0 -> I; _ -> undefined end end, lists:seq(1, N)),
    {Right, length(get()), length(get_keys()), get(1), get(1.0), length(get_keys(3)), erase(1.0), get(1.0), length(erase()), get(), get_keys()}.

%% A process that outgrows its limit: killed or not.
limited(Kill) ->
    {_, R} = spawn_opt(fun() -> exit({grew, length(grow(30000, []))}) end, [monitor, {max_heap_size, #{size => 20000, kill => Kill, error_logger => false}}]),
    receive {'DOWN', R, _, _, Why} -> Why end.
grow(0, L) -> L;
grow(N, L) -> grow(N - 1, [N | L]).

%% Looking at a process that only waits does not make it grow.
looked_at(P) ->
    {memory, A} = process_info(P, memory), [process_info(P) || _ <- lists:seq(1, 1000)], {memory, B} = process_info(P, memory),
    B =< 2 * A.

%% process_flag(scheduler, N): runs there only; 0: anywhere.
bound() ->
    Last = erlang:system_info(schedulers),
    Bound = [begin
                 {_, R} = spawn_opt(fun() -> exit({erlang:system_info(scheduler_id) =:= S, process_flag(scheduler, 0), process_flag(scheduler, Last)}) end, [{scheduler, S}, monitor]),
                 receive {'DOWN', R, _, _, {Here, Was, 0}} -> {Here, Was =:= S}; {'DOWN', R, _, _, X} -> X end
             end || S <- [1, Last]],
    {Bound, show:quiet(fun() -> process_flag(scheduler, Last + 1) end), show:quiet(fun() -> process_flag(scheduler, -1) end),
     show:quiet(fun() -> spawn_opt(fun() -> ok end, [{scheduler, Last + 1}]) end)}.

%% A process that hibernates is as large as what it keeps.
hibernates() ->
    P = spawn(fun() -> put(k, lists:seq(1, 1000)), erase(k), erlang:hibernate(?MODULE, waits, [1]) end),
    Sizes = hibernated(P),
    exit(P, kill),
    [S =< 12 || {_, S} <- Sizes].
hibernated(P) ->
    case process_info(P, current_function) of
        {current_function, {erlang, hibernate, 3}} -> process_info(P, [heap_size, total_heap_size]);
        _ -> receive after 1 -> hibernated(P) end
    end.

%% Messages in the queue (10100 words) count for a process that has them on heap.
%% A process that others look at while it works misses nothing, and is seen to wait with what it has got.
looked_at_often() ->
    Server = spawn_link(fun() -> echoes(0) end), S = self(),
    Lookers = [spawn_link(fun() -> S ! {seen, lists:usort([lists:map(fun({K, _}) -> K end, process_info(Server, [status, message_queue_len, trap_exit])) || _ <- lists:seq(1, 3000)])} end) || _ <- [1, 2]],
    [spawn_link(fun() -> [begin Server ! {self(), N}, receive {Server, N} -> ok end end || N <- lists:seq(1, 1000)], S ! done end) || _ <- [1, 2, 3]],
    [receive done -> ok end || _ <- [1, 2, 3]],
    Seen = [receive {seen, Keys} -> Keys end || _ <- Lookers],
    Server ! {self(), total}, Total = receive {Server, N} -> N end,
    Server ! ignored, Server ! ignored, waiting(Server),
    Waits = [process_info(Server, [status, message_queue_len, registered_name, priority]) || _ <- [1, 2]],
    unlink(Server), exit(Server, kill), {Seen, Total, Waits}.
waiting(P) -> case process_info(P, status) of {status, waiting} -> ok; _ -> erlang:yield(), waiting(P) end.
echoes(N) ->
    receive
        {From, total} -> From ! {self(), N}, echoes(N);
        {From, X} -> From ! {self(), X}, echoes(N + 1)
    end.
queue_counts() ->
    [begin
         P = spawn_opt(?MODULE, waits, [1], [{message_queue_data, D}]),
         {_, Before} = process_info(P, total_heap_size),
         [P ! lists:duplicate(N, N) || N <- lists:seq(1, 100)],
         process_info(P, message_queue_len),
         {_, After} = process_info(P, total_heap_size),
         {Q, R} = spawn_opt(?MODULE, waits, [1], [{message_queue_data, D}, {max_heap_size, #{size => 1024, error_logger => false}}, monitor]),
         [Q ! lists:duplicate(N, N) || N <- lists:seq(1, 100)],
         process_info(Q, messages), erlang:garbage_collect(Q),
         Fate = receive {'DOWN', R, _, _, Why} -> Why after 300 -> lives end,
         exit(P, kill), exit(Q, kill),
         {Before + 5000 < After, Fate}
     end || D <- [on_heap, off_heap]].

%% Who yields does not pay for what was left of its slice.
yields() ->
    {reductions, Before} = process_info(self(), reductions),
    [erlang:yield() || _ <- lists:seq(1, 10)],
    {reductions, After} = process_info(self(), reductions),
    After - Before < 1000.

%% What the logger hears of a heap that becomes too large.
told_of_limit() ->
    ok = logger:add_handler(told, ?MODULE, #{config => #{pid => self()}}),
    Default = logger:get_handler_config(default),
    logger:remove_handler(default),
    #{level := Level} = logger:get_primary_config(),
    logger:set_primary_config(level, error),
    {P, R} = spawn_opt(fun() -> grow(30000, []) end, [monitor, {max_heap_size, 20000}]),
    receive {'DOWN', R, process, P, Reason} -> Reason end,
    Told = receive {told, P, Format, [Max, Words, Kill, Log, Queue, Info]} -> {Format, Max, Words > Max, Kill, Log, Queue, lists:sort([K || {K, V} <- Info, is_integer(V)])}
           after 5000 -> nothing end,
    logger:remove_handler(told),
    logger:set_primary_config(level, Level),
    [logger:add_handler(default, M, C) || {ok, #{module := M} = C} <- [Default]],
    {Reason, Told}.
log(#{msg := {Format, [P | Args]}, meta := #{error_logger := #{emulator := true, tag := error}}}, #{config := #{pid := To}}) -> To ! {told, P, Format, Args};
log(_, _) -> ok.

%% What an option does not say is as the machine's default.
default_limits() ->
    Of = fun(O) -> P = spawn_opt(fun() -> receive x -> ok end end, O), {_, M} = process_info(P, max_heap_size), exit(P, kill), M end,
    Flag = fun(V) -> process_flag(max_heap_size, V) end,
    All = [begin
               erlang:system_flag(max_heap_size, Default),
               {[Of(O) || O <- [[], [{max_heap_size, 50000}], [{max_heap_size, #{size => 50000}}], [{max_heap_size, #{size => 50000, kill => true}}],
                                [{max_heap_size, #{size => 50000, kill => true}}, {max_heap_size, 60000}]]],
                [Flag(V) || V <- [1000000, #{size => 2000000}, #{size => 3000000, kill => true}, #{size => 4000000}, 0]]}
           end || Default <- [#{size => 0, kill => false, error_logger => false}, #{size => 5000000, kill => true, error_logger => false}]],
    erlang:system_flag(max_heap_size, #{size => 0, kill => true, error_logger => true}),
    Flag(0),
    All.
