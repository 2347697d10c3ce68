%% Tuples and records: building, matching, updating, and every BIF with every wrong argument.
-module(tuples).
-export([main/1]).
-compile(no_copt).
-include("show.hrl").

-record(point, {x = 0, y = 0, tags = []}).
-record(big, {a, b, c, d, e, f, g, h}).

main(_Args) ->
    T = id({a, {b, 2}, [c], <<"d">>, 5.0}),
    ?S(element(2, T)), ?S(element(0, T)), ?S(element(6, T)), ?S(element(a, T)), ?S(element(1, [])),
    ?S(element(1 bsl 70, T)), ?S(tuple_size(T)), ?S(tuple_size(a)), ?S(size(T)), ?S(setelement(1, T, new)),
    ?S(setelement(6, T, x)), ?S(setelement(1, x, x)), ?S(tuple_to_list(T)), ?S(tuple_to_list([])),
    ?S(list_to_tuple([1, 2 | id([3])])), ?S(list_to_tuple([1 | id(2)])), ?S(list_to_tuple(id([]))),
    ?S(erlang:make_tuple(3, x)), ?S(erlang:make_tuple(3, x, [{2, y}, {2, z}])), ?S(erlang:make_tuple(-1, x)),
    ?S(erlang:make_tuple(2, x, [{3, y}])), ?S(erlang:append_element({a}, b)), ?S(erlang:append_element(x, b)),
    ?S(erlang:delete_element(1, {a, b})), ?S(erlang:delete_element(3, {a, b})),
    ?S(erlang:insert_element(3, {a, b}, c)), ?S(erlang:insert_element(4, {a, b}, c)),
    ?S(tuple_size(erlang:make_tuple(1000, 0))), ?S(element(1000, erlang:make_tuple(1000, last))),
    ?S(erlang:make_tuple(1 bsl 40, 0)), ?S(erlang:make_tuple(1 bsl 25, 0)),
    [?S(shape(V)) || V <- [{}, {1}, {1, 2}, {2, 2}, {x, y, z}, {1, 2, 3, 4}, 5, [], {ok, 7}, {error, e}]],
    records(), swap(id({1, 2, 3, 4})), many().

shape({}) -> empty;
shape({_}) -> one;
shape({X, X}) -> twins;
shape({ok, V}) -> {value, V};
shape({error, R}) -> {reason, R};
shape({_, _}) -> two;
shape({_, _, _}) -> three;
shape(T) when is_tuple(T) -> {size, tuple_size(T)};
shape(_) -> other.

records() ->
    P = id(#point{x = 1}),
    ?S(P), ?S(P#point.x), ?S(P#point{y = 2, tags = [a]}), ?S(is_record(P, point)), ?S(is_record(id({point}), point)),
    ?S(is_record(P, point, 4)), ?S(is_record(P, id(other))), ?S((id({point, 1}))#point.x), ?S((id(foo))#point{x = 1}),
    ?S(#point.y), ?S(record_info(fields, point)), ?S(far(P)), ?S(far(#point{x = 100})), ?S(far({point, 1, 2})),
    B = id(#big{}),
    ?S(B#big{a = 1, c = 3, h = 8}), ?S((B#big{a = 1})#big{b = 2}), ?S(setelement(3, setelement(2, B, x), y)).

far(#point{x = X, y = Y} = P) when X > 10; Y > 10 -> {far, P#point.tags};
far(#point{}) -> near;
far(_) -> no_point.

swap({A, B, C, D}) -> ?S({D, C, B, A}), ?S(rotate(A, B, C, 5)).

rotate(A, B, C, 0) -> {A, B, C};
rotate(A, B, C, N) -> rotate(B, C, A, N - 1).

many() ->
    Big = list_to_tuple(lists:seq(1, 3000)),
    ?S(lists:sum(tuple_to_list(Big))),
    ?S(element(3000, setelement(3000, Big, x))),
    ?S(tuple_size(lists:foldl(fun(I, T) -> setelement(I, T, -I) end, Big, lists:seq(1, 3000)))).
