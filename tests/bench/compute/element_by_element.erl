%% What OTP's functions take for an element that they give to a small fun of another module: nanoseconds, the median
%% of the runs of a second.
%% only on demand
-module(element_by_element).
-export([measure/0]).

measure() ->
    L = lists:seq(1, 1000),
    M = maps:from_list([{X, X} || X <- L]),
    [{Name, "ns", median(runs(F, erlang:monotonic_time(millisecond) + 1000, []))} || {Name, F} <- [
        {"map", fun() -> lists:map(fun(X) -> X + 1 end, L) end},
        {"foldl", fun() -> lists:foldl(fun(X, S) -> X + S end, 0, L) end},
        {"foldr", fun() -> lists:foldr(fun(X, S) -> X + S end, 0, L) end},
        {"filter", fun() -> lists:filter(fun(X) -> X band 1 =:= 0 end, L) end},
        {"foreach", fun() -> lists:foreach(fun(X) -> X end, L) end},
        {"all", fun() -> lists:all(fun(X) -> X > 0 end, L) end},
        {"mapfoldl", fun() -> lists:mapfoldl(fun(X, S) -> {X, S + 1} end, 0, L) end},
        {"sort", fun() -> lists:sort(fun(X, Y) -> X =< Y end, L) end},
        {"maps:fold", fun() -> maps:fold(fun(_, V, S) -> V + S end, 0, M) end}]].

runs(F, End, Times) ->
    Start = erlang:monotonic_time(nanosecond),
    repeat(F, 100),
    Now = erlang:monotonic_time(nanosecond),
    Next = [(Now - Start) / 100_000 | Times],
    case Now div 1_000_000 < End of
        true -> runs(F, End, Next);
        false -> Next
    end.

median(Times) -> lists:nth((length(Times) + 1) div 2, lists:sort(Times)).

repeat(_, 0) -> ok;
repeat(F, N) -> F(), repeat(F, N - 1).
