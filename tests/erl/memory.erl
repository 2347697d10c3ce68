%% The collector's corners: much garbage, deep and wide terms, sharing, big heaps that shrink,
%% binaries that come and go, literals, messages in flight while collecting.
%% skip gc-stress: memory_small is this with sizes fit for it
-ifndef(SCALE).
-module(memory).
-define(SCALE, 1).
-define(LESS, 0).
-endif.
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    ?S(tree_sum(build(14 - ?LESS))), ?S(churn(300 div ?SCALE, [])), ?S(deep_list(100000 div ?SCALE)), ?S(deep_tuple(100000 div ?SCALE)), ?S(wide()), ?S(map_churn(5000 div ?SCALE)), ?S(closures(2000 div ?SCALE)), ?S(binaries(500 div ?SCALE)), ?S(sub_binaries()), ?S(bignums(300 div ?SCALE)), ?S(stack(5000 div ?SCALE)),
    ?S(grow_and_shrink()), ?S(messages(200 div ?SCALE)), ?S(dictionary(1000 div ?SCALE)), ?S(many_heaps(200 div ?SCALE)), ?S(literals()), ?S(explicit()), ?S(live_after_catch(100 div ?SCALE)), ?S(floats(2000 div ?SCALE)), ?S(ets_terms(500 div ?SCALE)), ?S(receive_big()), ?S(accumulators(20000 div ?SCALE)), ?S(strings(200 div ?SCALE)), ?S(equal_deep()), ?S(hash_deep()), ?S(external_deep()).

build(0) -> leaf;
build(N) -> {build(N - 1), N, build(N - 1)}.
tree_sum(leaf) -> 0;
tree_sum({L, N, R}) -> tree_sum(L) + N + tree_sum(R).

churn(0, Kept) -> lists:sum([length(L) || L <- Kept]);
churn(N, Kept) -> Garbage = lists:seq(1, 500), churn(N - 1, [lists:sublist(Garbage, N rem 7) | Kept]).

deep_list(N) -> L = lists:foldl(fun(_, A) -> [A] end, [], lists:seq(1, N)), erlang:garbage_collect(), depth(L, 0).
depth([], N) -> N;
depth([X], N) -> depth(X, N + 1).

deep_tuple(N) -> T = lists:foldl(fun(I, A) -> {I, A} end, end_, lists:seq(1, N)), Self = self(), spawn(fun() -> Self ! {deep, T} end), receive {deep, U} -> {U =:= T, tuple_depth(U, 0)} end.
tuple_depth({_, T}, N) -> tuple_depth(T, N + 1);
tuple_depth(end_, N) -> N.

wide() -> T = erlang:make_tuple(200000 div ?SCALE, []), U = setelement(100, T, lists:seq(1, 10)), erlang:garbage_collect(), {tuple_size(U), element(100, U)}.

map_churn(N) -> M = lists:foldl(fun(I, M) -> M#{I rem 200 => {I, lists:seq(1, I rem 10)}} end, #{}, lists:seq(1, N)), erlang:garbage_collect(), lists:sum([element(1, V) || V <- maps:values(M)]).

closures(N) -> Fs = [begin L = lists:seq(1, I rem 20), fun(X) -> X + length(L) end end || I <- lists:seq(1, N)], erlang:garbage_collect(), lists:foldl(fun(F, A) -> F(A) end, 0, Fs).

binaries(N) -> Bs = [binary:copy(<<I>>, 50 + I) || I <- lists:seq(1, N)], Kept = [B || B <- Bs, byte_size(B) rem 3 =:= 0], erlang:garbage_collect(), {length(Kept), lists:sum([byte_size(B) || B <- Kept]), erlang:phash2(Kept)}.

sub_binaries() -> Big = binary:copy(<<"0123456789">>, 10000), Parts = [binary:part(Big, I * 10, 10) || I <- lists:seq(0, 999 div ?SCALE)], erlang:garbage_collect(), {lists:usort(Parts), byte_size(iolist_to_binary(Parts))}.

bignums(N) -> F = lists:foldl(fun(I, A) -> A * I end, 1, lists:seq(1, N)), erlang:garbage_collect(), erlang:phash2(F).

stack(0) -> [];
stack(N) -> L = lists:seq(1, N rem 5), R = stack(N - 1), case N rem 1000 of 0 -> erlang:garbage_collect(); _ -> ok end, [length(L) | case R of [H | _] -> H; [] -> 0 end], [N + length(L) | lists:sublist(R, 3)].

grow_and_shrink() ->
    {total_heap_size, A} = process_info(self(), total_heap_size),
    L = lists:seq(1, 300000 div ?SCALE), {total_heap_size, B} = process_info(self(), total_heap_size),
    N = length(L), erlang:garbage_collect(), erlang:garbage_collect(),
    {total_heap_size, C} = process_info(self(), total_heap_size),
    {N, B >= 2 * N, C =< B, A > 0}.

messages(N) ->
    Self = self(),
    Echo = spawn_link(fun() -> echo() end),
    [Echo ! {Self, {I, lists:seq(1, I), binary:copy(<<I>>, I)}} || I <- lists:seq(1, N)],
    R = lists:sum([receive {I, L, B} when length(L) =:= byte_size(B) -> garbage(I), I end || _ <- lists:seq(1, N)]),
    unlink(Echo), exit(Echo, kill), R.
echo() -> receive {From, M} -> garbage(50), From ! M, echo() end.
garbage(N) -> length([{X, X} || X <- lists:seq(1, N)]).

dictionary(N) -> [put({d, I}, {I, lists:seq(1, 5)}) || I <- lists:seq(1, N)], erlang:garbage_collect(), R = lists:sum([element(1, get({d, I})) || I <- lists:seq(1, N)]), erase(), R.

many_heaps(N) -> Self = self(), [spawn(fun() -> T = build(I rem 8), erlang:garbage_collect(), Self ! {tree, tree_sum(T)} end) || I <- lists:seq(1, N)], lists:sum([receive {tree, S} -> S end || _ <- lists:seq(1, N)]).

literals() -> L = [{literal, "string", <<"binary">>, #{map => 1}, 1.5, 123456789012345678901234567890} | id([])], erlang:garbage_collect(), Self = self(), spawn(fun() -> Self ! L end), receive L -> same end.

explicit() -> {erlang:garbage_collect(), erlang:garbage_collect(self(), [{type, minor}]), erlang:garbage_collect(self(), [{async, x}]), receive {garbage_collect, x, R} -> R end}.

live_after_catch(0) -> ok;
live_after_catch(N) -> T = {N, [N]}, try garbage(N * 10), throw(T) catch {N, [N]} -> erlang:garbage_collect(), live_after_catch(N - 1) end.

floats(N) -> Fs = [I * 1.1 || I <- lists:seq(1, N)], erlang:garbage_collect(), lists:sum(Fs).

ets_terms(N) -> T = ets:new(t, []), [ets:insert(T, {I, lists:seq(1, I rem 50), #{I => I}}) || I <- lists:seq(1, N)], erlang:garbage_collect(), R = ets:foldl(fun({I, L, M}, A) -> I + length(L) + maps:get(I, M) + A end, 0, T), ets:delete(T), R.

receive_big() -> Self = self(), spawn(fun() -> Self ! {big, lists:seq(1, 100000 div ?SCALE), self()} end), receive {big, L, _} -> erlang:garbage_collect(), lists:sum(L) end.

accumulators(N) -> acc(N, [], {}, #{}, 0).
acc(0, L, T, M, S) -> {length(L), T, map_size(M), S};
acc(N, L, _, M, S) -> acc(N - 1, [N | lists:sublist(L, 10)], {N, S}, M#{N rem 50 => L}, S + N).

strings(N) -> S = lists:flatten([integer_to_list(I) || I <- lists:seq(1, N)]), erlang:garbage_collect(), erlang:phash2(S).

equal_deep() -> A = nest(50000 div ?SCALE), B = nest(50000 div ?SCALE), {A =:= B, A == [B], A < [A]}.
hash_deep() -> erlang:phash2(nest(50000 div ?SCALE)).
external_deep() -> N = nest(50000 div ?SCALE), binary_to_term(term_to_binary(N)) =:= N.
nest(0) -> [];
nest(N) -> nest(N, []).
nest(0, A) -> A;
nest(N, A) -> nest(N - 1, [{A}]).
