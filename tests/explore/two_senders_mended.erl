%% two_senders.erl, mended.
-module(two_senders_mended).
-export([main/1]).

main(_) ->
    Target = spawn_link(fun() -> target(none) end),
    Main = self(),
    Helper = spawn_link(fun() -> receive go -> Target ! {set, 7}, Main ! set end end),
    Helper ! go,
    receive set -> ok end,
    Target ! {self(), get},
    receive {Target, Value} -> 7 = Value end,
    Target ! stop,
    ok.

target(Value) ->
    receive
        {set, New} -> target(New);
        {From, get} -> From ! {self(), Value}, target(Value);
        stop -> ok
    end.
