%% Savina: one token round a ring of 1000 processes.
-module(thread_ring_1000).
-export([run/0, operations/0]).

operations() -> {500_000, "ns/pass"}.

run() ->
    Main = self(),
    First = spawn(fun() -> receive {next, Next} -> node(Next, Main) end end),
    Last = lists:foldl(fun(_, Next) -> spawn(fun() -> node(Next, Main) end) end, First,
                       lists:seq(2, 1000)),
    First ! {next, Last},
    First ! 500_000,
    receive done -> First ! stop, done end.

node(Next, Main) ->
    receive
        0 -> Main ! done, node(Next, Main);
        N when is_integer(N) -> Next ! N - 1, node(Next, Main);
        stop -> Next ! stop
    end.
