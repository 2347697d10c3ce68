%% A ring of processes with a queue between each and the next: every process takes from its own and puts into its
%% neighbour's (*Scala Actors*: 600,000 processes, 600,000 queues).
%%
%%     whitebeam run --max-processes 2000000 examples/queue_ring.erl [main PROCESSES MESSAGES]
%%
%% Look at what a pass costs when nothing of a process is in a cache any more: at 600,000 against at 1,000.
%% compare: exit code
%% args: 1000 20 2
-module(queue_ring).
-export([main/1]).

main([]) -> main(["600000", "100", "3"]);
main([P, M, R]) ->
    [Processes, Messages, Rounds] = [list_to_integer(T) || T <- [P, M, R]],
    Small = ns_a_pass(1_000, Messages, Rounds * max(1, Processes div 1_000)),
    Large = ns_a_pass(Processes, Messages, Rounds),
    io:format("~.1f ns a pass in a ring of 1,000, ~.1f in one of ~b: ~.2f times~n", [Small, Large, Processes, Large / Small]).

%% Each message goes round that often.
ns_a_pass(Processes, Messages, Rounds) ->
    Main = self(),
    Pids = ring(Processes, Main),
    First = hd(Pids),
    Passes = Processes * Rounds,
    Step = Processes div min(Messages, Processes),
    Starts = every(Step, Pids),
    Start = erlang:monotonic_time(),
    [Pid ! Passes || Pid <- Starts],
    [receive done -> ok end || _ <- Starts],
    Time = erlang:convert_time_unit(erlang:monotonic_time() - Start, native, nanosecond),
    Monitor = monitor(process, First),
    First ! stop,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    Time / (Passes * length(Starts)).

every(Step, Pids) -> [Pid || {Pid, N} <- lists:zip(Pids, lists:seq(0, length(Pids) - 1)), N rem Step =:= 0].

ring(Processes, Main) ->
    First = spawn(fun() -> receive {next, Next} -> node(Next, Main) end end),
    Others = lists:foldl(fun(_, [Next | _] = Made) -> [spawn(fun() -> node(Next, Main) end) | Made] end, [First],
                         lists:seq(2, Processes)),
    First ! {next, hd(Others)},
    Others.

node(Next, Main) ->
    receive
        0 -> Main ! done, node(Next, Main);
        N when is_integer(N) -> Next ! N - 1, node(Next, Main);
        stop -> Next ! stop
    end.
