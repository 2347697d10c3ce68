%% erlang:system_monitor: who is told of long collections and slices, large heaps and busy ports.
%% skip seeds: time is not the clock's with a seed
-module(system_monitors).
-export([main/1]).
-include("show.hrl").

main(_) ->
    erts_debug:set_internal_state(available_internal_state, true),
    settings(), large_heaps(), long_collections(), long_slices(), busy_ports(), watcher_ends().

settings() ->
    ?S([watch(W) || W <- [[{long_gc, 0}], [{long_gc, 7}], [{long_schedule, 0}], [{large_heap, 0}], [{large_heap, 20000}],
                          [{large_heap, 1 bsl 62}], [busy_port, {large_heap, 5}, busy_dist_port, {long_gc, 9}, {long_schedule, 4}],
                          [{large_heap, 5}, {large_heap, 70000}], [busy_port, busy_port], []]]),
    [?S(erlang:system_monitor(self(), W)) || W <- [[{long_gc, -1}], [{long_gc, a}], [{large_heap, 1 bsl 70}], [long_gc], [{busy_port, 1}]]],
    ok.
watch(Wishes) ->
    Before = erlang:system_monitor(self(), Wishes),
    {named(Before), named(erlang:system_monitor())}.
named(undefined) -> undefined;
named({Pid, Wishes}) when Pid =:= self() -> {me, Wishes}.

%% A message for `Pid`, without its numbers.
told(Pid) ->
    receive
        {monitor, Pid, What, L} when is_list(L) -> {What, [shown(I) || I <- L]};
        {monitor, Pid, What, X} -> {What, X}
    after 5000 -> nothing
    end.
shown({K, N}) when is_integer(N) -> {K, number};
shown(I) -> I.
quiet() ->
    receive {monitor, P, _, _} when P =:= self() -> me; {monitor, _, _, _} -> quiet() after 50 -> ok end.

large_heaps() ->
    Size = 100000,
    _ = erlang:system_monitor(self(), [{large_heap, Size}]),
    P = spawn_opt(fun() -> garbage_collect(), idle() end, [{min_heap_size, 2 * Size}]),
    ?S(told(P)),
    Small = spawn(fun() -> garbage_collect(), idle() end),
    ?S(erlang:garbage_collect(Small)),
    %% What happens to itself is not told.
    L = lists:seq(1, 4 * Size), garbage_collect(), true = length(L) > 0,
    ?S(quiet()),
    [exit(Q, kill) || Q <- [P, Small]].
idle() -> receive stop -> ok end.

long_collections() ->
    erts_debug:set_internal_state(test_long_gc_sleep, 30),
    _ = erlang:system_monitor(self(), [{long_gc, 20}]),
    P = spawn(fun() -> garbage_collect(), idle() end),
    ?S(told(P)),
    erts_debug:set_internal_state(test_long_gc_sleep, 0),
    exit(P, kill),
    ?S(quiet()).

long_slices() ->
    _ = erlang:system_monitor(self(), [{long_schedule, 60}]),
    P = spawn(fun() -> idle_then(100) end),
    Q = spawn(fun() -> erts_debug:set_internal_state(sleep, 100), idle() end),
    R = spawn(fun() -> erts_debug:set_internal_state(sleep, 100) end),
    ?S(told(Q)), ?S(told(R)),
    P ! go,
    ?S(told(P)),
    [exit(X, kill) || X <- [P, Q]],
    _ = erlang:system_monitor(undefined),
    ?S(quiet()).
idle_then(Ms) ->
    receive go -> ok end,
    erts_debug:set_internal_state(sleep, Ms),
    idle().

busy_ports() ->
    _ = erlang:system_monitor(self(), [busy_port]),
    Port = open_port({spawn, "sleep 100"}, []),
    {os_pid, Sleeper} = erlang:port_info(Port, os_pid),
    P = spawn(fun() -> [port_command(Port, binary:copy(<<1>>, 1000000)) || _ <- [1, 2]] end),
    ?S(told(P) =:= {busy_port, Port}),
    Me = self(),
    Q = spawn(fun() -> Port ! {Me, {command, "x"}} end),
    ?S(told(Q) =:= {busy_port, Port}),
    R = spawn(fun() -> ?S(erlang:port_command(Port, "x", [nosuspend])), Me ! {self(), done} end),
    receive {R, done} -> ok end,
    [exit(X, kill) || X <- [P, Q]],
    port_close(Port),
    os:cmd("kill " ++ integer_to_list(Sleeper)),
    ?S(quiet()).

watcher_ends() ->
    {P, M} = spawn_monitor(fun() -> erlang:system_monitor(self(), [busy_port]) end),
    receive {'DOWN', M, process, P, _} -> ok end,
    ?S(erlang:system_monitor()).
