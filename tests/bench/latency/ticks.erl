%% A 1 ms ticker alone, among busy loops, among collecting processes, and beside long BIFs.
-module(ticks).
-export([measure/0]).

measure() ->
    [ticker:lateness("idle", fun() -> fun() -> ok end end),
     ticker:lateness("busy", load(fun busy/0)),
     ticker:lateness("collecting", load(fun() -> collect(lists:seq(1, 200_000)) end)),
     ticker:lateness("long_bifs", load(fun() -> long_bifs(binary:copy(<<"abc ">>, 500_000)) end))].

load(F) ->
    fun() ->
        Pids = [spawn(F) || _ <- lists:seq(1, 8)],
        fun() ->
            Refs = [monitor(process, P) || P <- Pids],
            [exit(P, kill) || P <- Pids],
            [receive {'DOWN', R, process, _, _} -> ok end || R <- Refs]
        end
    end.

busy() -> busy().

collect(Live) -> erlang:garbage_collect(), collect(Live).

long_bifs(Text) ->
    _ = binary:matches(Text, <<"c">>),
    _ = binary_to_list(Text),
    _ = term_to_binary(Text),
    _ = erlang:md5(Text),
    long_bifs(Text).
