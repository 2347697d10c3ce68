%% Prints a line.
-module(short_hello).
-export([run/0]).

run() -> io:format("hello, world~n").
