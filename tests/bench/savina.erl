%% What the programs of savina/ share: the suite's generator of numbers, and its way to be busy.
-module(savina).
-export([next/1, double/1, busy_wait/1, gather/2, numbered/2, main/1]).

%% Sixteen bits, linear congruential: the state is the number.
next(R) -> (R * 1309 + 13849) band 65535.

double(R) -> 1.0 / (R + 1).

%% Draws that many numbers.
busy_wait(N) -> busy_wait(N, 74755).

busy_wait(0, R) -> R;
busy_wait(N, R) -> busy_wait(N - 1, next(R)).

%% The N values of messages {Tag, Value}, in any order.
gather(_, 0) -> [];
gather(Tag, N) -> receive {Tag, Value} -> [Value | gather(Tag, N - 1)] end.

%% The same of messages {Tag, Number, Value}, in the order of their numbers 1 to N.
numbered(Tag, N) -> [receive {Tag, I, Value} -> Value end || I <- lists:seq(1, N)].

%% What programs answer at small sizes: a line each.
main(Names) ->
    [begin
         {Pid, Monitor} = spawn_monitor(fun() -> exit({answer, (list_to_atom(Name)):small()}) end),
         receive {'DOWN', Monitor, process, Pid, How} -> io:format("~s ~w~n", [Name, How]) end
     end || Name <- Names].
