%% Pages of nested iolists, flattened.
-module(iolists).
-export([run/0]).

run() -> erlang:md5([page(N, 40) || N <- lists:seq(1, 700)]).

page(N, Rows) ->
    Body = [row(N, R) || R <- lists:seq(1, Rows)],
    Page = ["<html><h1>", integer_to_list(N), "</h1><table>", Body, <<"</table></html>">>],
    Size = iolist_size(Page),
    [integer_to_binary(Size), $\n, iolist_to_binary(Page)].

row(N, R) ->
    ["<tr><td>", integer_to_binary(R), "</td><td>", escape("a < b & " ++ integer_to_list(N * R)),
     $<, "/td></tr>\n"].

escape([]) -> [];
escape([$< | T]) -> ["&lt;" | escape(T)];
escape([$& | T]) -> ["&amp;" | escape(T)];
escape([C | T]) -> [C | escape(T)].
