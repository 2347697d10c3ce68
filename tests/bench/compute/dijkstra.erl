%% Shortest paths on a grid with a priority queue in gb_sets and distances in a map.
-module(dijkstra).
-export([run/0]).

-define(SIZE, 70).

run() ->
    Distances = search(gb_sets:singleton({0, {1, 1}}), #{}),
    {map_size(Distances), maps:get({?SIZE, ?SIZE}, Distances)}.

search(Queue, Done) ->
    case gb_sets:is_empty(Queue) of
        true -> Done;
        false ->
            {{D, Node}, Queue1} = gb_sets:take_smallest(Queue),
            case Done of
                #{Node := _} -> search(Queue1, Done);
                #{} ->
                    Queue2 = lists:foldl(fun(Next, Q) -> gb_sets:add_element({D + cost(Next), Next}, Q) end,
                                         Queue1, neighbours(Node)),
                    search(Queue2, Done#{Node => D})
            end
    end.

neighbours({X, Y}) ->
    [{X1, Y1} || {X1, Y1} <- [{X + 1, Y}, {X - 1, Y}, {X, Y + 1}, {X, Y - 1}],
                 X1 >= 1, X1 =< ?SIZE, Y1 >= 1, Y1 =< ?SIZE].

cost({X, Y}) -> (X * 7 + Y * 13 + X * Y) rem 17 + 1.
