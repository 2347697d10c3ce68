%% React-style waiting: a process that waits without a stack, and what each kind of waiting weighs (*Scala Actors*).
%%
%%     whitebeam run examples/waiting.erl [main PROCESSES]
%%
%% Look at the three columns: `receive` keeps stack and heap of what the process did before, `react` throws the stack
%% away and hibernates, a process that did nothing yet is the smallest. All three then get the same messages.
%% compare: exit code
%% args: 500
-module(waiting).
-export([main/1]).
-import(whitebeam_actor, [react/1, receive_with/1]).

main([]) -> main(["100000"]);
main([Text]) ->
    Count = list_to_integer(Text),
    io:format("~b processes of each kind~n", [Count]),
    [io:format("~-22s ~5b bytes a process, ~b answers~n", [Name | measure(Count, Wait)])
     || {Name, Wait} <- [{"receive, after work", fun(Main) -> work(), receive_with(answer(Main)) end},
                         {"react, after work", fun(Main) -> work(), react(answer(Main)) end},
                         {"receive, at the start", fun(Main) -> receive {ask, N} -> Main ! {answer, N} end end}]],
    ok.

answer(Main) -> fun({ask, N}) -> Main ! {answer, N}; (_) -> pass end.

%% Leaves a heap behind.
work() -> lists:sum([length(integer_to_list(N)) || N <- lists:seq(1, 40)]).

measure(Count, Wait) ->
    Main = self(),
    erlang:garbage_collect(),
    Before = erlang:memory(processes),
    Pids = [spawn(fun() -> Wait(Main) end) || _ <- lists:seq(1, Count)],
    until_nobody_runs(),
    Bytes = (erlang:memory(processes) - Before) div Count,
    [Pid ! {ask, N} || {N, Pid} <- lists:zip(lists:seq(1, Count), Pids)],
    [Bytes, length([receive {answer, N} -> N end || N <- lists:seq(1, Count)])].

until_nobody_runs() ->
    timer:sleep(20),
    case erlang:statistics(total_run_queue_lengths_all) of
        0 -> ok;
        _ -> until_nobody_runs()
    end.
