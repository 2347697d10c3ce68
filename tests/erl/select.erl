%% Clause selection: sparse and dense integers, atoms, tuples by arity, strings, nested cases.
-module(select).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    [?S(dense(X)) || X <- [-1, 0, 1, 5, 9, 10, 1.0, a, 1 bsl 70]],
    [?S(sparse(X)) || X <- [1, 100, 10000, -77777, 1 bsl 40, 1 bsl 64, 1 bsl 59, -(1 bsl 60), 2, x]],
    [?S(atom(X)) || X <- [red, green, blue, cyan, '', 'a b', true, undefined, 1]],
    [?S(mixed(X)) || X <- [1, a, 1.0, "s", <<"b">>, {}, [], #{}, {1, 2}, -1.5]],
    [?S(arity(X)) || X <- [{}, {1}, {1, 2}, {a, 2}, {1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 4, 5}, x]],
    [?S(real(X)) || X <- [1.0, 1, 2.5, -0.0, 0.0]],
    [?S(two(X, Y)) || X <- [a, b, c], Y <- [1, 2, 3]],
    [?S(fall(X)) || X <- [1, x]], ?S(nested(1)), ?S(nested(3)), ?S(big_atom(a77)), ?S(big_atom(a78)),
    ?S(case id(5) of 6 -> x end), ?S(if_none(id(5))), ?S(begin {ok, X} = id(error), X end), ?S((fun(a) -> 1 end)(id(b))).

dense(0) -> zero; dense(1) -> one; dense(2) -> two; dense(3) -> three; dense(4) -> four;
dense(5) -> five; dense(6) -> six; dense(7) -> seven; dense(8) -> eight; dense(9) -> nine;
dense(_) -> many.

sparse(1) -> a; sparse(100) -> b; sparse(10000) -> c; sparse(-77777) -> d; sparse(16#10000000000) -> e;
sparse(16#10000000000000000) -> f; sparse(16#800000000000000) -> g; sparse(-16#1000000000000000) -> h;
sparse(_) -> other.

atom(red) -> 1; atom(green) -> 2; atom(blue) -> 3; atom('') -> empty; atom('a b') -> space; atom(true) -> bool;
atom(_) -> other.

mixed(1) -> integer; mixed(a) -> atom; mixed(1.0) -> float; mixed("s") -> string; mixed(<<"b">>) -> binary;
mixed({}) -> tuple; mixed([]) -> nil; mixed(#{}) -> map; mixed({1, X}) -> {pair, X}; mixed(_) -> other.

arity({}) -> 0; arity({A}) -> {1, A}; arity({a, B}) -> {a2, B}; arity({_, _}) -> 2; arity({_, _, C}) -> {3, C};
arity({_, _, _, D}) -> {4, D}; arity(T) when is_tuple(T) -> many; arity(_) -> none.

real(1.0) -> one; real(2.5) -> two_and_half; real(0.0) -> zero; real(_) -> other.

two(a, 1) -> a1; two(a, 2) -> a2; two(b, 1) -> b1; two(_, 3) -> x3; two(c, _) -> c; two(_, _) -> other.

fall(X) ->
    case X of
        1 -> case id(2) of 3 -> three; _ -> not_three end;
        _ when is_atom(X) -> case id(X) of y -> y; Z -> {z, Z} end
    end.

nested(X) ->
    case {X, id(X + 1)} of
        {1, 2} -> first;
        {A, B} when A < B -> {less, A, B}
    end.

big_atom(a70) -> 70; big_atom(a71) -> 71; big_atom(a72) -> 72; big_atom(a73) -> 73; big_atom(a74) -> 74;
big_atom(a75) -> 75; big_atom(a76) -> 76; big_atom(a77) -> 77; big_atom(_) -> none.

if_none(X) -> if X > 100 -> big; X < 0 -> negative end.
