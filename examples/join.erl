%% A join: two streams of requests go on when both have one, in pairs (*Composing Actors*).
%%
%%     whitebeam run examples/join.erl
%%
%% Look at join/1: it is a process like those that use it, so joins can be joined (main/1 does), and the value of one
%% side waits in the mailbox of the join, where selective receive finds it, not in a data structure.
-module(join).
-export([main/1]).

main(_) ->
    Main = self(),
    Ingredients = spawn_link(fun() -> join(fun(Flour, Water) -> {dough, Flour, Water} end) end),
    Baker = spawn_link(fun() -> join(fun(Dough, Oven) -> {bread, Dough, Oven} end) end),
    Ingredients ! {to, {left, Baker}},
    Baker ! {to, {any, Main}},
    spawn_link(fun() -> [Ingredients ! {left, {flour, N}} || N <- [1, 2, 3]] end),
    spawn_link(fun() -> [Ingredients ! {right, {water, N}} || N <- [1, 2, 3]] end),
    spawn_link(fun() -> [Baker ! {right, {oven, N}} || N <- [1, 2, 3]] end),
    [receive {any, Bread} -> io:format("~p~n", [Bread]) end || _ <- [1, 2, 3]],
    [Pid ! stop || Pid <- [Ingredients, Baker]],
    ok.

join(Combine) -> receive {to, Next} -> pairs(Next, Combine) end.

%% Left first: whatever comes on the right meanwhile stays where it is.
pairs({Side, Next}, Combine) ->
    receive
        {left, Left} ->
            receive {right, Right} -> Next ! {Side, Combine(Left, Right)} end,
            pairs({Side, Next}, Combine);
        stop -> ok
    end.
