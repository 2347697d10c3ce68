%% Go's fan-in with cancellation: many sources into one channel, until nobody wants more.
%%
%%     whitebeam run examples/go_fan_in.erl
%%
%% Look at source/4: a source that would wait for ever because nobody receives any more selects between sending and the channel
%% `Done`. Closing Done is a broadcast: it makes that case ready for everybody, and all of them end; no process is left.
-module(go_fan_in).
-export([main/1]).
-import(whitebeam_chan, [new/0, close/1, recv/1, recv/2, select/1, select/2]).

main(_) ->
    Done = new(),
    Out = new(),
    Sources = [spawn_monitor(fun() -> source(Name, 1, Out, Done) end) || Name <- [a, b, c]],
    First = [begin {ok, {Name, N}} = recv(Out), {Name, N} end || _ <- lists:seq(1, 30)],
    io:format("~b values; those of each source in order: ~p~n", [length(First), [in_order(Name, First) || Name <- [a, b, c]]]),
    close(Done),
    io:format("ended: ~p~n", [[receive {'DOWN', Monitor, process, Pid, Why} -> Why end || {Pid, Monitor} <- Sources]]),
    io:format("nobody sends: ~p~n", [recv(Out, default)]),
    %% The same with a deadline instead of a decision: a closed channel is always ready, a timer's once.
    io:format("~p~n", [select([{recv, Out}, {recv, Done}], 1000)]),
    io:format("~p~n", [select([{recv, Out}, {recv, whitebeam_chan:timer(10)}])]).

source(Name, N, Out, Done) ->
    case select([{send, Out, {Name, N}}, {recv, Done}]) of
        {1, ok} -> source(Name, N + 1, Out, Done);
        {2, closed} -> exit(cancelled)
    end.

in_order(Name, Values) ->
    Own = [N || {From, N} <- Values, From =:= Name],
    Own =:= lists:seq(1, length(Own)).
