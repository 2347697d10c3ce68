%% Corners of signals that random sequences (tests/models) found.
-module(signal_corners).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    [?S(watched(T, W, Mode, End)) || {T, W} <- [{process, self()}, {process, named_self()}, {process, {me, node()}}, {time_offset, clock_service}, {process, lives()}],
                                     Mode <- [explicit_unalias, demonitor, reply_demonitor], End <- [demonitor, unalias]],
    [?S(dead(W, Mode)) || W <- [gone(), no_such, {no_such, node()}], Mode <- [explicit_unalias, demonitor, reply_demonitor]],
    [?S({Name, What, registers(Name, What)}) || Name <- [taken, taken_by_port, free, undefined], What <- [named, unnamed, dead, named_port, closed_port]].

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

registers(Name, Kind) ->
    P = lives(), Port = open_port({spawn, "cat"}, []),
    register(taken, P), register(taken_by_port, Port),
    What = case Kind of
               named -> P;
               unnamed -> lives();
               dead -> gone();
               named_port -> Port;
               closed_port -> C = open_port({spawn, "cat"}, []), port_close(C), C
           end,
    R = try register(Name, What) catch error:E:Stack -> {_, _, _, I} = hd(Stack), {E, maps:get(cause, proplists:get_value(error_info, I))} end,
    [catch unregister(N) || N <- [taken, taken_by_port, free]], R.
