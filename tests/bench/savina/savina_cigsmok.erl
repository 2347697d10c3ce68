%% Savina, cigarette smokers: an arbiter gives the ingredients to one smoker after the other.
-module(savina_cigsmok).
-export([run/0, small/0]).

run() -> run(1_000, 200).
small() -> run(20, 5).

run(Rounds, Smokers) ->
    Arbiter = self(),
    Pids = list_to_tuple([spawn_link(fun() -> smoker(Arbiter, 0) end) || _ <- lists:seq(1, Smokers)]),
    arbitrate(Rounds, Rounds * Smokers, Pids),
    [Pid ! exit || Pid <- tuple_to_list(Pids)],
    lists:sum(savina:gather(smoked, Smokers)).

arbitrate(0, _, _) -> ok;
arbitrate(Rounds, R0, Pids) ->
    R1 = savina:next(R0),
    R = savina:next(R1),
    element(R1 rem tuple_size(Pids) + 1, Pids) ! {smoke, R rem 1000 + 10},
    receive started -> arbitrate(Rounds - 1, R, Pids) end.

smoker(Arbiter, Smoked) ->
    receive
        {smoke, Period} ->
            Arbiter ! started,
            savina:busy_wait(Period),
            smoker(Arbiter, Smoked + Period);
        exit ->
            Arbiter ! {smoked, Smoked}
    end.
