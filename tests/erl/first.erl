%% The least one can ask: calls, arithmetic, lists, a closure, printed without io.
-module(first).
-export([main/1]).

main(_Args) ->
    erlang:display(hello),
    erlang:display(fib(20)),
    erlang:display(reverse([1, 2, 3], [])),
    erlang:display({ok, "text", <<"bytes">>, 1.5, #{a => 1}}),
    erlang:display(map(fun(X) -> X * X end, [1, 2, 3])),
    Self = self(),
    spawn(fun() -> Self ! {sum, lists:sum(lists:seq(1, 100))} end),
    receive {sum, Sum} -> erlang:display(Sum) end.

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

reverse([X | Xs], Acc) -> reverse(Xs, [X | Acc]);
reverse([], Acc) -> Acc.

map(F, [X | Xs]) -> [F(X) | map(F, Xs)];
map(_, []) -> [].
