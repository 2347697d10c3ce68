%% Savina, successive over-relaxation: a process for each cell of a grid, red and black; two processes have half of them each.
-module(savina_sor).
-export([run/0, small/0]).

-define(OMEGA, 1.25).
-define(REFERENCE, 3.189420084871275e-6).  % what the suite expects of this grid

run() -> run(20, 100).
small() -> run(4, 10).

run(Size, Iterations) ->
    Runner = self(),
    Half = Size div 2,
    Values = values(Size),
    Peer = spawn_link(fun() -> peer(Half, Size - 1, Size, Iterations, Values, Runner) end),
    Mine = cells(0, Half - 1, Values),
    receive {border, Peer, Theirs} -> ok end,
    All = maps:merge(Mine, Theirs),
    Peer ! {cells, All},
    Total = relax(Mine, All, Size, Iterations),
    receive {total, Peer, Others} -> {Total + Others, abs(Total + Others - ?REFERENCE) < 1.0e-12} end.

peer(From, To, Size, Iterations, Values, Runner) ->
    Mine = cells(From, To, Values),
    Runner ! {border, self(), Mine},
    receive {cells, All} -> Runner ! {total, self(), relax(Mine, All, Size, Iterations)} end.

%% The generator is that of the suite's first edition, Java's: the reference value is its.
values(Size) ->
    {Values, _} = lists:mapfoldl(fun(Cell, R0) -> {X, R} = java_double(R0), {{Cell, X * 1.0e-6}, R} end,
                                 10101010 bxor 16#5deece66d,
                                 [{I, J} || I <- lists:seq(0, Size - 1), J <- lists:seq(0, Size - 1)]),
    maps:from_list(Values).

java_double(R0) ->
    R1 = java_next(R0),
    R = java_next(R1),
    {(((R1 bsr 22) bsl 27) + (R bsr 21)) / (1 bsl 53), R}.

java_next(R) -> (R * 16#5deece66d + 11) band 16#ffffffffffff.

cells(From, To, Values) ->
    Owner = self(),
    maps:from_list([{Cell, spawn_link(fun() -> cell(Cell, Value, Owner) end)}
                    || {{_, J} = Cell, Value} <- maps:to_list(Values), J >= From, J =< To]).

relax(Mine, All, Size, Iterations) ->
    [Pid ! {start, Iterations, [map_get(N, All) || N <- neighbours(Cell, Size)]} || {Cell, Pid} <- maps:to_list(Mine)],
    lists:sum([receive {result, Cell, Value} -> Value end || Cell <- lists:sort(maps:keys(Mine))]).

neighbours({I, J}, Size) ->
    [{I1, J1} || {I1, J1} <- [{I, J + 1}, {I + 1, J}, {I, J - 1}, {I - 1, J}], I1 >= 0, I1 < Size, J1 >= 0, J1 < Size].

%% Black cells begin. Values are added in the order of the neighbours, not in that of their coming.
cell({I, J} = Cell, Value, Owner) ->
    receive
        {start, Iterations, Neighbours} when (I + J) rem 2 =:= 0 ->
            tell(Value, Neighbours),
            iterate(Iterations - 1, Value, Neighbours, Cell, Owner);
        {start, Iterations, Neighbours} ->
            iterate(Iterations, Value, Neighbours, Cell, Owner)
    end.

tell(Value, Neighbours) -> [N ! {value, self(), Value} || N <- Neighbours], ok.

iterate(0, Value, _, Cell, Owner) -> Owner ! {result, Cell, Value};
iterate(N, Value, Neighbours, Cell, Owner) ->
    Sum = sum(Neighbours, 0.0),
    New = 0.25 * ?OMEGA * Sum + (1.0 - ?OMEGA) * Value,
    tell(New, Neighbours),
    iterate(N - 1, New, Neighbours, Cell, Owner).

sum([], Sum) -> Sum;
sum([N | Ns], Sum) -> receive {value, N, Value} -> sum(Ns, Sum + Value) end.
