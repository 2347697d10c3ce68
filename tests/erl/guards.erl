%% Type tests, guard BIFs and what a failing guard does, as tests, as guards and as values.
-module(guards).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    Values = sample_terms:small() ++ [self(), make_ref(), fun(X) -> X end, <<1:1>>, nil, 1 bsl 80, #{x => y}],
    [io:format("~w: ~w ~w~n", [N, tests(V), types(V)]) || {N, V} <- lists:zip(lists:seq(1, length(Values)), Values)],
    [?S(safe(A, B)) || A <- [1, a, [], {1, 2}, #{k => 1}, "abc", <<"abc">>], B <- [1, 0, k, 2.0]],
    ?S(if_clause(1)), ?S(if_clause(x)), ?S(both(1, 2)), ?S(both(a, 2)), ?S(either(a, 2)), ?S(either(a, b)),
    ?S(differs(id(1), id(1.0))), ?S(differs(id(1), 2)), ?S(differs(id(a), id(a))),     ?S(logic(true, false)), ?S(logic(true, 1)), ?S(strict(true, false)), ?S(strict(1, true)), ?S(id(false) andalso error(never)),
    ?S(id(true) orelse error(never)), ?S(id(1) andalso true), ?S(id(true) andalso 7), ?S(not id(true)), ?S(not id(1)),
    ?S(id(true) and id(x)), ?S(id(x) or id(true)), ?S(id(true) xor id(true)), ?S(id(true) xor id(1)),
    ?S(arity(fun(X) -> X end)), ?S(arity(fun lists:map/2)), ?S(arity(x)), ?S(is_function(id(fun() -> x end), id(0))),
    ?S(is_function(id(x), id(0))), ?S(is_function(id(fun() -> x end), id(-1))), ?S(is_function(fun() -> x end, id(a))),
    ?S(is_record(id({r, 1}), id(r), id(2))), ?S(is_record(id({r, 1}), id(1))), ?S(round_trip(5)), ?S(clamp(-7)), ?S(clamp(300)).

tests(V) ->
    [F(V) || F <- [fun is_integer/1, fun is_float/1, fun is_number/1, fun is_atom/1, fun is_boolean/1, fun is_list/1,
                   fun is_tuple/1, fun is_map/1, fun is_binary/1, fun is_bitstring/1, fun is_pid/1, fun is_port/1,
                   fun is_reference/1, fun is_function/1]].

types(V) when is_boolean(V) -> bool;
types(V) when is_atom(V) -> atom;
types(V) when is_integer(V), V >= 0 -> natural;
types(V) when is_integer(V) -> negative;
types(V) when is_number(V) -> float;
types(V) when is_function(V, 1) -> fun1;
types(V) when is_function(V) -> function;
types(V) when is_pid(V) -> pid;
types(V) when is_reference(V) -> ref;
types(V) when is_binary(V) -> binary;
types(V) when is_bitstring(V) -> bits;
types([]) -> nil;
types([_ | T]) when is_list(T) -> list;
types(V) when is_list(V) -> improper;
types(V) when is_tuple(V), tuple_size(V) > 1 -> {tuple, element(1, V)};
types(V) when is_tuple(V) -> tuple;
types(V) when map_size(V) > 0 -> map;
types(V) when is_map(V) -> empty_map;
types(_) -> unknown.

%% An error inside a guard is only a failed guard.
safe(A, B) when element(B, A) =:= 1 -> element;
safe(A, B) when A div B =:= 1 -> divided;
safe(A, B) when map_get(B, A) =:= 1 -> map;
safe(A, B) when hd(A) + B > 90 -> head;
safe(A, B) when length(A) > B -> length;
safe(A, B) when binary_part(A, 0, B) =:= <<"a">> -> part;
safe(A, B) when bit_size(A) > B; byte_size(A) > B -> bits;
safe(A, B) when A + B > 0 orelse A < B -> sum;
safe(A, B) when is_atom(A), is_integer(B) orelse is_float(B) -> atom;
safe(_, B) when abs(B) > 1, float(B) > 1, trunc(B) =:= 2, round(B) =:= 2, floor(B) =:= 2, ceil(B) =:= 2 -> two;
safe(A, _) when self() =:= A; node(A) =:= node() -> here;
safe(_, _) -> nothing.

if_clause(X) ->
    if
        X > 100, is_atom(X) -> big;
        X =:= 1 -> one
    end.

both(A, B) when is_integer(A), is_integer(B), A < B -> ok;
both(A, B) -> {no, A, B}.

either(A, B) when is_integer(A); is_integer(B) -> ok;
either(A, B) -> {no, A, B}.

differs(A, B) when A /= B -> differs;
differs(A, _) when is_port(A) -> port;
differs(_, _) -> same.

logic(A, B) when A andalso B -> both;
logic(A, B) when A orelse B -> one;
logic(_, _) -> none.

strict(A, B) when A and B -> both;
strict(A, B) when A or B -> one;
strict(A, B) when A xor B -> xor_;
strict(A, _) when not A -> none;
strict(_, _) -> neither.

arity(F) when is_function(F, 1) -> 1;
arity(F) when is_function(F, 2) -> 2;
arity(_) -> none.

round_trip(X) when is_integer(X) -> Y = X * 1.0, trunc(Y).

clamp(X) -> max(0, min(255, id(X))).
