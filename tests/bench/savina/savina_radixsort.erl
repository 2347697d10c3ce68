%% Savina, radix sort: a pipeline of processes, one a bit, which let zeros pass and hold ones back.
-module(savina_radixsort).
-export([run/0, small/0]).

run() -> run(100_000, 1 bsl 60).
small() -> run(50, 1 bsl 60).

run(N, Max) ->
    Main = self(),
    First = pipeline(Max bsr 1, N, Main),
    source(N, 2048, Max, First),
    validate(N, 0, 0).

%% The lowest bit comes first: built from the last.
pipeline(0, _, Next) -> Next;
pipeline(Radix, N, Next) ->
    pipeline(Radix bsr 1, N, spawn_link(fun() -> sort(N, Radix, [], Next) end)).

source(0, _, _, _) -> ok;
source(N, R0, Max, First) ->
    R = savina:next(R0),
    First ! {value, R rem Max},
    source(N - 1, R, Max, First).

sort(0, _, Held, Next) -> [Next ! V || V <- lists:reverse(Held)], ok;
sort(N, Radix, Held, Next) ->
    receive
        {value, X} = V when X band Radix =:= 0 -> Next ! V, sort(N - 1, Radix, Held, Next);
        {value, _} = V -> sort(N - 1, Radix, [V | Held], Next)
    end.

validate(0, _, Sum) -> Sum;
validate(N, Previous, Sum) ->
    receive {value, X} when X >= Previous -> validate(N - 1, X, Sum + X) end.
