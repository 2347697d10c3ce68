%% Savina: 20,000 processes made, each does one piece of work and ends.
-module(fork_join_create).
-export([run/0, operations/0]).

operations() -> {20_000, "ns/process"}.

run() ->
    Main = self(),
    create(20_000, Main),
    collect(20_000, 0).

create(0, _) -> ok;
create(N, Main) ->
    Pid = spawn(fun() -> receive work -> Main ! round(100 * math:sin(37.2) * math:sin(37.2)) end end),
    Pid ! work,
    create(N - 1, Main).

collect(0, S) -> S;
collect(N, S) -> receive X -> collect(N - 1, S + X) end.
