%% Fork and join: a process down to a depth, then plain recursion.
-module(parallel_fib).
-export([run/0, fib/2]).

run() -> fib(30, 10).

fib(N, 0) -> fib(N);
fib(N, Depth) ->
    Self = self(),
    Ref = make_ref(),
    spawn(fun() -> Self ! {Ref, fib(N - 1, Depth - 1)} end),
    B = fib(N - 2, Depth - 1),
    receive {Ref, A} -> A + B end.

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
