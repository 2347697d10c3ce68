%% erlang:error, exit and throw called by apply where a function ends: that function is in the trace, wherever a slice ends.
-module(applied_errors).
-export([main/1, raises/1]).
-include("show.hrl").

%% More calls than a slice has reductions, each further on in it.
main(_Args) ->
    [io:format("~w: ~w~n", [{M, F, length(As)}, traces(M, F, As, 9000, #{})])
     || {M, F, As} <- [{erlang, error, [why]}, {erlang, error, [why, [a, b]]}, {erlang, error, [why, [], []]}, {erlang, exit, [why]},
                       {erlang, throw, [why]}, {erlang, atom_to_list, [1]}, {?MODULE, raises, [x]}, {?MODULE, none, []}]],
    erlang:trace_pattern({erlang, error, 1}, [{'_', [], [{exception_trace}]}], [local]),
    Tracer = spawn(fun gone/0),
    erlang:trace(self(), true, [call, {tracer, Tracer}]),
    io:format("traced: ~w~n", [traces(erlang, error, [why], 9000, #{})]).

gone() -> receive _ -> gone() end.

traces(_, _, _, 0, Seen) -> lists:sort(maps:to_list(Seen));
traces(M, F, As, N, Seen) ->
    Trace = try applied(id(M), id(F), As) of true -> returns catch C:R:S -> {C, R, [{G, arity(A)} || {_, G, A, _} <- lists:sublist(S, 3)]} end,
    traces(M, F, As, N - 1, maps:update_with(Trace, fun(K) -> K + 1 end, 1, Seen)).

applied(M, F, [A]) -> id(1), M:F(A);
applied(M, F, As) -> id(1), apply(M, F, As).

arity(A) when is_integer(A) -> A;
arity(As) -> length(As).

raises(X) -> erlang:error(X).
