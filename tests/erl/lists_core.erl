%% Lists: cons, match, comprehensions, ++ and --, and the list BIFs of the machine.
-module(lists_core).
-define(SCALE, 20).
-export([main/1]).
-compile(no_copt).
-include("show.hrl").

main(_Args) ->
    ?S(hd(id([1, 2]))), ?S(hd(id([]))), ?S(tl(id([1 | 2]))), ?S(tl(id(x))), ?S(length(id([1, 2, 3]))),
    ?S(length(id([1 | 2]))), ?S(length(id(a))), ?S(id([1, 2]) ++ id([3])), ?S(id([]) ++ id(x)), ?S(id([1]) ++ id(x)),
    ?S(id([1 | 2]) ++ []), ?S(id(x) ++ []), ?S(id([1, 2, 3, 2, 1]) -- id([1, 2])), ?S(id([1, 2]) -- id([1.0])),
    ?S(id([1]) -- id([a | b])), ?S(id(x) -- []), ?S(lists:member(2, [1, 2])), ?S(lists:member(2.0, [1, 2])),
    ?S(lists:member(x, [1 | 2])), ?S(lists:member(x, y)), ?S(lists:reverse([1, 2, 3])), ?S(lists:reverse([1 | 2])),
    ?S(lists:reverse([1, 2], tail)), ?S(lists:reverse(x, [])), ?S(lists:keyfind(b, 1, [{a, 1}, x, {b, 2}])),
    ?S(lists:keyfind(2.0, 2, [{a, 2}])), ?S(lists:keyfind(a, 0, [])), ?S(lists:keyfind(a, 1, [{b} | c])),
    ?S(lists:keymember(a, 1, [{a}])), ?S(lists:keysearch(a, 1, [{a}])), ?S(lists:keyfind(a, 3, [{a, a}])),
    ?S(subtract_large()),
    comprehensions(id(10)), ?S(walk(id([1, [2, [3, []], 4 | 5]]))), ?S(flatten(id([1, [2, [3, []], 4]]))),
    ?S(sum_to((100000 div ?SCALE))), ?S(length(build((100000 div ?SCALE)))), ?S(lists:foldr(fun(X, A) -> X + A end, 0, build((100000 div ?SCALE)))),
    ?S(zip([1, 2, 3], [a, b, c])), ?S(zip([1], [a, b])), ?S(last([1, 2, 3])), ?S(last([])),
    ?S(pattern("prefix rest")), ?S(pattern([1, 2, 3 | tail])), ?S(pattern([])), ?S(pattern(7)),
    ?S([X || {X, _} <- id([{1, a}, b, {2, c}, {3}])]), ?S([X || X <- id([1, 2 | 3])]), ?S([X || X <- id(a)]).

subtract_large() ->
    L = lists:seq(1, 2000),
    {length(L -- lists:seq(2, 2000, 2)), length((L ++ L) -- L), L -- lists:reverse(L)}.

comprehensions(N) ->
    ?S([{X, Y, Z} || X <- lists:seq(1, N), Y <- lists:seq(X, N), Z <- lists:seq(Y, N), X * X + Y * Y =:= Z * Z]),
    ?S([X * Y || X <- [1, 2], Y <- [3, 4]]),
    ?S([C || C <- "Hello World", C >= $a, C =< $z]),
    ?S([B || <<B:4>> <= <<"abc">>]),
    ?S(<< <<(X * 2)>> || X <- [1, 2, 3], X =/= 2 >>),
    ?S(primes(100)).

primes(N) -> sieve(lists:seq(2, N)).
sieve([]) -> [];
sieve([P | Xs]) -> [P | sieve([X || X <- Xs, X rem P =/= 0])].

walk([H | T]) -> {walk(H), walk(T)};
walk(X) -> X.

flatten([]) -> [];
flatten([H | T]) -> flatten(H) ++ flatten(T);
flatten(X) -> [X].

sum_to(0) -> 0;
sum_to(N) -> N + sum_to(N - 1).

build(0) -> [];
build(N) -> [N | build(N - 1)].

zip([A | As], [B | Bs]) -> [{A, B} | zip(As, Bs)];
zip([], []) -> [].

last([X]) -> X;
last([_ | Xs]) -> last(Xs).

pattern("prefix" ++ Rest) -> {prefix, Rest};
pattern([A, B | Rest]) -> {two, A, B, Rest};
pattern([]) -> empty;
pattern(Other) -> {other, Other}.
