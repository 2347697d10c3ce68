%% A million messages have come before the first is received; what is made of each is garbage.
-module(backlog).
-export([run/0, operations/0]).

operations() -> {1_000_000, "ns/message"}.

run() ->
    Self = self(),
    {Sender, Ref} = spawn_monitor(fun() -> [Self ! {message, N, [N]} || N <- lists:seq(1, 1_000_000)] end),
    receive {'DOWN', Ref, process, Sender, normal} -> take(1_000_000, 0) end.

take(0, Sum) -> Sum;
take(N, Sum) ->
    receive {message, K, List} -> take(N - 1, Sum + lists:sum(lists:reverse([K | List])) div 2) end.
