%% Many processes alive at once, each of which answers (*Scala Actors*: 1.2 million).
%%
%%     whitebeam run --max-processes 2000000 examples/million.erl [main PROCESSES]
%%
%% Look at the bytes a process takes while it waits, hibernated and not, and that each of them still answers. (Here a
%% process is a block of 512 bytes with its first heap inside, so that hibernating saves only what it has grown since.)
%% compare: exit code
%% args: 2000
-module(million).
-export([main/1, answer/0]).

main([]) -> main(["1200000"]);
main([Text]) ->
    Count = list_to_integer(Text),
    [alive(How, Count, Body) || {How, Body} <- [{"waiting", fun() -> answer() end},
                                                 {"hibernated", fun() -> erlang:hibernate(?MODULE, answer, []) end}]],
    ok.

alive(How, Count, Body) ->
    Before = erlang:memory(processes),
    Start = erlang:monotonic_time(millisecond),
    Pids = start(Count, Body, []),
    until_nobody_runs(),
    Time = erlang:monotonic_time(millisecond) - Start,
    Bytes = (erlang:memory(processes) - Before) div Count,
    io:format("~s: ~b processes in ~b ms, ~b bytes each", [How, Count, Time, Bytes]),
    ask(Pids),
    io:format(", ~b answers~n", [answers(Count, 0)]).

start(0, _, Pids) -> Pids;
start(N, Body, Pids) -> start(N - 1, Body, [spawn(Body) | Pids]).

ask([]) -> ok;
ask([Pid | Pids]) -> Pid ! {ask, self()}, ask(Pids).

answers(Count, Count) -> Count;
answers(Count, N) -> receive here -> answers(Count, N + 1) end.

answer() -> receive {ask, From} -> From ! here end.

until_nobody_runs() ->
    timer:sleep(20),
    case erlang:statistics(total_run_queue_lengths_all) of
        0 -> ok;
        _ -> until_nobody_runs()
    end.
