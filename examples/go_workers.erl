%% Go's worker pool: a channel of jobs, a channel of results, some workers on both.
%%
%%     whitebeam run examples/go_workers.erl [main WORKERS JOBS]
%%
%% Look at main/1: nobody gives a job to a worker. Workers that are free take the next from the channel, closing it sends
%% them home, and the buffer of the jobs is all the back-pressure there is: the main process waits while it is full.
%% args: 3 20
-module(go_workers).
-export([main/1]).
-import(whitebeam_chan, [new/1, send/2, recv/1, close/1, foreach/2]).

main([]) -> main(["4", "1000"]);
main([W, J]) ->
    [Workers, Count] = [list_to_integer(T) || T <- [W, J]],
    Jobs = new(Workers),
    Results = new(Count),
    [spawn_link(fun() -> foreach(fun(Job) -> send(Results, {Job, collatz(Job, 0)}) end, Jobs) end)
     || _ <- lists:seq(1, Workers)],
    [send(Jobs, Job) || Job <- lists:seq(1, Count)],
    close(Jobs),
    All = lists:sort([begin {ok, Result} = recv(Results), Result end || _ <- lists:seq(1, Count)]),
    {Steps, Job} = lists:max([{Steps, Job} || {Job, Steps} <- All]),
    io:format("~b jobs by ~b workers; the longest is that of ~b: ~b steps~n", [Count, Workers, Job, Steps]).

collatz(1, Steps) -> Steps;
collatz(N, Steps) when N rem 2 =:= 0 -> collatz(N div 2, Steps + 1);
collatz(N, Steps) -> collatz(3 * N + 1, Steps + 1).
