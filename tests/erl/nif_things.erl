%% Resources, messages, monitors, descriptors, threads and functions that go on as others (tests/nif/nif_things.c).
%% skip replay: its native work sends messages from another thread
%% skip seeds: threads, descriptors and dirty functions of the library follow real time
%% skip repeats: the same
-module(nif_things).
-compile(export_all). -compile(nowarn_export_all).
-compile({no_auto_import, [monitor/2, demonitor/1, whereis/1, port_command/2, number/1]}).
-on_load(load/0).

load() -> erlang:load_nif(library("nif_things"), 0).
library(Name) -> filename:join(os:getenv("WB_NIFS", "build/release/nif"), Name).

-define(P(E), io:format("~s: ~p~n", [??E, E])).

main(_) ->
    resources(), monitors(), messages(), descriptors(), dirty(),
    ?P(turns(fun(_) -> ok end)), ?P(turns(fun(P) -> link(P), unlink(P) end)), ?P(turns(fun(P) -> exit(P, kill) end)),
    ?P(threads()),
    ?P(count_down(6, 0, [])), ?P(count_down(6, 1, [])), ?P(length(count_down(20000, 0, []))), ?P(length(count_down(200, 1, []))),
    ?P(failure(fun() -> raise_later({some, "reason"}) end)),
    ?P([timeslice(N) || N <- [1]]),
    ?P(opened("no/such/library.so", "x")), ?P(opened(library("nif_terms"), "nif_init")), ?P(opened(library("nif_terms"), "surely_not")),
    ?P(callers()),
    ?P(erlang:system_info(taints) -- [crypto]),
    ?P(lists:member({make, 2}, nif_things:module_info(nifs))),
    ?P(call_at_end()).

%% A process in a dirty function, to which something is done, as its tracer sees it.
turns(F) ->
    P = spawn(fun() -> receive go -> sleep_dirty(300) end end),
    1 = erlang:trace(P, true, [running, exiting, procs, scheduler_id]),
    P ! go,
    timer:sleep(100), F(P), timer:sleep(500),
    all_turns(P).
all_turns(P) ->
    receive {trace, P, Tag, What, Scheduler} -> [{Tag, if is_pid(What) -> pid; true -> What end, Scheduler =:= 0} | all_turns(P)] after 0 -> [] end.

failure(F) -> try F() catch Class:Reason:Stack -> {Class, Reason, hd(Stack)} end.

%% --- resources
resources() ->
    Self = self(),
    R = make(Self, 1),
    ?P({is_reference(R), number(R)}),
    ?P(failure(fun() -> number(not_a_thing) end)), ?P(element(1, failure(fun() -> number(make_ref()) end))),
    {Same, Again, Size} = again(R),
    ?P({Same, R =:= Again, Size, number(Again)}),
    ?P(call(nif_things, things, R)), ?P(call(nif_things, nothing, R)), ?P(call(nif_things, plain, R)), ?P(call(nif_things, things, a)),
    ?P(destructed(fun() -> make(Self, 2), ok end, 2)),
    ?P(destructed(fun() -> spawn(fun() -> X = make(Self, 3), receive go -> X end end) ! go end, 3)),
    ?P(destructed(fun() -> spawn(fun() -> X = make(Self, 4), receive never -> X end end), ok end, 4) =:= nothing),
    B = as_binary(make(Self, 5)),
    erlang:garbage_collect(),
    ?P({B, waiting()}),
    ?P(binary_to_term(term_to_binary(R)) =:= R),
    ets:new(things, [named_table, public]),
    ets:insert(things, {6, make(Self, 6)}),
    erlang:garbage_collect(),
    ?P({waiting(), number(ets:lookup_element(things, 6, 2))}),
    erlang:garbage_collect(),
    ?P(destructed(fun() -> ets:delete(things) end, 6)),
    ?P(many(100000)),
    keep(B, R).

keep(_, _) -> ok.

%% In a process of its own, whose end drops what it has.
destructed(F, Number) ->
    spawn(fun() -> F(), erlang:garbage_collect() end),
    receive {destructed, Number} -> yes after 1000 -> nothing end.

%% Not of things that others have done with.
waiting() -> receive {destructed, N} when N =< 10 -> waiting(); M -> M after 50 -> nothing end.

%% --- monitors
monitors() ->
    Self = self(),
    R = make(Self, 10),
    P = spawn(fun() -> receive go -> ok end end),
    ?P(monitor(R, P)), ?P(monitor_term(R)),
    {monitored_by, [By]} = process_info(P, monitored_by),
    ?P(is_reference(By)),
    P ! go,
    ?P(receive {What, 10} -> What after 2000 -> nothing end),
    ?P(demonitor(R)), ?P(monitor(R, P)), ?P(monitor_plain()),
    Q = spawn(fun() -> receive go -> ok end end),
    ?P(monitor(R, Q)), ?P(demonitor(R)), ?P(demonitor(R)),
    ?P(process_info(Q, monitored_by)),
    Q ! go,
    ?P(waiting()),
    Z = spawn(fun() -> receive go -> ok end end),
    ?P(destructed(fun() -> monitor(make(Self, 11), Z) end, 11)),
    ?P(process_info(Z, monitored_by)),
    Z ! go,
    ?P(number(R)).

%% --- messages
messages() ->
    Self = self(),
    ?P(send_copy(Self, {a, [message], <<"with a binary">>})), ?P(waiting()),
    Dead = spawn(fun() -> ok end),
    timer:sleep(20),
    ?P(send_copy(Dead, hello)),
    ?P(send_many(Self, {text, "some"}, 100)), ?P(received(0, 100)),
    ?P(dirty_send_many(Self, {text, "some"}, 100)), ?P(received(0, 100)),
    ?P(send_many(Dead, x, 3)), ?P(send_kept(Dead, {kept, [1, 2], "text", <<"bytes">>, #{a => {b}}})),
    [?P(traced(Send, To, Spec)) || Send <- [fun send_many/3, fun dirty_send_many/3], To <- [Self, Dead],
                                   Spec <- [[], [{['_', {1, '_'}], [], [{message, {{told, {self}}}}]}]]],
    ?P(send_from_thread(Self, {hello, <<1:800>>})), ?P(letters(0, 100)),
    ?P(send_from_foreign(Self, {hello, <<1:800>>})), ?P(letters(0, 100)),
    ?P(self_() =:= self()), ?P(dirty_self() =:= self()),
    register(me, self()),
    ?P(whereis(me) =:= {pid, self()}), ?P(whereis(nobody)), ?P(whereis("me")),
    unregister(me),
    ?P(undefined_pid(hello)),
    Port = open_port({spawn, "cat"}, [binary]),
    ?P(port_command(Port, [<<"to ">>, "the port"])),
    ?P(receive {Port, {data, D}} -> D after 2000 -> nothing end),
    unlink(Port),
    port_close(Port),
    ?P(port_command(Port, "x")).

received(N, N) -> N;
received(K, N) -> receive {K, {text, "some"}} -> received(K + 1, N) after 1000 -> {only, K} end.
letters(N, N) -> N;
letters(K, N) -> receive {letter, [K, {hello, <<1:800>>}, 1152921504606846976]} -> letters(K + 1, N) after 1000 -> {only, K} end.

%% --- descriptors
descriptors() ->
    Self = self(),
    R = make(Self, 20),
    ?P(open_pipe(R)), ?P(select_bad(R)),
    Ref = make_ref(),
    ?P(select_read(R, undefined, Ref)), ?P(waiting()), ?P(write_pipe(R)),
    ?P(receive {select, R, Ref, Kind} -> Kind after 2000 -> nothing end),
    ?P(waiting()), ?P(select_read(R, undefined, undefined)),
    ?P(receive {select, R, undefined, Kind2} -> Kind2 after 2000 -> nothing end),
    ?P(read_pipe(R)),
    ?P(select_read(R, undefined, Ref)), ?P(select_cancel(R)), ?P(select_cancel(R)), ?P(write_pipe(R)), ?P(waiting()),
    P = spawn(fun() -> receive {select, _, _, K} -> Self ! {other, K} end end),
    ?P(select_read(R, P, Ref)), ?P(waiting()),
    ?P(select_message(R, {custom, "message"})), ?P(waiting()),
    ?P(select_stop(R, 1)), ?P(waiting()).

%% What is traced of three messages; pids by their part in it.
traced(Send, To, Spec) ->
    Self = self(),
    Sender = spawn_link(fun() -> receive go -> Send(To, {text, "some"}, 3) end, unlink(Self), Self ! sent end),
    1 = erlang:trace(Sender, true, [send]),
    erlang:trace_pattern(send, Spec, []),
    Sender ! go,
    Events = [receive {trace, Sender, Tag, {N, Text}, To} -> {Tag, N, Text};
                      {trace, Sender, Tag, {N, Text}, To, {told, Sender}} -> {Tag, N, Text, told} end
              || _ <- lists:seq(1, if To =/= Self -> 0; Spec =:= [] -> 3; true -> 1 end)],
    receive sent -> ok end,
    erlang:trace_pattern(send, true, []),
    Received = [receive {N, {text, _}} -> N end || To =:= Self, _ <- [1, 2, 3]],
    Traced = erlang:trace_delivered(Sender),
    receive {trace_delivered, Sender, Traced} -> ok end,
    {Events, Received, receive {trace, Sender, send, sent, Self} -> last after 0 -> none end}.

%% --- dirty
dirty() ->
    ?P(sleep_dirty(10)),
    {P, M} = spawn_monitor(fun() -> exit({done, sleep_dirty(2000)}) end),
    ?P(sleeps(P)),
    ?P(process_info(P, message_queue_len)),
    P ! hello,
    exit(P, kill),
    ?P(receive {'DOWN', M, process, P, Why} -> Why after 1500 -> nothing end),
    {_, M2} = spawn_monitor(fun() -> exit({done, sleep_dirty(50)}) end),
    ?P(receive {'DOWN', M2, process, _, Why2} -> Why2 after 2000 -> nothing end),
    ?P(dirty_empty({a, "term"})).

sleeps(P) ->
    case process_info(P, current_function) of
        {current_function, {?MODULE, sleep_dirty, 1} = Function} -> Function;
        _ -> timer:sleep(10), sleeps(P)
    end.

%% Those that were there before, local ones, funs, from apply: of a module whose functions were replaced.
callers() ->
    F = fun ?MODULE:empty/1, G = fun empty/1, H = fun(X) -> empty(X) end,
    {F(1), G(2), H(3), empty(4), apply(?MODULE, empty, [5]), apply(F, [6]), loop(20000, 0), ?MODULE:empty(7)}.

loop(0, Sum) -> Sum;
loop(N, Sum) -> loop(N - 1, Sum + empty(1)).

-define(STUB, erlang:nif_error(not_loaded)).
make(_, _) -> ?STUB.
number(_) -> ?STUB.
again(_) -> ?STUB.
as_binary(_) -> ?STUB.
call(_, _, _) -> ?STUB.
many(_) -> ?STUB.
monitor(_, _) -> ?STUB.
demonitor(_) -> ?STUB.
monitor_term(_) -> ?STUB.
monitor_plain() -> ?STUB.
send_copy(_, _) -> ?STUB.
send_many(_, _, _) -> ?STUB.
send_kept(_, _) -> ?STUB.
dirty_send_many(_, _, _) -> ?STUB.
send_from_thread(_, _) -> ?STUB.
send_from_foreign(_, _) -> ?STUB.
self_() -> ?STUB.
dirty_self() -> ?STUB.
whereis(_) -> ?STUB.
undefined_pid(_) -> ?STUB.
port_command(_, _) -> ?STUB.
open_pipe(_) -> ?STUB.
select_read(_, _, _) -> ?STUB.
select_message(_, _) -> ?STUB.
select_cancel(_) -> ?STUB.
select_stop(_, _) -> ?STUB.
select_bad(_) -> ?STUB.
write_pipe(_) -> ?STUB.
read_pipe(_) -> ?STUB.
threads() -> ?STUB.
count_down(_, _, _) -> ?STUB.
raise_later(_) -> ?STUB.
timeslice(_) -> ?STUB.
sleep_dirty(_) -> ?STUB.
opened(_, _) -> ?STUB.
call_at_end() -> ?STUB.
empty(_) -> ?STUB.
dirty_empty(_) -> ?STUB.
