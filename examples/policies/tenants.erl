%% Many customers in one machine: each has a group with budgets (docs/policies-and-groups.md).
%%
%%   whitebeam run examples/policies/tenants.erl          milliseconds a round trip of the polite customer takes, without groups and with
%%
%% Three customers. The polite one asks a server of its own now and then. The greedy one computes in as many processes as it
%% likes; the careless one keeps all it ever makes. Without groups the greedy one gets nearly all the time, and the careless
%% one's memory is everybody's. With groups the greedy one gets what its budget says, the largest process of the careless one is
%% killed, and the polite one does not notice either.
%%
%% To look at: the second line against the first, and what group_info/1 says of each.
-module(tenants).
-export([main/1]).

main([]) -> main(["200"]);
main([Rounds]) ->
    N = list_to_integer(Rounds),
    io:format("without groups: ~s~n", [tell(customers(#{}, #{}, N))]),
    {_, Greedy, Careless} = R = customers(#{reductions => 2000000}, #{memory => 20000000}, N),
    io:format("with groups:    ~s~n", [tell(R)]),
    io:format("greedy: ~p processes waited for their budget ~s~n", [maps:get(processes, Greedy), some(maps:get(waits, Greedy))]),
    io:format("careless: ~p of 5 processes left, over its budget ~s~n", [maps:get(processes, Careless), some(maps:get(exceeded, Careless))]).

customers(Greed, Care, N) ->
    Greedy = whitebeam:group(Greed#{name => greedy}),
    Careless = whitebeam:group(Care#{name => careless}),
    Polite = whitebeam:group(#{name => polite}),
    Spinners = [spawn_in(Greedy, fun spin/0) || _ <- lists:seq(1, 20)],
    Keepers = [spawn_in(Careless, fun() -> keep(K) end) || K <- [1, 1, 1, 1, 500]],
    Me = self(),
    spawn_in(Polite, fun() -> Me ! {took, polite(N)} end),
    Took = receive {took, T} -> T end,
    Large = monitor(process, lists:last(Keepers)),
    Care =/= #{} andalso receive {'DOWN', Large, _, _, _} -> ok end,
    R = {Took, whitebeam:group_info(Greedy), whitebeam:group_info(Careless)},
    [exit(P, kill) || P <- Spinners ++ Keepers],
    R.
spawn_in(Group, F) -> spawn_opt(F, [{whitebeam, [{group, Group}]}]).

%% A spinner that never lets go, and one that keeps some megabytes, a little at a time.
spin() -> spin().
keep(N) -> keep(N, []).
keep(0, All) -> receive stop -> All end;
keep(N, All) -> keep(N - 1, [lists:seq(1, 5000) | All]).

%% Round trips to a server, and how long one takes, in microseconds.
polite(N) ->
    Server = spawn_link(fun serve/0),
    [begin timer:sleep(1), T = erlang:monotonic_time(microsecond), Server ! {self(), K}, receive {Server, K} -> ok end,
           erlang:monotonic_time(microsecond) - T end || K <- lists:seq(1, N)].
serve() -> receive {From, K} -> From ! {self(), K}, serve() end.

tell({Took, #{memory := Bytes}, #{memory := Kept}}) ->
    Sorted = lists:sort(Took),
    io_lib:format("a round trip ~p us (half of them less), greedy ~p KB, careless ~p MB",
                  [lists:nth(length(Sorted) div 2 + 1, Sorted), Bytes div 1024, Kept div 1000000]).
some(0) -> "never";
some(_) -> "some times".
