%% The order of all terms: numbers < atoms < references < funs < ports < pids < tuples < maps <
%% nil < lists < bit strings, and all six comparisons over all sample terms.
%% skip gc-stress: terms 100,000 deep; memory_small has smaller ones
-module(term_order).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    Values = sample_terms:values() -- sample_terms:funs(),
    Indexed = lists:zip(lists:seq(1, length(Values)), Values),
    [io:format("~w ~ts~n", [I, [compare(V, W) || {_, W} <- Indexed]]) || {I, V} <- Indexed],
    [io:format("~0tP~n", [V, 30]) || V <- lists:sort(Values)],
    kinds(), deep(), guards(id(1), id(1.0), id(a)), bytes().

compare(V, W) ->
    true = (V < W) =:= not (V >= W),
    true = (V =< W) =:= not (V > W),
    true = (V == W) =:= not (V /= W),
    true = (V =:= W) =:= not (V =/= W),
    if
        V =:= W -> $=;
        V == W -> $~;
        V < W -> $<;
        true -> $>
    end.

kinds() ->
    Pid = self(), Ref = make_ref(), Fun = fun() -> Pid end,
    Order = [1, a, Ref, Fun, Pid, {}, #{}, [], [0], <<>>],
    ?S(Order =:= lists:sort(lists:reverse(Order))),
    ?S(make_ref() > Ref), ?S(Ref =:= Ref), ?S(Fun == Fun), ?S(Fun =:= id(fun() -> Pid end)),
    ?S(spawn(fun() -> ok end) > Pid),
    ?S(fun lists:map/2 =:= fun lists:map/2), ?S(fun lists:map/2 < fun lists:nth/2).

deep() ->
    Deep = lists:foldl(fun(I, Acc) -> {I, [Acc]} end, x, lists:seq(1, 100000)),
    Deeper = lists:foldl(fun(I, Acc) -> {I, [Acc]} end, y, lists:seq(1, 100000)),
    ?S(Deep < Deeper), ?S(Deep =:= Deep), ?S(Deep == Deeper),
    ?S(#{Deep => 1} =:= #{Deep => 1}),
    ?S(lists:seq(1, 100000) < lists:seq(1, 99999) ++ [100001]).

guards(A, B, C) ->
    ?S(if A == B, A =/= B -> equal_not_identical end),
    ?S(case {A, C} of {X, X} -> same; {X, Y} when X < Y -> less end),
    ?S(A =:= 1), ?S(B == 1), ?S(C =/= b), ?S([A | B] =:= [1 | 1.0]), ?S({A, B} == {B, A}),
    ?S(#{A => x} == #{B => x}), ?S(#{x => A} == #{x => B}), ?S(#{x => A} =:= #{x => B}),
    ?S(<<1:1>> < <<1:2>>), ?S(<<1:1>> < <<0:2>>), ?S(<<128>> > <<1:1>>), ?S(#{z => 1} < #{a => 1, b => 2}),
    ?S(#{1 => x} < #{1.0 => x}), ?S(#{a => 1, b => 2} < #{a => 2, b => 1}).

%% Bit strings of all short lengths that differ nowhere or in one byte, in front of other bytes and not,
%% whole and within others, as guards and as values, beside the lists of their bytes.
bytes() ->
    [io:format("~w ~w~n", [N, erlang:phash2([order(A, B) || A <- around(N), B <- around(N)])]) || N <- lists:seq(0, 40)].

around(N) ->
    Bytes = lists:seq(100, 99 + N),
    Whole = [list_to_binary(Bytes) | [list_to_binary(setnth(I, Bytes, lists:nth(I, Bytes) bxor X)) || I <- lists:seq(1, N, 3), X <- [1, 128]]],
    [C || B <- Whole, C <- [B, within(B, 8), within(B, 3), <<B/bits, 1:1>>]].
setnth(I, L, X) -> {A, [_ | B]} = lists:split(I - 1, L), A ++ [X | B].
within(B, Bits) -> Size = bit_size(B), <<_:Bits, C:Size/bits, _/bits>> = id(<<0:Bits, B/bits, 255>>), C.

order(A, B) ->
    Sign = compare(A, B),
    true = (bits(A) < bits(B)) =:= (Sign =:= $<),
    Sign.
bits(B) -> [X || <<X:1>> <= B].
