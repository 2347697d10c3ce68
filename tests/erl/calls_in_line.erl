%% Calls that hot code has in line (vm/orc/plugin/unit.h): what they give, the traces of their
%% errors, what a process says of itself in them, tracing of what is in line, funs that change.
-module(calls_in_line).
-export([main/1]).
-include("show.hrl").
-include("calls_seen.hrl").

main(_Args) ->
    warm(),
    ?S([twice(N) || N <- [1, -1, 1 bsl 58, 1 bsl 59, 1 bsl 64, -(1 bsl 59) - 1]]),
    ?S([fib(N) || N <- lists:seq(0, 20)]),
    ?S(tree_sum(tree(10))), ?S([ack(2, N) || N <- lists:seq(0, 6)]), ?S(sums(0, 1000, 0)),
    errors(), funs(), deep(), lists_and_floats(), traced(), collected(), binaries(), places().

%% Everything small has been called before what calls it.
warm() ->
    [{inc(N), clamp(N), classify(N), half(N + 1.0), swap({N, N}), first(<<N, 2>>), inner(N)} || N <- lists:seq(1, 20)],
    [twice(N) + sums(0, N, 0) || N <- lists:seq(1, 20)].

inc(N) -> N + 1.
twice(N) -> inc(N) + inc(inc(N)).
clamp(N) when N < 0 -> 0;
clamp(N) when N > 10 -> 10;
clamp(N) -> N.
classify(N) when is_integer(N), N > 0 -> pos;
classify(0) -> zero;
classify(N) when is_integer(N) -> neg;
classify(N) when is_float(N) -> float;
classify([_ | _]) -> list;
classify({_, _}) -> pair.
half(X) -> X / 2.
swap({A, B}) -> {B, A}.
first(<<X, _/binary>>) -> X;
first(<<>>) -> none.

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
ack(0, N) -> N + 1;
ack(M, 0) -> ack(M - 1, 1);
ack(M, N) -> ack(M - 1, ack(M, N - 1)).
tree(0) -> leaf;
tree(N) -> {tree(N - 1), N, tree(N - 1)}.
tree_sum(leaf) -> 0;
tree_sum({L, N, R}) -> tree_sum(L) + N + tree_sum(R).
sums(N, N, Sum) -> Sum;
sums(K, N, Sum) -> sums(K + 1, N, Sum + clamp(K - 5) * inc(K)).

%% --- errors: the same frames as if the calls were made
errors() ->
    [?S(trace_of(fun() -> F(X) end)) || F <- [fun outer/1, fun last/1, fun caught/1], X <- [1, 0, a, [], {1}, 1.0, 1 bsl 70]].
outer(X) ->
    Y = inner(X),
    {Y, inner(inc(X))}.
inner(X) when X > -5 -> 10 div (X - 1 + 1);
inner([]) -> hd([]).
last(X) -> inner(X).
caught(X) ->
    A = (catch inner(X)),
    B = try inner(X) of V -> {is, V} catch C:E -> {C, E} after inc(1) end,
    {shape(A), B}.
shape({'EXIT', {R, T}}) -> {R, frames(T)};
shape(X) -> X.
trace_of(F) -> try F() catch C:E:T -> {C, E, frames(T)} end.
frames(T) -> [{M, F, if is_list(A) -> A; true -> A end, proplists:get_value(line, L)} || {M, F, A, L} <- T, M =:= ?MODULE].

%% --- funs: guessed, and another
funs() ->
    Add = fun(X, Y) -> X + Y end, K = length(frames([])), Free = fun(X, Y) -> X * Y + K end,
    Three = fun(X, Y) -> {X, Y, K} end, _ = [F(1, 2) || _ <- lists:seq(1, 20), F <- [Add, Free, Three]],
    [?S(fold(F, 1, lists:seq(1, 30))) || F <- [Add, Add, fun apply2/2, Free, fun ?MODULE:module_info/1, Add, fun erlang:max/2, not_a_fun, fun(X) -> X end]],
    ?S(fold(Three, 0, [1, 2, 3])), ?S([call_last(F, 3) || F <- [fun inc/1, fun half/1, fun clamp/1, fun inc/1, a]]),
    ?S(mapped(fun(X) -> inc(X) end, lists:seq(1, 20))), ?S(mapped(fun half/1, [1, 2.0, a])).
apply2(X, Y) -> clamp(X) - Y.
fold(F, Acc, L) -> try fold1(F, Acc, L) catch C:E:T -> {C, no_funs(E), frames(no_args(T))} end.
no_funs({badfun, X}) -> {badfun, X};
no_funs({badarity, {_, Args}}) -> {badarity, Args};
no_funs(E) -> E.
no_args(T) -> [{M, F, if is_list(A) -> length(A); true -> A end, L} || {M, F, A, L} <- T].
fold1(_, Acc, []) -> Acc;
fold1(F, Acc, [X | L]) -> fold1(F, F(X, Acc), L).
call_last(F, X) -> try tail(F, X) catch C:E -> {C, E} end.
tail(F, X) -> F(X).
mapped(F, L) -> try map1(F, L) catch C:E:T -> {C, E, frames(T)} end.
map1(F, [X | L]) -> [F(X) | map1(F, L)];
map1(_, []) -> [].

%% --- deep: frames of what is in line are there for the collector and the stack
deep() ->
    ?S(len(lists:seq(1, 5000))), ?S(erlang:phash2(build(2000))),
    ?S(try nest(30) catch throw:{stack, T} -> lists:sublist(T, 6) end).
len([_ | T]) -> inc(len(T));
len([]) -> 0.
build(0) -> [];
build(N) -> [swap({N, classify(N)}) | build(N - 1)].
nest(0) -> here();
nest(N) -> inc(nest(N - 1)).
here() ->
    {current_stacktrace, T} = process_info(self(), current_stacktrace),
    throw({stack, frames(T)}).

lists_and_floats() ->
    ?S(rows(10, 0.0)), ?S([trace_of(fun() -> half(X) end) || X <- [1.0e308, 3, a]]),
    ?S(trace_of(fun() -> product(half(4.0), 1.0e200, 10) end)).
rows(0, Sum) -> Sum;
rows(N, Sum) -> rows(N - 1, Sum + weight(N, N + 1) * 2.5).
weight(I, J) -> 1.0 / ((I + J) * (I + J + 1) div 2 + I + 1).
product(X, _, 0) -> X;
product(X, Y, N) -> product(times(X, Y), Y, N - 1).
times(X, Y) -> X * Y.

%% --- tracing what is in line: every call is seen, before, during and after
traced() ->
    _ = [twice(N) || N <- lists:seq(1, 2000)],
    Self = self(),
    Tracer = spawn_link(fun() -> collect(Self, []) end),
    erlang:trace(Self, true, [call, {tracer, Tracer}]),
    1 = erlang:trace_pattern({?MODULE, inc, 1}, [{'_', [], [{return_trace}]}], [local]),
    A = twice(5),
    erlang:trace_pattern({?MODULE, inc, 1}, false, [local]),
    B = twice(6),
    1 = erlang:trace_pattern({?MODULE, twice, 1}, true, [local]),
    1 = erlang:trace_pattern({?MODULE, inc, 1}, true, [local]),
    C = twice(7),
    erlang:trace_pattern({?MODULE, '_', '_'}, false, [local]),
    D = twice(8),
    erlang:trace(Self, false, [all]),
    Delivered = erlang:trace_delivered(Self),
    receive {trace_delivered, Self, Delivered} -> ok end,
    Tracer ! give,
    ?S({A, B, C, D, receive {seen, L} -> L end}),
    erlang:trace_pattern({?MODULE, clamp, 1}, true, [call_count]),
    _ = sums(0, 500, 0),
    ?S(erlang:trace_info({?MODULE, clamp, 1}, call_count)),
    erlang:trace_pattern({?MODULE, clamp, 1}, false, [call_count]),
    ?S(sums(0, 500, 0)).

%% --- collections within
collected() -> ?S(erlang:phash2(grow(1000, []))).
grow(0, L) -> L;
grow(N, L) -> grow(N - 1, cons(swap({N, [N]}), L)).
cons({[], _}, L) -> L;
cons(X, L) -> [X | L].

binaries() -> ?S([count(B, 0) || B <- [<<>>, <<"hello">>, binary:copy(<<1, 2, 3>>, 1000)]]), ?S([first(<<>>), trace_of(fun() -> first(a) end)]).
count(<<>>, N) -> N;
count(B, N) -> count(rest(B), N + first(B)).
rest(<<_, R/binary>>) -> R.

%% --- preempted within: reductions are counted as if the calls were made
places() ->
    Self = self(),
    Pids = [spawn(fun() -> Self ! {self(), spin(20000 + K, 0)} end) || K <- lists:seq(1, 4)],
    ?S([receive {P, R} -> R end || P <- Pids]),
    {reductions, R0} = process_info(self(), reductions), _ = spin(3000, 0), {reductions, R1} = process_info(self(), reductions),
    ?S(R1 - R0 > 8900).
spin(0, S) -> S;
spin(N, S) -> spin(N - 1, clamp(inc(S)) + N band 3).
