%% explore: crash
%% Main tells a helper to configure a process and asks it a moment later: nobody orders the two messages.
-module(two_senders).
-export([main/1]).

main(_) ->
    Target = spawn_link(fun() -> target(none) end),
    Main = self(),
    Helper = spawn_link(fun() -> receive go -> Target ! {set, 7}, Main ! set end end),
    Helper ! go,
    timer:sleep(10),
    Target ! {self(), get},
    receive {Target, Value} -> 7 = Value end,
    receive set -> ok end,
    Target ! stop,
    ok.

target(Value) ->
    receive
        {set, New} -> target(New);
        {From, get} -> From ! {self(), Value}, target(Value);
        stop -> ok
    end.
