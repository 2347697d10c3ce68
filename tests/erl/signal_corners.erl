%% Corners of signals that random sequences (tests/models) found.
-module(signal_corners).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    [?S(watched(T, W, Mode, End)) || {T, W} <- [{process, self()}, {process, named_self()}, {process, {me, node()}}, {time_offset, clock_service}, {process, lives()}],
                                     Mode <- [explicit_unalias, demonitor, reply_demonitor], End <- [demonitor, unalias]],
    [?S(dead(W, Mode)) || W <- [gone(), no_such, {no_such, node()}], Mode <- [explicit_unalias, demonitor, reply_demonitor]],
    [?S(watched_often(N, Ended)) || N <- [2, 3, 9, 40], Ended <- [[], [1], [2], [1, 2]]],
    ?S(sensitive()),
    [?S({O, spawned([O])}) || O <- [monitor, {monitor, [{tag, t}, {tag, u}]}, {monitor, [{alias, explicit_unalias}, {alias, demonitor}]}]],
    [?S({A, B, spawned([A, B])}) || A <- monitors(), B <- monitors()].

named_self() -> catch register(me, self()), me.
gone() -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> P end.
lives() -> spawn(fun() -> receive stop -> ok end end).
flushed() -> receive M -> [M | flushed()] after 0 -> [] end.

%% A monitor with an alias: does the alias pass messages, what is left of both afterwards. Of the caller itself: neither.
watched(Type, What, Mode, End) ->
    R = monitor(Type, What, [{alias, Mode}]),
    {monitors, Before} = process_info(self(), monitors),
    R ! first,
    Got = flushed(),
    Ended = case End of demonitor -> demonitor(R, [info]); unalias -> unalias(R) end,
    R ! second,
    {length(Before), [T || {T, _} <- Before], Got, Ended, flushed(), unalias(R), demonitor(R, [info]), process_info(self(), monitors)}.

dead(What, Mode) ->
    R = monitor(process, What, [{alias, Mode}]),
    Down = receive {'DOWN', R, process, _, Why} -> Why end,
    R ! first,
    {Down, flushed(), demonitor(R, [info]), unalias(R), unalias(R), process_info(self(), monitors)}.

%% Who watches a process more than once is told in the order it began to, and so is monitored_by.
watched_often(N, Ended) ->
    P = lives(),
    Others = [element(1, spawn_monitor(fun() -> monitor(process, P), exit(watches) end)) || _ <- lists:seq(1, N)],
    [receive {'DOWN', _, process, O, watches} -> ok end || O <- Others],
    Refs = [monitor(process, P) || _ <- lists:seq(1, N)],
    [demonitor(lists:nth(I, Refs)) || I <- Ended],
    Left = lists:zip(Refs, lists:seq(1, N)),
    {monitored_by, By} = process_info(P, monitored_by),
    exit(P, kill),
    {length(By), [receive {'DOWN', R, _, P, _} -> proplists:get_value(R, Left) end || _ <- lists:seq(length(Ended) + 1, N)], any_order(N)}.
%% The same with watchers that come one after the other.
any_order(N) ->
    P = lives(), Me = self(),
    Ws = [begin W = spawn(fun() -> monitor(process, P), Me ! watches, receive stop -> ok end end), receive watches -> W end end || _ <- lists:seq(1, N)],
    exit(hd(Ws), kill),
    is_process_alive(hd(Ws)),
    gone_from(P, hd(Ws)),
    {monitored_by, By} = process_info(P, monitored_by),
    By =:= lists:reverse(tl(Ws)).
gone_from(P, W) -> {monitored_by, By} = process_info(P, monitored_by), lists:member(W, By) andalso begin erlang:yield(), gone_from(P, W) end.

sensitive() ->
    Me = self(),
    P = spawn(fun() -> process_flag(sensitive, true), put(key, value), Me ! ready, receive stop -> ok end end),
    receive ready -> ok end,
    P ! one, P ! two,
    [process_info(P, I) || I <- [message_queue_len, messages, [message_queue_len], [messages, message_queue_len], [message_queue_len, links, messages], dictionary]].

%% Of several options that watch the child the last one counts.
monitors() -> [monitor, {monitor, []}, {monitor, [{tag, t}]}, {monitor, [{alias, explicit_unalias}]}, {monitor, [{alias, reply_demonitor}]}].
spawned(Options) ->
    {P, R} = spawn_opt(fun() -> receive stop -> exit(over) end end, Options),
    R ! through_the_alias,
    Got = receive through_the_alias = M -> M after 0 -> nothing end,
    Ends = {Got, demonitor(R, [info]), unalias(R), element(1, gone_of(Options))},
    P ! stop,
    Ends.
%% Which tag the end of a child has.
gone_of(Options) ->
    {_, R} = spawn_opt(fun() -> ok end, Options),
    receive D when element(2, D) =:= R -> D end.
