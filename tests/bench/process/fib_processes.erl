%% Savina: Fibonacci with a process for each call.
-module(fib_processes).
-export([run/0, operations/0]).

operations() -> {35_421, "ns/process"}.

run() -> fib(self(), 21), receive N -> N end.

fib(Parent, N) when N < 2 -> Parent ! N;
fib(Parent, N) ->
    Self = self(),
    spawn(fun() -> fib(Self, N - 1) end),
    spawn(fun() -> fib(Self, N - 2) end),
    receive A -> receive B -> Parent ! A + B end end.
