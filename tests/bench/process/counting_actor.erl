%% Savina: one process floods another, which adds up.
-module(counting_actor).
-export([run/0, operations/0]).

operations() -> {1_000_000, "ns/message"}.

run() ->
    Main = self(),
    Counter = spawn_link(fun() -> count(0, Main) end),
    send(1_000_000, Counter),
    Counter ! report,
    receive {sum, S} -> S end.

send(0, _) -> ok;
send(N, Counter) -> Counter ! {add, N}, send(N - 1, Counter).

count(S, Main) ->
    receive
        {add, N} -> count(S + N, Main);
        report -> Main ! {sum, S}
    end.
