%% Go's pipeline: stages connected by channels, each closing its own when its input is closed.
%%
%%     whitebeam run examples/go_pipeline.erl [main NUMBERS]
%%
%% Look at stage/2: `foreach` is Go's range over a channel, and close is how the end of the input goes through the
%% whole pipeline. The channels are unbuffered: no stage is ahead of the next by more than one value.
%% args: 10
-module(go_pipeline).
-export([main/1]).
-import(whitebeam_chan, [new/0, send/2, close/1, foreach/2, to_list/1]).

main([]) -> main(["10"]);
main([Text]) ->
    Numbers = generate(list_to_integer(Text)),
    Squares = stage(Numbers, fun(N) -> [N * N] end),
    Odd = stage(Squares, fun(N) -> [N || N rem 2 =:= 1] end),
    Twice = stage(Odd, fun(N) -> [N, -N] end),
    io:format("~p~n", [to_list(Twice)]).

generate(Last) -> produce(fun(Out) -> [send(Out, N) || N <- lists:seq(1, Last)] end).

%% What is made of a value is any number of values.
stage(In, F) -> produce(fun(Out) -> foreach(fun(Value) -> [send(Out, Made) || Made <- F(Value)] end, In) end).

produce(Body) ->
    Out = new(),
    spawn_link(fun() -> Body(Out), close(Out) end),
    Out.
