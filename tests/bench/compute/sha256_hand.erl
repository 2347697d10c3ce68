%% SHA-256: 32-bit words in small integers, rotations, eight values in registers.
-module(sha256_hand).
-export([run/0]).

-define(M, 16#ffffffff).

run() ->
    Data = << <<(N band 255)>> || N <- lists:seq(1, 200_000) >>,
    sha(Data).

sha(Data) ->
    Bits = bit_size(Data),
    Pad = (447 - Bits) band 511,
    blocks(<<Data/binary, 1:1, 0:Pad, Bits:64>>,
           {16#6a09e667, 16#bb67ae85, 16#3c6ef372, 16#a54ff53a,
            16#510e527f, 16#9b05688c, 16#1f83d9ab, 16#5be0cd19}, constants()).

blocks(<<>>, {A, B, C, D, E, F, G, H}, _) -> <<A:32, B:32, C:32, D:32, E:32, F:32, G:32, H:32>>;
blocks(<<Block:64/binary, Rest/binary>>, {A, B, C, D, E, F, G, H} = State, Ks) ->
    W = lists:reverse([N || <<N:32>> <= Block]),
    Schedule = lists:reverse(extend(W, 48)),
    blocks(Rest, rounds(Schedule, Ks, A, B, C, D, E, F, G, H, State), Ks).

extend(W, 0) -> W;
extend([_, W2, _, _, _, _, W7, _, _, _, _, _, _, _, W15, W16 | _] = W, N) ->
    S0 = rotr(W15, 7) bxor rotr(W15, 18) bxor (W15 bsr 3),
    S1 = rotr(W2, 17) bxor rotr(W2, 19) bxor (W2 bsr 10),
    extend([(W16 + S0 + W7 + S1) band ?M | W], N - 1).

rounds([], [], A, B, C, D, E, F, G, H, {A0, B0, C0, D0, E0, F0, G0, H0}) ->
    {(A0 + A) band ?M, (B0 + B) band ?M, (C0 + C) band ?M, (D0 + D) band ?M,
     (E0 + E) band ?M, (F0 + F) band ?M, (G0 + G) band ?M, (H0 + H) band ?M};
rounds([W | Ws], [K | Ks], A, B, C, D, E, F, G, H, State) ->
    S1 = rotr(E, 6) bxor rotr(E, 11) bxor rotr(E, 25),
    Ch = (E band F) bxor ((bnot E) band G),
    T1 = (H + S1 + Ch + K + W) band ?M,
    S0 = rotr(A, 2) bxor rotr(A, 13) bxor rotr(A, 22),
    Maj = (A band B) bxor (A band C) bxor (B band C),
    T2 = (S0 + Maj) band ?M,
    rounds(Ws, Ks, (T1 + T2) band ?M, A, B, C, (D + T1) band ?M, E, F, G, State).

rotr(X, N) -> (X bsr N) bor ((X bsl (32 - N)) band ?M).

%% The first 32 bits of the fractions of the cube roots of the first 64 primes.
constants() -> [cube_root_fraction(P) || P <- primes(2, 64)].

primes(_, 0) -> [];
primes(N, K) ->
    case lists:any(fun(D) -> N rem D =:= 0 end, lists:seq(2, trunc(math:sqrt(N)))) of
        true -> primes(N + 1, K);
        false -> [N | primes(N + 1, K - 1)]
    end.

cube_root_fraction(P) -> root(P bsl 96, 0, 1 bsl 36) band ?M.

root(X, Low, High) when High - Low =< 1 -> true = Low * Low * Low =< X, Low;
root(X, Low, High) ->
    Middle = (Low + High) bsr 1,
    case Middle * Middle * Middle =< X of
        true -> root(X, Middle, High);
        false -> root(X, Low, Middle)
    end.
