%% Savina, quicksort: a process splits its list between two others until a part is short.
-module(savina_quicksort).
-export([run/0, small/0]).

run() -> run(1_000_000, 2_048).
small() -> run(500, 20).

run(N, Threshold) ->
    Main = self(),
    Data = random(N, 1024),
    spawn_link(fun() -> Main ! {sorted, root, sort(Data, N, Threshold)} end),
    receive {sorted, root, Sorted} -> {length(Sorted), ordered(Sorted), erlang:phash2(Sorted)} end.

random(0, _) -> [];
random(N, R0) -> R = savina:next(R0), [R | random(N - 1, R)].

ordered([A | [B | _] = L]) when A =< B -> ordered(L);
ordered([_]) -> true;
ordered(_) -> false.

sort(Data, Length, Threshold) when Length < Threshold -> sequential(Data);
sort(Data, Length, Threshold) ->
    Pivot = lists:nth(Length div 2 + 1, Data),
    part(left, [X || X <- Data, X < Pivot], Threshold),
    part(right, [X || X <- Data, X > Pivot], Threshold),
    Equal = [X || X <- Data, X =:= Pivot],
    receive {sorted, left, Left} -> ok end,
    receive {sorted, right, Right} -> ok end,
    Left ++ Equal ++ Right.

part(Side, Data, Threshold) ->
    Parent = self(),
    spawn_link(fun() -> Parent ! {sorted, Side, sort(Data, length(Data), Threshold)} end).

sequential([]) -> [];
sequential([Pivot | Data]) ->
    sequential([X || X <- Data, X < Pivot]) ++ [Pivot | sequential([X || X <- Data, X >= Pivot])].
