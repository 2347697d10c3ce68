%% Which line a failure has that shares its own with a tail call: the loader drops the line of such a call.
-module(lines_of_failures).
-export([main/1, one_line/1, two_lines/2, native/1, applied/2, local/1, raised/2, if_after/2, matched/1]).

main(_) ->
    [io:format("~p~n", [line(F)]) || F <- [fun() -> one_line(1) end, fun() -> two_lines(1, 2) end, fun() -> native(1) end,
        fun() -> applied(1, ?MODULE) end, fun() -> local(1) end, fun() -> raised(1, 2) end, fun() -> if_after(1, 2) end, fun() -> matched(1) end]],
    io:format("~p~n", [there_and_back(3)]), io:format("~p~n", [there_and_back(9)]).

line(F) ->
    try F() catch C:R:S -> {C, R, [{N, proplists:get_value(line, I)} || {?MODULE, N, _, I} <- lists:sublist(S, 1)]} end.

one_line(X) ->
    id(X),
    case X of a -> lists:sort([]) end.

two_lines(X, Y) ->
    Z = Y + 1,
    case X of
        a -> id(Z)
    end.

native(X) ->
    Z = X + 1,
    case X of a -> atom_to_list(Z) end.

applied(X, M) ->
    Z = X + 1,
    case X of a -> M:foo(Z); b -> apply(M, foo, [Z]) end.

local(X) ->
    id(X),
    case X of a -> id(X); b -> lists:max([X]) end.

raised(X, Y) ->
    id(X),
    case X of a -> error(Y); 1 when Y > 1 -> error(why, [X]) end.

if_after(X, Y) ->
    id(Y),
    if X > Y -> lists:sort([]); X =:= 7 -> id(Y) end.

matched(X) ->
    id(X),
    case id(X) of {A} -> lists:sort(A); _ -> {B} = id(X), lists:sort(B) end.

id(X) -> X.

%% All of a trace whose frames are of two modules by turns.
there_and_back(N) ->
    try back(N) catch _:_:S -> [{M, F, A, I} || {M, F, A, I} <- S] end.
back(0) -> [error(there)];
back(N) -> [lists:foldl(fun(_, A) -> [lists:map(fun(_) -> [back(N - 1)] end, A)] end, [N], [x])].
