%% The game of life: a glider and a blinker as a set of cells in a map.
-module(life).
-export([run/0]).

run() ->
    Cells = [{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}, {20, 20}, {21, 20}, {22, 20},
             {30, 5}, {31, 5}, {30, 6}, {32, 6}, {31, 7}, {10, 30}, {11, 30}, {12, 30}, {12, 31}, {11, 29}],
    lists:sort(maps:keys(generations(300, maps:from_list([{C, 1} || C <- Cells])))).

generations(0, World) -> World;
generations(N, World) -> generations(N - 1, step(World)).

step(World) ->
    Counts = maps:fold(fun({X, Y}, _, Acc) -> neighbours(X, Y, Acc) end, #{}, World),
    maps:filter(fun(Cell, N) -> N =:= 3 orelse (N =:= 2 andalso is_map_key(Cell, World)) end, Counts).

neighbours(X, Y, Acc) ->
    lists:foldl(fun({Dx, Dy}, A) ->
                    maps:update_with({X + Dx, Y + Dy}, fun(N) -> N + 1 end, 1, A)
                end, Acc, [{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}]).
