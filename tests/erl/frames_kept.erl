%% Words of frames that live while something collects: guard BIFs, maps, binaries, BIFs that are called, slow arithmetic
%% and exceptions between where they are set and where they are read; functions in line that are left now and then.
-module(frames_kept).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    Values = [0, 7, -1, (1 bsl 59) - 1, 1 bsl 62, 2.5, {a, b}, [1, 2], <<"text">>, #{k => 1}],
    [?S({A, B, [catch F(A, B) || F <- kernels()]}) || A <- Values, B <- Values],
    [?S({N, catch around(F, N, [{N}])}) || F <- kernels(), N <- [1, 30, 400]],
    ?S(turns(600, 1, [])), ?S(turns(300, 1 bsl 57, [])), ?S(sums(lists:seq(1, 900), 0, {[]})),
    [?S(caught(N, 0, [])) || N <- [5, 600]],
    ?S(texts(500, <<>>, #{})), ?S(deeper(200)).

kernels() ->
    [fun bifs/2, fun maps/2, fun binaries/2, fun called/2, fun slow/2, fun failing/2, fun trimmed/2, fun nested/2, fun both_ways/2].

around(F, N, Acc) when N > 0 -> R = (catch F(N, N * 3)), around(F, N - 1, keep(R, Acc));
around(_, 0, Acc) -> Acc.
keep({'EXIT', {Why, _}}, Acc) -> [Why | lists:sublist(Acc, 3)];
keep(R, Acc) -> [R | lists:sublist(Acc, 3)].

same(X) -> X.
other(X) -> {self() =:= self(), [X | lists:duplicate(3, X)]}.
one_of([X | _]) -> X;
one_of(X) when is_tuple(X) -> element(1, X);
one_of(X) -> X.
half(X) when X rem 2 =:= 0 -> X div 2;
half(X) -> X * 3 + 1.

%% Guard BIFs that make something, with words of the frame behind and before them.
bifs(A, B) ->
    X = [A | B], Y = {B, A}, {_, L} = other(X),
    Z = abs(round_of(A)), W = float_of(B),
    {X, Y, Z, W, length(L), one_of(Y)}.
round_of(A) when is_number(A) -> trunc(A); round_of(_) -> 1 bsl 65.
float_of(B) when is_integer(B) -> float(B); float_of(_) -> 0.5.

maps(A, B) ->
    X = {A, [B]}, {_, _} = other(A),
    M = #{a => X, b => B, A => [X]}, N = M#{b := X, c => M},
    Y = same(N), #{a := P, b := Q} = Y,
    {X, P =:= Q, maps:get(c, Y), map_size(Y), M}.

binaries(A, B) ->
    X = term_to_binary({A, B}), {_, K} = other(B), S = size_of(A),
    T = <<S:24, X/binary, S>>, U = <<T/binary, (same(S)):64/little, T/binary>>,
    <<_:24, V:3/binary, _/binary>> = U,
    {X =:= T, byte_size(T), V, byte_size(U), K, erlang:phash2(U), A}.
size_of(A) when is_integer(A) -> A band 255; size_of(_) -> 3.

called(A, B) ->
    X = [{A}, B], Y = lists:reverse(X), Z = lists:reverse([A, B, A, B], Y), {_, W} = other(Z),
    {X, Y, lists:member(A, Z), lists:keyfind(A, 1, Y), tuple_to_list(list_to_tuple(Z)), length(W)}.

slow(A, B) ->
    X = {A, B}, Y = A * 3, Z = Y + B, {T, _} = other(X), W = Z * Z - Y,
    V = half(W), {X, Y, Z, W, V, T, half(V), A}.

failing(A, B) ->
    X = {A, B}, {_, K} = other(A),
    R = try half(one_of(A)) of V -> {V, K} catch error:Why -> {Why, X, K} after same(X) end,
    S = try throw_if(B) catch throw:{_, T} -> [T, X | K]; error:E -> {E, X} end,
    {R, S, X}.
throw_if(B) when is_integer(B), B > 5 -> throw({too, [B]});
throw_if(B) -> B + 1.

trimmed(A, B) ->
    {_, K} = other(A), {_, L} = other(K), M = #{K => L}, X = same(half_or(B)),
    Y = {K, X}, {_, N} = other(Y), Z = M#{x => N}, {map_size(same(Z)), X, length(N)}.
half_or(B) when is_integer(B) -> half(B); half_or(B) -> B.

nested(A, B) -> {inner(A, {B}), inner({B}, A), inner(B, [A])}.
inner(A, B) -> X = [A, B], Y = step(X), Z = step({Y}), {X, Y, Z, one_of(B)}.
step(X) -> Y = {X, float_of(one_of(X))}, [Y, same(X)].

both_ways(A, B) ->
    X = {A}, Y = case is_number(A) of true -> atom_of(B); false -> {_, K} = other(B), K end,
    Z = [X | Y], {_, L} = other(Z), {X, Y, Z, L}.
atom_of(B) when is_atom(B) -> [atom_to_list(B)]; atom_of(_) -> [].

%% Loops that keep a frame over what collects in each round.
turns(0, X, Acc) -> {X, Acc};
turns(N, X, Acc) ->
    Y = half(X), {_, K} = other(N), M = #{N => Y, k => K}, Z = maps:get(N, M),
    turns(N - 1, Z, [map_size(M) | lists:sublist(Acc, 5)]).

sums([], S, T) -> {S, T};
sums([X | Xs], S, T) ->
    B = <<X:32, S:80>>, <<Y:32, Z:80>> = same(B), {_, K} = other(T),
    sums(Xs, Y * X + Z, {lists:reverse([Y], lists:sublist(K, 2) -- [T])}).

%% In line, and left by an error or a big number every few rounds.
caught(0, S, Acc) -> {S, Acc};
caught(N, S, Acc) ->
    X = {N, S}, V = try small(N rem 7, N) of R -> R catch error:badarith -> element(1, X); throw:T -> T end,
    caught(N - 1, S + V, [V | lists:sublist(Acc, 4)]).
small(0, N) -> throw(N);
small(1, N) -> N div (N - N);
small(2, N) -> (1 bsl 60) + N;
small(_, N) -> N.

texts(0, B, M) -> {byte_size(B), erlang:md5(B), map_size(M)};
texts(N, B, M) ->
    X = {N, M}, C = <<B/binary, (half(N)):16, (integer_to_binary(N))/binary>>,
    {_, [{Y, Z} | _]} = other(X), texts(Y - 1, C, Z#{N rem 40 => byte_size(C)}).

deeper(0) -> [];
deeper(N) -> X = {N, [N]}, {_, K} = other(X), Y = deeper(N - 1), Z = #{N => X}, [{maps:get(N, Z), length(K)} | lists:sublist(Y, 3)].
