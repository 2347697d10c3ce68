%% Savina, all-pairs shortest path: Floyd and Warshall by blocks. In each round each block hears from all others of its
%% row and of its column: of these their line of the round, of those their column.
-module(savina_apsp).
-export([run/0, small/0]).

run() -> run(300, 50, 100).
small() -> run(12, 4, 100).

run(Nodes, Block, MaxWeight) ->
    Main = self(),
    Blocks = Nodes div Block,
    Graph = graph(Nodes, MaxWeight),
    Ids = [{R, C} || R <- lists:seq(0, Blocks - 1), C <- lists:seq(0, Blocks - 1)],
    Pids = maps:from_list([{Id, spawn_link(fun() -> block(Id, Nodes, Block, Rows, Main) end)}
                           || Id <- Ids, Rows <- [cut(Id, Block, Graph)]]),
    [Pid ! {neighbours, [{N, map_get(N, Pids)} || {R1, C1} = N <- Ids, (R1 =:= R) xor (C1 =:= C)]}
     || {{R, C}, Pid} <- maps:to_list(Pids)],
    Distances = [receive {distances, Id, Rows} -> Rows end || Id <- Ids],
    {lists:sum(lists:flatten(Distances)), erlang:phash2(Distances)}.

%% The same weight both ways.
graph(Nodes, MaxWeight) ->
    {Weights, _} = lists:mapfoldl(fun(Pair, R0) -> R = savina:next(R0), {{Pair, R rem MaxWeight + 1}, R} end, Nodes,
                                  [{I, J} || I <- lists:seq(0, Nodes - 1), J <- lists:seq(I + 1, Nodes - 1)]),
    Map = maps:from_list(Weights),
    [[case I of J -> 0; _ -> map_get({min(I, J), max(I, J)}, Map) end || J <- lists:seq(0, Nodes - 1)]
     || I <- lists:seq(0, Nodes - 1)].

cut({R, C}, Block, Graph) -> [lists:sublist(Row, C * Block + 1, Block) || Row <- lists:sublist(Graph, R * Block + 1, Block)].

block(Id, Nodes, Block, Rows, Main) ->
    receive
        {neighbours, Neighbours} ->
            tell(0, Block, Id, Rows, Neighbours),
            Main ! {distances, Id, rounds(0, Nodes, Block, Id, Rows, Neighbours)}
    end.

%% What others need in round K.
tell(K, Block, {R, C}, Rows, Neighbours) ->
    Place = K rem Block + 1,
    Line = lists:nth(Place, Rows),
    Column = column(Place, Rows),
    [Pid ! {result, K, {R, C}, case C1 of C -> Line; _ -> Column end} || {{_, C1}, Pid} <- Neighbours],
    ok.

column(Place, Rows) -> [lists:nth(Place, Line) || Line <- Rows].

rounds(Nodes, Nodes, _, _, Rows, _) -> Rows;
rounds(K, Nodes, Block, {R, C} = Id, Rows, Neighbours) ->
    Heard = maps:from_list([receive {result, K, N, Part} -> {N, Part} end || {N, _} <- Neighbours]),
    Place = K rem Block + 1,
    Line = case K div Block of R -> lists:nth(Place, Rows); R1 -> map_get({R1, C}, Heard) end,
    Column = case K div Block of C -> column(Place, Rows); C1 -> map_get({R, C1}, Heard) end,
    New = relax(Rows, Column, Line),
    K + 1 < Nodes andalso tell(K + 1, Block, Id, New, Neighbours),
    rounds(K + 1, Nodes, Block, Id, New, Neighbours).

relax([], [], _) -> [];
relax([Line | Rows], [ToK | Column], Row) -> [line(Line, ToK, Row) | relax(Rows, Column, Row)].

line([], _, []) -> [];
line([Distance | Line], ToK, [FromK | Row]) -> [min(Distance, ToK + FromK) | line(Line, ToK, Row)].
