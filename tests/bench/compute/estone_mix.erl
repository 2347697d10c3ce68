%% A mix in the spirit of estone: lists, tuples, pattern matching, a port-free work function,
%% integer and float arithmetic, function calls, trees, dictionaries, and binaries.
-module(estone_mix).
-export([run/0]).

run() ->
    erlang:phash2({lists_part(2000), tuples(300_000, {1, 2, 3, 4}), dispatch(1_000_000, a, 0),
                   arithmetic(800_000, 1), floats(400_000, 1.0), tree_part(8), links(50_000, []),
                   dictionary(100_000), bytes(100_000, <<>>)}).

lists_part(0) -> [];
lists_part(N) ->
    L = lists:seq(1, 100),
    R = lists:reverse(lists:append(L, L)),
    S = [X || X <- R, lists:member(X, [1, 50, 100])],
    [length(S) | lists_part(N - 1)].

tuples(0, T) -> T;
tuples(N, {A, B, C, D}) -> tuples(N - 1, setelement(2, {B, C, D, A}, N)).

dispatch(0, _, Sum) -> Sum;
dispatch(N, a, Sum) -> dispatch(N - 1, b, Sum + 1);
dispatch(N, b, Sum) -> dispatch(N - 1, {c, N band 3}, Sum + 2);
dispatch(N, {c, 0}, Sum) -> dispatch(N - 1, [d], Sum + 3);
dispatch(N, {c, K}, Sum) -> dispatch(N - 1, [K, d], Sum + K);
dispatch(N, [d], Sum) -> dispatch(N - 1, e, Sum);
dispatch(N, [_ | _], Sum) -> dispatch(N - 1, e, Sum + 1);
dispatch(N, e, Sum) -> dispatch(N - 1, a, Sum).

arithmetic(0, X) -> X;
arithmetic(N, X) -> arithmetic(N - 1, (X * 31 + N) rem 65_537 bxor (X div 3)).

floats(0, X) -> X;
floats(N, X) -> floats(N - 1, X * 1.0001 + N / 3 - trunc(X)).

tree_part(0) -> leaf;
tree_part(N) -> list_to_tuple([tree_part(N - 1) || _ <- lists:seq(1, 4)]).

links(0, L) -> length(L);
links(N, L) -> links(N - 1, [{N, make_fun(N)} | L]).

make_fun(N) -> F = fun(X) -> X + N end, F(N).

dictionary(N) ->
    [put({key, K band 255}, K) || K <- lists:seq(1, N)],
    lists:sum([get({key, K}) || K <- lists:seq(0, 255)]).

bytes(0, B) -> erlang:md5(B);
bytes(N, B) -> bytes(N - 1, <<B/binary, N:16/little, (N band 7)>>).
