%% fullsweep_after is a number of 16 bits.
-module(fullsweep_after).
-export([main/1]).

main(_) ->
    [show(N) || N <- [0, 1, 7, 65534, 65535, 65536, 65537, 100000, 1 bsl 20]],
    Old = erlang:system_flag(fullsweep_after, 100000),
    erlang:display({system, Old, erlang:system_info(fullsweep_after)}),
    erlang:display({back, erlang:system_flag(fullsweep_after, Old), erlang:system_info(fullsweep_after)}),
    erlang:display({counted, many(10), many(0)}).

show(N) ->
    Spawned = in(fun() -> of_self() end, [{fullsweep_after, N}]),
    Set = in(fun() -> {process_flag(fullsweep_after, N), of_self(), process_flag(fullsweep_after, 3)} end, []),
    erlang:display({N, Spawned, Set}).

of_self() ->
    {garbage_collection, L} = process_info(self(), garbage_collection),
    proplists:get_value(fullsweep_after, L).

in(F, Options) ->
    {Pid, Ref} = spawn_opt(fun() -> exit({result, F()}) end, [monitor | Options]),
    receive {'DOWN', Ref, process, Pid, {result, R}} -> R end.

%% Minor collections since the last full one, some after more than that many garbage.
many(After) ->
    in(fun() -> waste(200), {garbage_collection, L} = process_info(self(), garbage_collection), proplists:get_value(minor_gcs, L) =< After end,
       [{fullsweep_after, After}]).
waste(0) -> ok;
waste(N) -> lists:seq(1, 3000), waste(N - 1).
