%% Calls, small integers, nothing else.
-module(fib).
-export([run/0]).

run() -> fib(31).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
