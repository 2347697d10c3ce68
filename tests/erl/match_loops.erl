%% Loops over binaries: functions that call themselves with the rest, over every kind of binary, left in every way.
-module(match_loops).
-export([main/1, word/2, grow/2, strict/2]).
-include("show.hrl").

main(_Args) ->
    [all(B) || B <- binaries()],
    [?S({N, utf(unicode:characters_to_binary(lists:duplicate(N, [$a, 228, 8364, 128512])), 0)}) || N <- [0, 1, 50, 3000]],
    ?S(utf(<<"abc", 255, "d">>, 0)), ?S(utf(<<"abc", 228>>, 0)),
    [?S(grow(W, W)) || W <- [<<>>, <<"abc">>, appended(70), appended(300)]],
    [?S(catch strict(B, 0)) || B <- [<<1, 2, 3>>, <<1, 2, 0, 4>>, <<1, 2, 3, 4:3>>, <<>>, x, appended(200)]],
    ?S(nested(binary:copy(<<3, "abc", 0, 1, "x">>, 200), [])),
    ?S(two(binary:copy(<<1, 2, 3>>, 500), binary:copy(<<4, 5>>, 900), 0)),
    ?S(swapped(binary:copy(<<1, 2>>, 2000), binary:copy(<<3, 4>>, 2000), 0)),
    long(), spread().

binaries() ->
    Big = appended(1500), <<_:7/binary, Window:1200/binary, _/binary>> = Big, <<_:5, Odd/bits>> = Big,
    [<<>>, <<1>>, <<"hello world">>, appended(60), appended(100), Big, Window, Odd, binary:copy(Window), <<0:77>>, <<Big/binary, 5:3>>].
appended(N) -> lists:foldl(fun(C, A) -> <<A/binary, C>> end, <<>>, lists:seq(1, N)).

all(B) ->
    io:format("~w~n", [[erlang:phash2(R) || R <- [sum(B, 0), words(B, []), bits(B, 0), nibbles(B, []), back(B, 0), flags(B, 0, 0), floats(B, 0.0),
        pieces(B, []), until(B, 0), copy(B, <<>>), word(B, 0), counted(5000, B, 0), maybe_open(B, 0, x), pairs(B, [])]]]).

sum(<<C, R/binary>>, S) -> sum(R, (S + C) band 16#ffffff);
sum(_, S) -> S.
words(<<A:16/little, B:24/signed, R/binary>>, Acc) -> words(R, [A, B | Acc]);
words(<<A:8, R/binary>>, Acc) -> words(R, [A | Acc]);
words(Rest, Acc) -> {Rest, Acc}.
bits(<<A:3, B:5, R/bits>>, S) -> bits(R, S + A * B);
bits(<<1:1, R/bits>>, S) -> bits(R, S + 1);
bits(<<0:1, R/bits>>, S) -> bits(R, S + 2);
bits(<<>>, S) -> S.
nibbles(<<N:4, R/bits>>, Acc) when N < 12 -> nibbles(R, [N | Acc]);
nibbles(<<N:4, M:4, R/bits>>, Acc) -> nibbles(R, [{N, M} | Acc]);
nibbles(R, Acc) -> {Acc, R}.
%% Clauses that fail late, so that the position goes back.
back(<<"hello", R/binary>>, S) -> back(R, S + 1);
back(<<A, B, C, 7, R/binary>>, S) -> back(R, S + A + B + C);
back(<<A, B, R/binary>>, S) when A + B > 300 -> back(R, S + 2);
back(<<_, R/binary>>, S) -> back(R, S + 3);
back(R, S) -> {R, S}.
flags(<<>>, A, B) -> {A, B};
flags(<<1:1, N:7, R/bits>>, A, B) -> flags(R, A + N, B);
flags(<<0:1, N:7, R/bits>>, A, B) -> flags(R, B, A - N);
flags(R, A, B) -> {rest, R, A, B}.
floats(<<F/float, R/binary>>, S) when F > -1.0e6, F < 1.0e6 -> floats(R, S + F);
floats(<<_:64, R/binary>>, S) -> floats(R, S + 1);
floats(R, S) -> {R, S}.
pieces(<<N:3, _:5, P:N/binary, R/binary>>, Acc) -> pieces(R, [P | Acc]);
pieces(R, Acc) -> {R, Acc}.
until(<<50, R/binary>>, S) -> {found, R, S};
until(<<C, R/binary>>, S) -> until(R, S + C);
until(R, S) -> {R, S}.
copy(<<C, R/binary>>, Acc) -> copy(R, <<Acc/binary, (C bxor 255)>>);
copy(_, Acc) -> Acc.
word(<<C, R/binary>>, N) when C > 31, C < 120 -> ?MODULE:word(R, N + C);
word(<<_, R/binary>>, N) -> word(R, N + 1);
word(R, N) -> {R, N}.
counted(0, R, S) -> {R, S};
counted(N, <<C, R/bits>>, S) -> counted(N - 1, R, S + C);
counted(N, R, S) -> {N, R, S}.
%% A register that holds a context in one round and something else in the next.
maybe_open(<<C, R/binary>>, S, _) when C band 1 =:= 0 -> maybe_open(R, S + C, R);
maybe_open(<<_, R/binary>>, S, x) -> maybe_open(R, S, y);
maybe_open(<<_, R/binary>>, S, _) -> maybe_open(binary:copy(R), S + 1, x);
maybe_open(_, S, _) -> S.
pairs(<<A, R/binary>>, Acc) ->
    case R of
        <<B, R1/binary>> when B > A -> pairs(R1, [{A, B} | Acc]);
        <<B, _/binary>> -> pairs(R, [B | Acc]);
        _ -> {one, A, Acc}
    end;
pairs(_, Acc) -> Acc.

utf(<<C/utf8, R/binary>>, S) -> utf(R, (S * 31 + C) band 16#ffffff);
utf(<<>>, S) -> S;
utf(R, S) -> {bad, R, S}.

%% What is matched grows meanwhile.
grow(<<C, R/binary>>, W) -> grow(R, <<W/binary, C, (byte_size(R)):16>>);
grow(_, W) -> erlang:phash2(W).

%% Left with an error, whose arguments show how far it came.
strict(<<0, R/binary>>, S) -> error({zero, R, S});
strict(<<C, R/binary>>, S) when is_integer(S) -> strict(R, S + C).

nested(<<N, S:N/binary, R/binary>>, Acc) -> nested(R, [inner(S, 0) | Acc]);
nested(_, Acc) -> erlang:phash2(Acc).
inner(<<C, R/binary>>, S) -> inner(R, S + C);
inner(<<>>, S) -> S.

two(<<A, R/binary>>, <<B, Q/binary>>, S) -> two(R, Q, (S * 3 + A * B) band 16#ffff);
two(A, B, S) -> {byte_size(A), byte_size(B), S}.
swapped(<<A, R/binary>>, B, S) -> swapped(B, R, (S * 3 + A) band 16#ffff);
swapped(A, B, S) -> {byte_size(A), byte_size(B), S}.

%% Long enough to be preempted, and to be compiled while it runs.
long() ->
    Long = binary:copy(<<"0123456789">>, 10000),
    ?S([{sum(Long, 0), element(2, back(Long, 0)), element(3, until(<<Long/binary, 50>>, 0))} || _ <- [1, 2]]),
    ?S([sum(Long, 0) || _ <- lists:seq(1, 40)] =:= lists:duplicate(40, sum(Long, 0))).
spread() ->
    Self = self(), B = binary:copy(<<"0123456789">>, 300),
    Pids = [spawn_link(fun() -> Self ! {self(), N, sum(B, N), erlang:phash2(words(B, [N])), erlang:phash2(copy(B, <<N>>))} end) || N <- lists:seq(1, 8)],
    [?S(receive {P, N, A, W, C} -> {N, A, W, C} end) || P <- Pids].
