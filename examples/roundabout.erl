%% One reactor with many event streams, one process that sends to them in turn (*Reactors*).
%%
%%     whitebeam run examples/roundabout.erl [main EVENTS]
%%
%% Look at the time an event takes: it is the same for 1 stream and for 128, because an event finds its stream by the
%% number in it, and no event is looked at on behalf of another stream.
%% compare: exit code
%% args: 2000
-module(roundabout).
-export([main/1]).
-import(whitebeam_reactor, [open/1, on_event/2, fold/3, seal/1, send/2]).

main([]) -> main(["600000"]);
main([Text]) ->
    Events = list_to_integer(Text),
    [io:format("~3b streams: ~9.1f ns an event~n", [Streams, roundabout(Streams, Events)])
     || Streams <- [1, 2, 4, 8, 16, 32, 64, 128]],
    ok.

roundabout(Streams, Events) ->
    Main = self(),
    Each = Events div Streams,
    whitebeam_reactor:spawn_link(fun(MainChannel) ->
        Connectors = [open(integer) || _ <- lists:seq(1, Streams)],
        [on_event(fold(Stream, 0, fun(_, N) -> N + 1 end),
                  fun(N) -> N =:= Each andalso begin Main ! all, seal(Channel) end end)
         || {Channel, Stream} <- Connectors],
        seal(MainChannel),
        Main ! {channels, [Channel || {Channel, _} <- Connectors]}
    end),
    receive {channels, Channels} -> ok end,
    Start = erlang:monotonic_time(),
    turns(Each, Channels),
    [receive all -> ok end || _ <- Channels],
    erlang:convert_time_unit(erlang:monotonic_time() - Start, native, nanosecond) / (Each * Streams).

turns(0, _) -> ok;
turns(N, Channels) -> lists:foreach(fun(Channel) -> send(Channel, N) end, Channels), turns(N - 1, Channels).
