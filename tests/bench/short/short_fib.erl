%% One function that is hot at once, for a tenth of a second.
-module(short_fib).
-export([run/0]).

run() -> fib(33).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
