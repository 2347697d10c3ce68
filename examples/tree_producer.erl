%% Producers walking a tree (after *Scala Actors*).
%%
%% A producer is a process that walks its tree by plain recursion and hands over one value whenever
%% it is asked; the consumer sees a lazy stream. Two trees of different shape have the same fringe
%% if their streams agree: the walk stops at the first difference, whatever the size of the rest.
-module(tree_producer).
-export([main/1]).

main(_Args) ->
    Left = insert_all(lists:seq(1, 200), leaf),
    Right = balanced(1, 200),
    io:format("heights ~b and ~b~n", [height(Left), height(Right)]),
    io:format("in order: ~w~n", [take(10, producer(Right))]),
    io:format("same fringe: ~p~n", [same_fringe(producer(Left), producer(Right), 0)]),
    Other = {balanced(1, 100), 1000, balanced(102, 200)},
    io:format("other tree: ~p~n", [same_fringe(producer(Left), producer(Other), 0)]),
    Endless = spawn_link(fun() -> count(1) end),
    io:format("squares of an endless stream: ~w~n", [take(8, map(fun(X) -> X * X end, Endless))]).

%% --- producers ------------------------------------------------------------------------------------

producer(Tree) -> spawn_link(fun() -> walk(Tree), stop() end).

walk(leaf) -> ok;
walk({Left, Value, Right}) -> walk(Left), yield(Value), walk(Right).

count(N) -> yield(N), count(N + 1).

%% A producer on top of a producer.
map(F, Source) -> spawn_link(fun() -> map_loop(F, Source) end).
map_loop(F, Source) ->
    case next(Source) of
        {value, V} -> yield(F(V)), map_loop(F, Source);
        stop -> stop()
    end.

yield(Value) -> receive {next, From, Ref} -> From ! {Ref, {value, Value}} end.
stop() -> receive {next, From, Ref} -> From ! {Ref, stop}, stop() end.

next(Producer) ->
    Ref = make_ref(),
    Producer ! {next, self(), Ref},
    receive {Ref, Answer} -> Answer end.

take(0, _) -> [];
take(N, Producer) -> case next(Producer) of {value, V} -> [V | take(N - 1, Producer)]; stop -> [] end.

same_fringe(A, B, Seen) ->
    case {next(A), next(B)} of
        {stop, stop} -> {yes, Seen};
        {Same, Same} -> same_fringe(A, B, Seen + 1);
        {Va, Vb} -> {no, Va, Vb, after_values, Seen}
    end.

%% --- trees ----------------------------------------------------------------------------------------

insert_all(Values, Tree) -> lists:foldl(fun insert/2, Tree, Values).
insert(V, leaf) -> {leaf, V, leaf};
insert(V, {L, X, R}) when V < X -> {insert(V, L), X, R};
insert(V, {L, X, R}) -> {L, X, insert(V, R)}.

balanced(From, To) when From > To -> leaf;
balanced(From, To) -> Middle = (From + To) div 2, {balanced(From, Middle - 1), Middle, balanced(Middle + 1, To)}.

height(leaf) -> 0;
height({L, _, R}) -> 1 + max(height(L), height(R)).
