%% Named tables that are made and deleted in turn leave nothing behind.
%% skip asan: it keeps what is freed
-module(ets_named_memory).
-export([main/1]).

main(_) ->
    rounds(2000),
    garbage_collect(),
    Before = resident(),
    rounds(20000),
    garbage_collect(),
    io:format("~p~n", [resident() - Before < 20000]),
    T = ets:new(other, [named_table, public]),
    Walker = spawn(fun() -> walk(T, 300) end),
    Ref = monitor(process, Walker),
    rounds(3000),
    receive {'DOWN', Ref, _, _, Why} -> io:format("~p~n", [Why]) end.

rounds(0) -> ok;
rounds(N) ->
    ets:new(named, [named_table]),
    ets:insert(named, {N, N}),
    true = ets:delete(named),
    undefined = ets:whereis(named),
    rounds(N - 1).

walk(_, 0) -> ok;
walk(T, N) -> ets:insert(T, {N, N}), ets:tab2list(T), walk(T, N - 1).

%% KiB of the operating system's process.
resident() ->
    {ok, F} = file:open("/proc/self/statm", [read, raw]),
    {ok, Text} = file:read(F, 100),
    ok = file:close(F),
    4 * list_to_integer(lists:nth(2, string:tokens(Text, " "))).
