%% min/2 and max/2 in loops that become native code: of integers, floats, both, other terms; of equal ones the first;
%% called by name, in the loop of a fun, traced.
-module(min_max).
-export([main/1, smallest/2, largest/2, each/2]).

main(_) ->
    [io:format("~p~n", [{F, lists:usort([each(F, N) || _ <- lists:seq(1, 3000)])}]) || F <- [min, max], N <- [5]],
    Big = 1 bsl 70,
    Pairs = [{A, B} || A <- terms(Big), B <- terms(Big)],
    [ok = check(A, B) || _ <- lists:seq(1, 200), {A, B} <- Pairs],
    io:format("~p~n", [erlang:phash2([{min(A, B), max(A, B)} || {A, B} <- Pairs])]),
    %% -0.0 and 0.0, 1 and 1.0: equal, so it is the first.
    io:format("~p~n", [[{min(A, B), max(A, B)} || {A, B} <- [{1, 1.0}, {1.0, 1}, {[1], [1.0]}, {[1.0], [1]}, {-0.0, 0}, {0, -0.0}]]]),
    Long = [N * 7919 rem 10007 || N <- lists:seq(1, 20000)],
    io:format("~p~n", [{smallest(Long, 1 bsl 58), largest(Long, -(1 bsl 58))}]),
    io:format("~p~n", [lists:sum(lists:map(fun(N) -> max(min(N, 5000), 100) end, Long))]),
    traced(Long).

terms(Big) -> [0, 1, -1, 1.0, -0.0, Big, -Big, (1 bsl 59) - 1, -(1 bsl 59), a, self_is_an_atom, {1}, [], [1], <<"b">>, #{}, 2.5e10].

each(min, N) -> {min(N, 3), min(3, N), min(N, N)};
each(max, N) -> {max(N, 3), max(3, N), max(N, N)}.

check(A, B) ->
    Min = min(A, B),
    Max = max(A, B),
    true = Min =:= (if A =< B -> A; true -> B end),
    true = Max =:= (if A >= B -> A; true -> B end),
    ok.

smallest([], Min) -> Min;
smallest([X | Xs], Min) -> smallest(Xs, min(X, Min)).

largest([], Max) -> Max;
largest([X | Xs], Max) -> largest(Xs, max(Max, X)).

%% Compiled by now; a call that is traced is seen all the same.
traced(Long) ->
    Self = self(),
    Tracer = spawn_link(fun() -> count(0, Self) end),
    erlang:trace_pattern({erlang, max, 2}, true, []),
    erlang:trace(self(), true, [call, {tracer, Tracer}]),
    Result = largest(lists:sublist(Long, 100), 0),
    erlang:trace(self(), false, [call]),
    erlang:trace_pattern({erlang, max, 2}, false, []),
    Ref = erlang:trace_delivered(self()),
    receive {trace_delivered, _, Ref} -> ok end,
    Tracer ! {stop, self()},
    receive {count, N} -> io:format("~p, ~p calls seen~n", [Result, N]) end.

count(N, Main) ->
    receive
        {trace, Main, call, {erlang, max, [_, _]}} -> count(N + 1, Main);
        {stop, Main} -> Main ! {count, N}
    end.
