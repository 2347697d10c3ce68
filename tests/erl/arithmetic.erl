%% Every arithmetic operator over integers of every size and sign, with every way to be wrong.
-ifndef(OLD_COMPILER).
-module(arithmetic).
-endif.
-export([main/1]).
-include("show.hrl").

numbers() ->
    [0, 1, -1, 2, 7, -7, 10, 63, 64, 65, 255, 1 bsl 27, 1 bsl 31, -(1 bsl 31), 1 bsl 32,
     (1 bsl 58) - 1, 1 bsl 58, 1 bsl 59, -(1 bsl 59), (1 bsl 59) - 1, -(1 bsl 59) - 1, 1 bsl 60,
     -(1 bsl 60), (1 bsl 60) - 1, 1 bsl 61, (1 bsl 62) - 1, 1 bsl 63, -(1 bsl 63), (1 bsl 63) - 1,
     1 bsl 64, (1 bsl 64) - 1, -(1 bsl 64), 1 bsl 128, -(1 bsl 128) + 1, 12345678901234567890123].

main(_Args) ->
    Pairs = [{A, B} || A <- numbers(), B <- numbers()],
    [all(A, B) || {A, B} <- Pairs],
    [unary(A) || A <- numbers()],
    shifts(),
    errors(),
    literals(3, -4).

all(A, B) ->
    io:format("~w ~w: ~w ~w ~w ~w ~w ~w ~w ~w ~w~n",
              [A, B, A + B, A - B, A * B, q(fun() -> A div B end), q(fun() -> A rem B end),
               A band B, A bor B, A bxor B, {A < B, A =< B, A == B, A =:= B, max(A, B)}]).

q(F) -> show:quiet(F).

unary(A) -> io:format("~w: ~w ~w ~w ~w~n", [A, -A, bnot A, abs(A), +A]).

shifts() ->
    [io:format("~w << ~w = ~w ~w~n", [A, N, A bsl N, A bsr N])
     || A <- [0, 1, -1, 5, -5, 1 bsl 58, -(1 bsl 60), (1 bsl 70) + 3, -(1 bsl 70) - 3],
        N <- [0, 1, 3, 31, 32, 57, 58, 59, 60, 63, 64, 65, 127, 200, -1, -2, -59, -64, -70, -500]],
    ?S(id(0) bsl (1 bsl 70)),
    ?S(id(1) bsr (1 bsl 70)),
    ?S(id(-1) bsr (1 bsl 70)).

errors() ->
    [begin
         ?S(id(a) + id(V)), ?S(id(V) - id(a)), ?S(id(V) * id([])), ?S(id(V) div 0),
         ?S(id(V) rem 0), ?S(id(V) div 1.5), ?S(id(V) band 1.0), ?S(-id({V})), ?S(bnot id(<<V>>)),
         ?S(id(V) bsl x), ?S(id(V) bor []), ?S(id(V) / 0), ?S(id(V) / 0.0), ?S(abs(id({V}))),
         ?S(id(V) rem a), ?S(id(V) bxor 1.5), ?S(id("x") bsr V)
     end || V <- [1, 1 bsl 80]].

%% Operands that are literals: the compiler writes them into the instructions.
literals(X, Y) ->
    ?S(X + 1), ?S(X - 1), ?S(1 - X), ?S(X * 3), ?S(X div 2), ?S(X rem 2), ?S(Y div 2), ?S(Y rem 3),
    ?S(X + 123456789012345678901234567890), ?S(X * (1 bsl 65)), ?S(X + 16#7ffffffffffffff),
    ?S(Y - 16#800000000000000), ?S(X band 255), ?S(X bor 256), ?S(Y bxor 3), ?S(X bsl 60),
    ?S(Y bsl 100), ?S(Y bsr 1), ?S(1 bsl X), ?S(X =:= 3), ?S(X == 3.0), ?S(X =:= 3.0),
    ?S(count(1000000, 0)).

count(0, Acc) -> Acc;
count(N, Acc) -> count(N - 1, Acc + N).
