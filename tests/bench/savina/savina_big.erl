%% Savina, big: each asks random others, one question under way.
-module(savina_big).
-export([run/0, small/0]).

run() -> run(120, 20_000).
small() -> run(6, 30).

run(Actors, Pings) ->
    Main = self(),
    Pids = [spawn_link(fun() -> start(I, Pings, Main) end) || I <- lists:seq(0, Actors - 1)],
    Neighbours = list_to_tuple(Pids),
    [Pid ! {neighbours, Neighbours} || Pid <- Pids],
    Asked = lists:sum(savina:gather(done, Actors)),
    [Pid ! exit || Pid <- Pids],
    Asked.

start(I, Pings, Main) ->
    receive {neighbours, All} -> ask(Pings, 0, I, All, Main) end.

ask(Pings, Pings, _, _, Main) -> Main ! {done, Pings}, answer();
ask(Pings, Count, R0, All, Main) ->
    R = savina:next(R0),
    element(R rem tuple_size(All) + 1, All) ! {ping, self()},
    wait(),
    ask(Pings, Count + 1, R, All, Main).

wait() ->
    receive
        {ping, From} -> From ! pong, wait();
        pong -> ok
    end.

answer() ->
    receive
        {ping, From} -> From ! pong, answer();
        exit -> ok
    end.
