%% Matrix product over lists of lists: integer multiply and add.
-module(matrix).
-export([run/0]).

run() ->
    A = [[(R * 3 + C) rem 11 || C <- lists:seq(1, 90)] || R <- lists:seq(1, 90)],
    lists:sum([lists:sum(Row) || Row <- product(A, product(A, product(A, A)))]).

product(A, B) ->
    Columns = transpose(B),
    [[dot(Row, Column, 0) || Column <- Columns] || Row <- A].

transpose([[] | _]) -> [];
transpose(Rows) -> [[hd(R) || R <- Rows] | transpose([tl(R) || R <- Rows])].

dot([X | Xs], [Y | Ys], Sum) -> dot(Xs, Ys, Sum + X * Y);
dot([], [], Sum) -> Sum.
