%% Tuples, floats and match contexts that live between two calls: taken apart at once, seen only by a slow path, by an
%% error, by one branch of two, inside one another.
-module(unbuilt_objects).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    Values = [0, 1, -7, 1 bsl 58, (1 bsl 59) - 1, -(1 bsl 59), 1 bsl 59, 1 bsl 70, 1.5, -0.0, 1.0e308, a],
    [?S({A, B, [catch F(A, B) || F <- kernels()]}) || A <- Values, B <- Values],
    ?S([{N, listed(lists:seq(1, N)), paired(lists:seq(1, N))} || N <- lists:seq(0, 12)]),
    [?S(catch repeated(F, 400)) || F <- kernels()],
    ?S(steps(3000, 0, 1)), ?S(steps(300, 1 bsl 58, 1 bsl 57)), ?S(vectors(2000, {1.0, 2.0, 3.0})), ?S(vectors(20, {1, 2.0, 3})),
    [?S({P, N, catch at(B, P, N)}) || B <- texts(), P <- [0, 3, 60, 99, 100, 5000, -1, x], N <- [1, 4, 40, 1 bsl 60]],
    [?S([scan(B, 0, 0), pairs_at(B, 0, [])]) || B <- texts()].

kernels() ->
    [fun sum_diff/2, fun nested/2, fun branch/2, fun kept/2, fun both/2, fun stats/2, fun either/2, fun deep/2, fun thrown/2, fun floats/2,
     fun same_twice/2, fun in_list/2, fun compared/2, fun held/2, fun held_float/2, fun held_twice/2].

%% In line where they are called, so that what they return is taken apart at once.
two(A, B) -> {A + B, A - B}.
three(A, B) -> {two(A, B), A * 2, [A | B]}.
tagged(A) when is_integer(A) -> {ok, A + 1};
tagged(A) -> {error, A}.
scale(F, {X, Y}) -> {F * X, F * Y}.

sum_diff(A, B) -> {S, D} = two(A, B), S - D.
nested(A, B) -> {{S, D}, T, [H | _]} = three(A, B), S * D + T + H.
branch(A, B) -> case two(A, B) of {S, D} when S > D -> S; {S, D} -> {D, S, A} end.
kept(A, B) -> T = two(A, B), {S, _} = T, case S > 100 of true -> T; false -> {S, T} end.
both(A, B) -> T = two(A, B), {S, D} = T, {T, T, S, D}.
stats(A, B) -> {S, D} = two(A, B), {P, Q} = two(S, D), {V, W} = two(P, Q), V + W.
either(A, B) -> case tagged(A) of {ok, V} -> case tagged(B) of {ok, W} -> V * W; {error, W} -> {V, W} end; {error, E} -> {E, B} end.
deep(A, B) -> {{A1, _}, {_, B2}} = {two(A, B), two(B, A)}, element(1, two(A1, B2)) + B2.
thrown(A, B) -> {S, _} = two(A, B), try throw({S, two(S, B)}) catch throw:{X, {Y, _}} -> X + Y end.
floats(A, B) -> {X, Y} = scale(2.5, {A, B}), {P, Q} = scale(X, {Y, 0.5}), {X * Q, P / 3, Y}.
same_twice(A, B) -> T = two(A, B), [T, element(1, T), T =:= two(A, B)].
in_list(A, B) -> [V || {V, _} <- [two(A, B), two(B, A)]].
%% Two ways meet with another object each, at another place; what comes next tells of it.
pick(A, B) when A > B -> {x, A, B, [A]};
pick(A, B) -> L = [A, B | A], {L, {B, L}}.
held(A, B) -> T = pick(A, B), {T, A}.
held_float(A, B) -> F = case A > B of true -> [[A]], A * 1.5; false -> L = [B | A], put(l, L), B + 0.5 end, {{F, get(l)}, F}.
held_twice(A, B) -> T = pick(A, B), U = pick(B, A), V = case T of {_, _} -> {U, [B]}; _ -> [A | U] end, {V, {T}}.
compared(A, B) -> {S, D} = two(A, B), {two(S, D) < {A, B}, {S, D} =:= {A, B}, max({S, B}, {D, A})}.

repeated(F, N) -> erlang:phash2([F(X, N - X) || X <- lists:seq(1, N)]).

%% In loops, until integers get large, until slices end.
steps(0, A, B) -> {A, B};
steps(N, A, B) -> {S, D} = two(A, B), steps(N - 1, S bxor N, D).
add({A, B, C}, {D, E, F}) -> {A + D, B + E, C + F}.
times(K, {A, B, C}) -> {K * A, K * B, K * C}.
dot({A, B, C}, {D, E, F}) -> A * D + B * E + C * F.
vectors(0, V) -> V;
vectors(N, V) -> W = add(V, times(0.01, V)), vectors(N - 1, times(1.0 / (1.0 + dot(W, V)), W)).

texts() -> [<<"short">>, list_to_binary(lists:seq(1, 100)), binary:copy(<<"0123456789">>, 30), <<5:3, (binary:copy(<<"abc">>, 50))/bits>>].
at(B, P, N) -> <<_:P/binary, X:N/binary, Y, _/bits>> = B, {X, Y}.
scan(B, P, S) when P < byte_size(B) - 1 -> <<_:P/binary, C, _/bits>> = B, scan(B, P + 1, (S * 31 + C) band 16#ffffff);
scan(_, P, S) -> {P, S}.
pairs_at(B, P, Acc) ->
    case B of
        <<_:P/binary, X, Y, _/bits>> when X > Y -> pairs_at(B, P + 2, [{X, Y} | Acc]);
        <<_:P/binary, X:16, _/bits>> -> pairs_at(B, P + 1, [X | Acc]);
        <<_:P/binary, Rest/bits>> -> {Rest, erlang:phash2(Acc)}
    end.

%% Built on the way back of a recursion that is in line in itself.
listed([]) -> [];
listed([X | Rest]) -> [{X, X * 2} | listed(Rest)].
paired([X, Y | Rest]) -> {A, B} = two(X, Y), T = {A, {B, A * 0.5}}, [T, T | paired(Rest)];
paired(Rest) -> Rest.
