%% Savina, recursive matrix multiplication: a piece of work is split into eight until it is a block of 128 by 128.
%% The factors are constants of the machine (persistent_term), shared as the original's arrays are; of the product
%% each worker holds the blocks whose pieces it gets.
-module(savina_recmatmul).
-export([run/0, small/0]).

run() -> run(20, 1_024, 128).
small() -> run(3, 16, 4).

run(Workers, Size, Block) ->
    Master = self(),
    factors(Size, Block),
    Pids = list_to_tuple([spawn_link(fun() -> worker(Size, Block, #{}, Master) end) || _ <- lists:seq(1, Workers)]),
    send({work, {0, 0}, {0, 0}, {0, 0}, Size}, Pids),
    master(1, Pids),
    [Pid ! stop || Pid <- tuple_to_list(Pids)],
    lists:sum(savina:gather(right, Workers)).

%% Blocks of the first by rows, of the second by columns: a cell of one is its row, of the other its column.
factors(Size, Block) ->
    case persistent_term:get({?MODULE, Size}, none) of
        none ->
            Offsets = lists:seq(0, Size - 1, Block),
            Line = fun(Offset) -> [lists:duplicate(Block, float(Offset + I)) || I <- lists:seq(0, Block - 1)] end,
            persistent_term:put({?MODULE, Size},
                                maps:from_list([{{R, C}, {Line(R), Line(C)}} || R <- Offsets, C <- Offsets]));
        _ -> ok
    end.

send({work, _, _, {R, C}, _} = Work, Pids) -> element((R + C) rem tuple_size(Pids) + 1, Pids) ! Work.

master(0, _) -> ok;
master(Pending, Pids) ->
    receive
        done -> master(Pending - 1, Pids);
        Work -> send(Work, Pids), master(Pending + 1, Pids)
    end.

worker(Size, Block, Product, Master) ->
    receive
        {work, A, B, C, Dim} when Dim > Block ->
            split(A, B, C, Dim div 2, Master),
            Master ! done,
            worker(Size, Block, Product, Master);
        {work, A, B, C, _} ->
            Blocks = persistent_term:get({?MODULE, Size}),
            {Rows, _} = map_get(A, Blocks),
            {_, Columns} = map_get(B, Blocks),
            New = case Product of
                      #{C := Old} -> add(Rows, Columns, Old);
                      _ -> [[dot(Row, Column, 0.0) || Column <- Columns] || Row <- Rows]
                  end,
            Master ! done,
            worker(Size, Block, Product#{C => New}, Master);
        stop ->
            Master ! {right, lists:sum([right(C, Cells, Size) || {C, Cells} <- maps:to_list(Product)])}
    end.

split({Ar, Ac}, {Br, Bc}, {Cr, Cc}, Half, Master) ->
    Both = [0, Half],
    [Master ! {work, {Ar + R, Ac + K}, {Br + K, Bc + C}, {Cr + R, Cc + C}, Half} || R <- Both, C <- Both, K <- Both].

add([], _, []) -> [];
add([Row | Rows], Columns, [Cells | Old]) -> [cells(Row, Columns, Cells) | add(Rows, Columns, Old)].

cells(_, [], []) -> [];
cells(Row, [Column | Columns], [Cell | Cells]) -> [dot(Row, Column, Cell) | cells(Row, Columns, Cells)].

dot([A | As], [B | Bs], Sum) -> dot(As, Bs, Sum + A * B);
dot([], [], Sum) -> Sum.

%% How many cells are what they must be: row times column times size.
right({R0, C0}, Rows, Size) ->
    length([ok || {R, Row} <- numbered(R0, Rows), {C, Cell} <- numbered(C0, Row), Cell == R * C * Size]).

numbered(_, []) -> [];
numbered(N, [X | Xs]) -> [{N, X} | numbered(N + 1, Xs)].
