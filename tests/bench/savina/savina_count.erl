%% Savina, counting actor: a flood of increments, then the question for the sum.
-module(savina_count).
-export([run/0, small/0]).

run() -> run(1_000_000).
small() -> run(300).

run(N) ->
    Counter = spawn_link(fun() -> count(0) end),
    increment(N, Counter),
    Counter ! {retrieve, self()},
    receive {count, Count} -> Count end.

increment(0, _) -> ok;
increment(N, Counter) -> Counter ! increment, increment(N - 1, Counter).

count(N) ->
    receive
        increment -> count(N + 1);
        {retrieve, From} -> From ! {count, N}
    end.
