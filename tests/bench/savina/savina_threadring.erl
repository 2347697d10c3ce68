%% Savina, thread ring: a token goes round.
-module(savina_threadring).
-export([run/0, small/0]).

run() -> run(100, 100_000).
small() -> run(7, 100).

run(Actors, Pings) ->
    Main = self(),
    First = spawn_link(fun() -> receive {next, Next} -> node(1, Next, Main) end end),
    Last = lists:foldl(fun(I, Next) -> spawn_link(fun() -> node(I, Next, Main) end) end, First,
                       lists:seq(Actors, 2, -1)),
    First ! {next, Last},
    First ! {ping, Pings},
    [Where] = savina:gather(ended, 1),
    First ! {stop, Actors},
    Where.

node(I, Next, Main) ->
    receive
        {ping, 0} -> Main ! {ended, I}, node(I, Next, Main);
        {ping, N} -> Next ! {ping, N - 1}, node(I, Next, Main);
        {stop, 1} -> ok;
        {stop, N} -> Next ! {stop, N - 1}
    end.
