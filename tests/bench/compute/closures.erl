%% Funs: made, composed, called, passed to maps and folds.
-module(closures).
-export([run/0]).

run() ->
    Add = fun(N) -> fun(X) -> X + N end end,
    Chain = lists:foldl(fun(N, F) -> compose(Add(N), F) end, fun(X) -> X end, lists:seq(1, 50)),
    Sum = loop(30_000, Chain, 0),
    L = lists:seq(1, 1000),
    Folded = lists:foldl(fun(K, S) ->
                             S + lists:sum(lists:map(fun(X) -> X + K end,
                                                     lists:filter(fun(X) -> X band 1 =:= 0 end, L)))
                         end, 0, lists:seq(1, 200)),
    {Sum, Folded, church(20_000)}.

compose(F, G) -> fun(X) -> F(G(X)) end.

loop(0, _, S) -> S;
loop(N, F, S) -> loop(N - 1, F, S + F(N)).

%% Numbers as funs.
church(N) ->
    Zero = fun(_, X) -> X end,
    Succ = fun(C) -> fun(F, X) -> F(C(F, X)) end end,
    Number = lists:foldl(fun(_, C) -> Succ(C) end, Zero, lists:seq(1, N)),
    Number(fun(X) -> X + 1 end, 0).
