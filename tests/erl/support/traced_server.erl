%% A process that does what it is told: programs trace it, and their patterns do not match its own loop.
-module(traced_server).
-export([start/0, loop/0]).

start() -> spawn(fun loop/0).

loop() ->
    receive
        {do, From, F} -> From ! {self(), catch F()}, loop()
    end.
