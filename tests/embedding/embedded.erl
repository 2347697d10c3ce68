%% What the tests of embedding run in their machines. VERSION tells two of it apart.
-module(embedded).
-export([version/0, sleep/1, echo/0, counter/1, loop/0, hold/1, sort/1, eat/0, link_and_exit/1, monitor_for/2,
         server/0, ask/1, wait_forever/0, killed/0, natives/1]).

version() -> ?VERSION.
sleep(Ms) -> receive after Ms -> slept end.
echo() -> receive {From, Message} -> From ! {self(), Message}, echo() end.
counter(N) -> receive {add, M} -> counter(N + M); {get, From} -> From ! {count, N}, counter(N) end.
loop() -> loop().
hold(Resource) -> receive drop -> {dropped, is_reference(Resource)} end.
%% Long enough for a native function to yield.
sort(N) -> L = lists:reverse(lists:seq(1, N)), lists:sum(lists:sort(L ++ L)).
eat() -> eat([]).
eat(L) -> eat([lists:seq(1, 10000) | L]).
link_and_exit(Pid) -> link(Pid), exit(crashed).
monitor_for(Pid, Report) -> monitor(process, Pid), receive {'DOWN', _, _, Pid, Reason} -> Report ! {down, Reason} end.
%% Stays in the version where it was begun, until it is asked for the current one.
server() -> receive {version, From} -> From ! {version, version()}, server(); upgrade -> ?MODULE:server() end.
ask(Pid) -> Pid ! {version, self()}, receive {version, V} -> V end.
wait_forever() -> receive never -> ok end.
killed() -> exit(self(), kill), wait_forever().
natives(N) -> lists:sum([host:twice(K) || K <- lists:seq(1, N)]).
