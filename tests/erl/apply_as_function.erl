%% erlang:apply/2,3 as functions, as spawn, apply and funs call them: they are traced, and those that fail show.
-module(apply_as_function).
-export([main/1]).

main(_) ->
    [show(N, F) || {N, F} <- lists:enumerate(called() ++ applied())],
    [begin
         {_, R} = spawn_monitor(erlang, apply, Args),
         receive {'DOWN', R, _, _, Why} -> io:format("~w~n", [Why]) end
     end || Args <- [[x, []], [lists, reverse, [1, 2, 3, 4]], [fun() -> exit(gone) end, []], [fun erlang:self/0, 3]]],
    traced(fun() -> ok end),
    traced(fun() -> (id(fun erlang:apply/2))(id(fun() -> x end), id([])), ok end),
    traced(fun() -> {apply(id(fun() -> x end), id([])), apply(lists, id(reverse), id([[]]))} end),
    traced(fun() -> catch (id(fun erlang:apply/3))(lists, reverse, x), ok end),
    ok.

show(N, F) ->
    try io:format("~w ~w~n", [N, F()])
    catch Class:Reason:Trace ->
        Frames = [{M, G, if is_list(A) -> {length(A), args}; true -> A end} || {M, G, A, _} <- Trace, M =/= erl_eval, M =/= init],
        io:format("~w ~w ~w ~w~n", [N, Class, if is_tuple(Reason) -> element(1, Reason); true -> Reason end, Frames])
    end.

called() ->
    F = id(fun erlang:apply/2), G = id(fun erlang:apply/3), Many = lists:seq(1, 300),
    [fun() -> F(id(fun erlang:self/0), id(3)) end, fun() -> F(id(x), id([])) end, fun() -> {F(id(x), id([]))} end,
     fun() -> G(id(lists), id(reverse), id(x)) end, fun() -> G(id(1), id(reverse), id([])) end, fun() -> G(a, b, []) end,
     fun() -> F(fun() -> 1 end, [1]) end, fun() -> {F(fun() -> 1 end, [1])} end, fun() -> F(fun() -> 1 end, Many) end,
     fun() -> G(a, b, Many) end, fun() -> G(1, b, Many) end, fun() -> lists:map(fun erlang:apply/2, [1]) end,
     fun() -> lists:foldl(fun erlang:apply/2, 1, [1]) end, fun() -> lists:foldl(fun erlang:apply/2, [], [fun(_) -> 1 end]) end,
     fun() -> F(fun erlang:atom_to_list/1, [1]) end, fun() -> {F(fun erlang:atom_to_list/1, [1])} end,
     fun() -> F(fun a:b/0, []) end, fun() -> F(fun(X) -> X end, [7]) end, fun() -> G(lists, reverse, [[1, 2]]) end].

applied() ->
    A = id(erlang), B = id(apply), C = id(lists), Many = lists:seq(1, 300),
    [fun() -> A:B(x, []) end, fun() -> {A:B(x, [])} end, fun() -> A:B(fun() -> 1 end, x) end, fun() -> A:B(C, reverse, x) end,
     fun() -> A:B(1, reverse, []) end, fun() -> {A:B(C, reverse, x)} end, fun() -> {A:B(1, reverse, [])} end,
     fun() -> apply(A, B, id([x, []])) end, fun() -> apply(A, B, id([A, B, [x, []]])) end, fun() -> apply(A, B, id([a, b, []])) end,
     fun() -> {apply(A, B, id([a, b, []]))} end, fun() -> {apply(A, B, id([A, B, [A, B, [C, reverse, [[1, 2]]]]]))} end,
     fun() -> apply(A, B, id([fun() -> 1 end, [1]])) end, fun() -> A:B(fun() -> 1 end, Many) end,
     fun() -> A:B(a, b, Many) end, fun() -> {A:B(a, b, Many)} end, fun() -> {A:B(a, 1, Many)} end,
     fun() -> {apply(id(fun erlang:self/0), id(3))} end, fun() -> {apply(id(x), id([]))} end, fun() -> {apply(id(x), Many)} end,
     fun() -> apply(id(x), Many) end, fun() -> {apply(C, id(reverse), id(x))} end, fun() -> {apply(id(1), B, id([]))} end,
     fun() -> {apply(id(a), id(b), id([]))} end, fun() -> {apply(id(a), id(b), Many)} end, fun() -> {apply(id(fun() -> 1 end), id([1]))} end].

traced(F) ->
    Self = self(),
    3 = erlang:trace_pattern({erlang, apply, '_'}, [{'_', [], [{return_trace}]}], [local]) + 1,
    Starter = spawn(fun() -> receive go -> spawn(F), receive stop -> ok end end end),
    erlang:trace(Starter, true, [call, return_to, set_on_spawn, procs, {tracer, Self}]),
    Starter ! go,
    all_of(Starter),
    erlang:trace(all, false, [all]),
    2 = erlang:trace_pattern({erlang, apply, '_'}, false, [local]),
    exit(Starter, kill).

all_of(Starter) ->
    receive
        {trace, P, exit, Why} when P =/= Starter -> io:format("  exit ~w~n", [Why]);
        {trace, P, What, Of} when P =/= Starter, What =/= spawned -> io:format("  ~w ~w~n", [What, plain(Of)]), all_of(Starter);
        {trace, P, What, Of, Value} when P =/= Starter, What =/= spawned -> io:format("  ~w ~w ~w~n", [What, plain(Of), Value]), all_of(Starter);
        _ -> all_of(Starter)
    end.

plain({M, F, [_, _]}) -> {M, F, args};
plain(Of) -> Of.

id(X) -> X.
