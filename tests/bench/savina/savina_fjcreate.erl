%% Savina, fork-join actor creation: processes that do one piece of work and end.
-module(savina_fjcreate).
-export([run/0, small/0]).

run() -> run(40_000).
small() -> run(50).

run(N) -> create(N, self()), lists:sum(savina:gather(done, N)).

create(0, _) -> ok;
create(N, Main) ->
    spawn(fun() -> receive work -> Main ! {done, compute(37.2)} end end) ! work,
    create(N - 1, Main).

compute(Theta) ->
    Sine = math:sin(Theta),
    case Sine * Sine of
        Square when Square > 0.0 -> 1
    end.
