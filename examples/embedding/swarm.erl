%% The world of swarm.cc: each creature is a process that decides ten times a second where it goes, and
%% tells the program (a native function) where it is.
-module(swarm).
-export([start/1, creature/3, stop/0]).

start(N) ->
    register(swarm, spawn(fun() -> receive stop -> exit(shutdown) end end)),
    [spawn(?MODULE, creature, [Id, Id rem 80, Id rem 24]) || Id <- lists:seq(1, N)],
    N.

stop() -> swarm ! stop.

creature(Id, X, Y) ->
    screen:draw(Id, X, Y),
    receive bumped -> creature(Id, 40, 12)
    after 100 -> creature(Id, (X + rand:uniform(3) - 2 + 80) rem 80, (Y + rand:uniform(3) - 2 + 24) rem 24)
    end.
