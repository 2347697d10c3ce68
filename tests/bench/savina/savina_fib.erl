%% Savina, Fibonacci: a process for each call.
-module(savina_fib).
-export([run/0, small/0]).

run() -> run(25).
small() -> run(8).

run(N) -> start(self(), N), receive {fib, Result} -> Result end.

start(Parent, N) -> spawn_link(fun() -> Parent ! {fib, fib(N)} end).

fib(N) when N =< 2 -> 1;
fib(N) ->
    start(self(), N - 1),
    start(self(), N - 2),
    receive {fib, A} -> receive {fib, B} -> A + B end end.
