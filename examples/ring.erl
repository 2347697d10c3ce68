%% A ring of 100,000 processes; one message goes round for a million hops.
%%
%%     whitebeam run examples/ring.erl [main PROCESSES HOPS]
%%
%% Prints how fast processes start, how many hops a second the message makes, the same with many
%% messages under way at once (all cores busy), and how many bytes one process takes.
%% compare: exit code
%% args: 1000 10000
-module(ring).
-export([main/1]).

main([]) -> ring(100_000, 1_000_000);
main([Processes, Hops]) -> ring(list_to_integer(Processes), list_to_integer(Hops)).

ring(Processes, Hops) ->
    Before = erlang:memory(processes),
    {StartTime, First} = timer:tc(fun() -> start(Processes) end),
    Bytes = (erlang:memory(processes) - Before) div Processes,
    Schedulers = erlang:system_info(schedulers),
    Messages = 16 * Schedulers,
    {OneTime, ok} = timer:tc(fun() -> go_round(First, Hops, 1) end),
    {ManyTime, ok} = timer:tc(fun() -> go_round(First, Hops, Messages) end),
    First ! stop,
    io:format("~b processes on ~b schedulers~n", [Processes, Schedulers]),
    report("start", Processes, StartTime, "processes/s"),
    report("one message", Hops, OneTime, "hops/s"),
    report(io_lib:format("~b messages", [Messages]), Hops, ManyTime, "hops/s"),
    io:format("~-14s ~b bytes per process~n", ["memory", Bytes]).

%% Links the ring from the last process to the first: each knows only its successor, the first
%% gets told who it is when all the others exist.
start(Processes) ->
    Main = self(),
    First = spawn(fun() -> receive {next, Next} -> forward(Next, Main) end end),
    Last = lists:foldl(fun(_, Next) -> spawn(fun() -> forward(Next, Main) end) end,
                       First, lists:seq(2, Processes)),
    First ! {next, Last},
    First.

forward(Next, Main) ->
    receive
        stop ->
            Next ! stop;
        0 ->
            Main ! done,
            forward(Next, Main);
        Hops ->
            Next ! Hops - 1,
            forward(Next, Main)
    end.

%% Hops in all, shared by so many messages.
go_round(First, Hops, Messages) ->
    [First ! Hops div Messages || _ <- lists:seq(1, Messages)],
    [receive done -> ok end || _ <- lists:seq(1, Messages)],
    ok.

report(What, Count, Microseconds, Unit) ->
    Seconds = max(Microseconds, 1) / 1_000_000,
    io:format("~-14s ~b in ~.3f s: ~b ~s~n", [What, Count, Seconds, round(Count / Seconds), Unit]).
