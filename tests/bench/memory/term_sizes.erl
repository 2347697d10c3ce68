%% RSS of usual data: a million small tuples in a list, maps, binaries, ETS rows.
-module(term_sizes).
-export([measure/0]).

measure() ->
    [row("tuples", fun() -> [{N, N} || N <- lists:seq(1, 500_000)] end, 500_000),
     row("map_keys", fun() -> maps:from_list([{N, N} || N <- lists:seq(1, 300_000)]) end, 300_000),
     row("binaries", fun() -> [<<N:1024>> || N <- lists:seq(1, 200_000)] end, 200_000),
     row("ets_rows",
         fun() ->
             T = ets:new(t, [public]),
             [ets:insert(T, {N, N, N}) || N <- lists:seq(1, 300_000)],
             T
         end, 300_000)].

%% In a process of its own, collected before looking.
row(Label, Make, Count) ->
    Self = self(),
    Before = idle_processes:rss(),
    {Pid, Ref} = spawn_monitor(fun() ->
        Data = Make(),
        erlang:garbage_collect(),
        Self ! {bytes, idle_processes:rss() - Before},
        receive {stop, Reply} -> Reply ! Data end
    end),
    Bytes = receive {bytes, B} -> B end,
    exit(Pid, kill),
    receive {'DOWN', Ref, process, _, _} -> ok end,
    {Label, "bytes/item", Bytes / Count}.
