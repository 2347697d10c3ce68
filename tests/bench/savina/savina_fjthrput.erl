%% Savina, fork-join throughput: messages to each process in turn, a little arithmetic at each.
-module(savina_fjthrput).
-export([run/0, small/0]).

run() -> run(10_000, 60).
small() -> run(20, 6).

run(Messages, Actors) ->
    Main = self(),
    Pids = [spawn_link(fun() -> worker(Messages, Main) end) || _ <- lists:seq(1, Actors)],
    flood(Messages, Pids),
    lists:sum(savina:gather(done, Actors)).

flood(0, _) -> ok;
flood(N, Pids) -> lists:foreach(fun(P) -> P ! work end, Pids), flood(N - 1, Pids).

worker(Messages, Main) -> worker(Messages, 0, Main).

worker(0, Positive, Main) -> Main ! {done, Positive};
worker(N, Positive, Main) ->
    receive work -> worker(N - 1, Positive + compute(37.2), Main) end.

compute(Theta) ->
    Sine = math:sin(Theta),
    case Sine * Sine of
        Square when Square > 0.0 -> 1
    end.
