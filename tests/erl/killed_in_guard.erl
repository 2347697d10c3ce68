%% args: 10
%% args gc-stress: 3
%% args seeds: 6
%% args asan: 6
%% args tsan: 4
%% A process that is killed in the middle of an instruction does nothing any more: nothing that it
%% sends comes after its 'DOWN'. Here instructions take longer than a slice, in guards and bodies.
-module(killed_in_guard).
-export([main/1]).
-export([guard/2, negated/2, either/2, nested/2, body/2, caught/2, tried/2, tried_after/2, cleared/2,
         received/2, multiplied/2, divided/2, product/2, called/2, applied/2, by_fun/2, filtered/2]).

main([Tries]) ->
    Elements = lists:duplicate(400000, x),
    persistent_term:put(list, Elements),
    persistent_term:put(big, 1 bsl 20000 - 1),
    Kinds = [guard, negated, either, nested, body, caught, tried, tried_after, cleared, received,
             multiplied, divided, product, called, applied, by_fun, filtered],
    [io:format("~p: ~p late~n", [Kind, late(Kind, list_to_integer(Tries))]) || Kind <- Kinds],
    ok.

late(Kind, Tries) ->
    lists:sum([try_once(Kind, N) || N <- lists:seq(1, Tries)]) + count().

try_once(Kind, N) ->
    Self = self(),
    {P, Ref} = spawn_monitor(fun() -> begin_loop(Kind, Self) end),
    receive {ready, P} -> ok end,
    [erlang:yield() || _ <- lists:seq(1, N rem 23)],
    spawn(fun() -> [erlang:yield() || _ <- lists:seq(1, N rem 7)], exit(P, kill) end),
    sent_until(Ref),
    [erlang:yield() || _ <- lists:seq(1, 3)],
    count().

sent_until(Ref) ->
    receive
        {'DOWN', Ref, process, _, killed} -> ok;
        {sent, _} -> sent_until(Ref)
    end.

count() ->
    receive {sent, _} -> 1 + count() after 0 -> 0 end.

begin_loop(Kind, To) ->
    %% native code from the eighth call on
    [?MODULE:Kind([], 3) || _ <- lists:seq(1, 20)],
    To ! {ready, self()},
    loop(Kind, argument(Kind), To).

argument(Kind) when Kind =:= multiplied; Kind =:= divided; Kind =:= product ->
    persistent_term:get(big);
argument(_) ->
    persistent_term:get(list).

loop(Kind, A, To) ->
    ?MODULE:Kind(A, 3),
    To ! {sent, self()},
    loop(Kind, A, To).

guard(L, N) when length(L) > N, N > 4 -> big;
guard(_, _) -> small.

negated(L, N) when not (length(L) > N) -> small;
negated(_, _) -> big.

either(L, N) when length(L) < N; length(L) =:= 400000 -> yes;
either(_, _) -> no.

nested(L, N) ->
    if length(L) + length(L) < N -> small;
       hd(L) =:= y -> y;
       true -> big
    end.

body(L, N) ->
    Length = length(L),
    Length > N.

caught(L, _) ->
    catch erlang:length([x | L]).

tried(L, N) ->
    try length(L) of
        M when M > N, length(L) > M -> big;
        _ -> small
    catch _:_ -> failed
    end.

tried_after(L, N) ->
    try length(L) + N
    after put(after_clause, N)
    end.

cleared(L, N) ->
    case {L, N} of
        {[_ | T], M} when length(T) < M -> small;
        {[], _} -> none;
        {_, _} -> big
    end.

received(L, N) ->
    self() ! {number, N},
    receive
        {number, M} when length(L) < M -> small;
        {number, _} -> big
    end.

multiplied(A, B) when is_integer(A), A * A < B -> small;
multiplied(_, _) -> big.

divided(A, B) when is_integer(A), (A * A) div A =:= A, A rem (A bsr 10000) > B -> big;
divided(_, _) -> small.

product([], _) -> 0;
product(A, B) -> (A * A) rem B.

called(L, N) ->
    R = lists:reverse(L),
    {R, N}.

applied(L, N) ->
    R = apply(erlang, element(1, {length}), [L]),
    {R, N}.

by_fun(L, N) ->
    F = case N of 3 -> fun erlang:length/1; _ -> fun erlang:hd/1 end,
    {F(L), N}.

filtered(L, N) ->
    [X || X <- [a, b], length(L) > N, X =/= c].
