%% Monitors of the system in sessions of tracing (trace:system/3), long message queues.
%% since: 28
-module(system_sessions).
-export([main/0, main/1]).
main() -> main([]).
t(F) -> try F() catch C:R -> {C, R} end.
flush(Who) ->
  V = whereis(victim),  % others are slow or have long queues now and then
  receive
    {monitor, V, long_message_queue, Long} -> io:format("~s: ~p~n", [Who, Long]), flush(Who);
    _ -> flush(Who)
  after 100 -> ok end.
listener(Name) -> receive {dump, From} -> flush(Name), From ! done, listener(Name) end.
start(Name) -> spawn(fun() -> listener(Name) end).
dump(P) -> P ! {dump, self()}, receive done -> ok end.
victim() -> receive {take, N, From} -> [receive m -> ok end || _ <- lists:seq(1, N)], From ! taken, victim(); stop -> ok end.
main(_) ->
  A = start("a"), B = start("b"), L = start("legacy"),
  SA = trace:session_create(sa, A, []), SB = trace:session_create(sb, B, []),
  P = fun(X) -> io:format("~p~n", [X]) end,
  P(t(fun() -> trace:info(SA, system, all) end)),
  P(t(fun() -> trace:info(SA, system, long_gc) end)),
  P(t(fun() -> trace:system(SA, long_gc, 10) end)),
  P(t(fun() -> trace:system(SA, long_schedule, 1000000) end)),
  P(t(fun() -> trace:system(SA, large_heap, 5) end)),
  P(t(fun() -> trace:system(SA, busy_port, true) end)),
  P(t(fun() -> trace:system(SA, busy_dist_port, true) end)),
  P(t(fun() -> trace:system(SA, long_message_queue, {2, 5}) end)),
  P(t(fun() -> trace:info(SA, system, all) end)),
  P(t(fun() -> trace:info(SB, system, all) end)),
  P(t(fun() -> erlang:system_monitor() end)),
  [P({E, V, t(fun() -> trace:system(SB, E, V) end)}) || {E, V} <- [{long_gc, foo}, {long_gc, -1}, {long_gc, true}, {busy_port, 3}, {nothing, true}, {nothing, false},
     {long_message_queue, {5, 3}}, {long_message_queue, {0, 0}}, {long_message_queue, {-1, 3}}, {long_message_queue, 3}, {long_message_queue, true}, {long_message_queue, {0, 100}}, {long_gc, 0},{long_schedule,0},{large_heap,0},
     {long_gc, 1 bsl 70}, {busy_port, false}]],
  P(t(fun() -> trace:info(SB, system, all) end)),
  P(t(fun() -> trace:system(SB, long_gc, false) end)),
  P(t(fun() -> trace:system(SB, large_heap, false) end)),
  P(t(fun() -> trace:system(SB, long_schedule, false) end)),
  P(t(fun() -> trace:system(SB, long_message_queue, false) end)),
  P(t(fun() -> trace:info(SB, system, all) end)),
  P(t(fun() -> trace:system(SB, long_message_queue, {0, 10}) end)),
  P(t(fun() -> trace:system(SA, long_gc, false) end)), P(t(fun() -> trace:system(SA, large_heap, false) end)),
  P(t(fun() -> erlang:system_monitor(L, [{long_message_queue, {1, 7}}, busy_port]) end)),
  P(t(fun() -> {_, X} = erlang:system_monitor(), X end)),
  V = spawn(fun victim/0), register(victim, V),
  erlang:yield(),
  [V ! m || _ <- lists:seq(1, 6)], timer:sleep(20),
  dump(A), dump(B), dump(L),
  io:format("six~n"),
  [V ! m || _ <- lists:seq(1, 6)], timer:sleep(20),
  dump(A), dump(B), dump(L),
  V ! {take, 6, self()}, receive taken -> ok end, io:format("half~n"),
  dump(A), dump(B), dump(L),
  V ! {take, 6, self()}, receive taken -> ok end, io:format("all~n"),
  dump(A), dump(B), dump(L),
  P(trace:session_destroy(SB)),
  [V ! m || _ <- lists:seq(1, 20)], timer:sleep(20), io:format("again~n"),
  dump(A), dump(B), dump(L),
  exit(A, kill), timer:sleep(20),
  P(t(fun() -> trace:info(SA, system, all) end)),
  P(t(fun() -> trace:system(SA, long_gc, 100) end)),
  exit(L, kill), timer:sleep(20),
  P(erlang:system_monitor()),
  P(t(fun() -> erlang:system_monitor(self(), [{long_message_queue, {5, 3}}]) end)),
  P(t(fun() -> erlang:system_monitor(self(), [{long_message_queue, {0, 100}}, {long_message_queue, {30, 40}}]) end)),
  P(t(fun() -> element(2, erlang:system_monitor()) end)),
  P(t(fun() -> element(2, erlang:system_monitor(undefined)) end)),
  P(t(fun() -> trace:system(foo, long_gc, 100) end)),
  SC = trace:session_create(sc, {erl_tracer, []}, []),
  P(t(fun() -> trace:system(SC, long_gc, 100) end)),
  P(t(fun() -> trace:info(SC, system, all) end)),
  SD = trace:session_create(sd, self(), []),
  M = fun(X) -> P(t(fun() -> case X() of {Who, Items} when Who =:= self() -> Items; O -> O end end)) end,
  M(fun() -> erts_internal:system_monitor(SD) end),
  M(fun() -> trace:system(SD, long_gc, 30) end),
  M(fun() -> erts_internal:system_monitor(SD) end),
  M(fun() -> erts_internal:system_monitor(SD, undefined, []) end),
  M(fun() -> erts_internal:system_monitor(SD, self(), [{long_gc, 3}]) end),
  M(fun() -> erts_internal:system_monitor(SD, session, [{long_gc, 3}, busy_port]) end),
  M(fun() -> erts_internal:system_monitor(SD, session, []) end),
  M(fun() -> erts_internal:system_monitor(SD, session, [busy_port|x]) end),
  M(fun() -> erts_internal:trace_info(SD, system, foo) end),
  M(fun() -> erlang:trace_info(system, all) end),
  M(fun() -> trace:info(SD, system, all) end),
  M(fun() -> trace:session_destroy(SD) end),
  M(fun() -> trace:info(SD, system, all) end),
  M(fun() -> trace:system(SD, long_gc, 30) end),
  P(t(fun() -> erts_internal:system_monitor(legacy) end)),
  P(t(fun() -> erts_internal:system_monitor(foo) end)),
  P(t(fun() -> erts_internal:system_monitor(legacy, self(), [{long_gc, 500}]) end)),
  P(t(fun() -> {_, X} = erts_internal:system_monitor(legacy), X end)),
  P(t(fun() -> {_,X}=erts_internal:system_monitor(legacy, session, [{long_gc, 600}]),X end)),
  P(t(fun() -> {_,X}=erts_internal:system_monitor(legacy, undefined, []),X end)).
