%% A million rows of a table.
-module(rows_in_ets).
-export([measure/0]).

measure() -> data_size:of_each("rows", 1_000_000, fun table/0).

table() ->
    Table = ets:new(rows, [public]),
    [ets:insert(Table, {N, N, N}) || N <- lists:seq(1, 1_000_000)],
    Table.
