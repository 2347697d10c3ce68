%% Corners of register/2 that random sequences (tests/models) found.
-module(name_corners).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    [?S({Name, What, registers(Name, What)}) || Name <- [taken, taken_by_port, free, undefined], What <- [named, unnamed, dead, named_port, closed_port]].

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

lives() -> spawn(fun() -> receive stop -> ok end end).
gone() -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> P end.
