%% A thousand processes in a ring, through which a number goes thirty times; then they end.
-module(short_ring).
-export([run/0]).

run() ->
    Self = self(),
    First = lists:foldl(fun(_, Next) -> spawn_link(fun() -> pass(Next) end) end, Self, lists:seq(1, 1_000)),
    N = around(First, 30, 0),
    First ! stop,
    receive stop -> N end.

around(_, 0, N) -> N;
around(First, Rounds, N) ->
    First ! {add, N},
    receive {add, M} -> around(First, Rounds - 1, M) end.

pass(Next) ->
    receive
        {add, N} -> Next ! {add, N + 1}, pass(Next);
        stop -> Next ! stop
    end.
