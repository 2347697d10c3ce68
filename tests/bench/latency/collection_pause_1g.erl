%% How long a full collection stops its process at 1 GB of live data (microseconds).
%% only on demand
-module(collection_pause_1g).
-export([measure/0]).

measure() -> [pause(Mb) || Mb <- [1024]].

pause(Mb) ->
    Self = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
        Live = [{N, N} || N <- lists:seq(1, Mb * 1024 * 1024 div 40)],
        erlang:garbage_collect(),
        Times = [element(1, timer:tc(erlang, garbage_collect, [])) || _ <- [1, 2, 3]],
        Self ! {pauses, Times, length(Live)}
    end),
    Pauses = receive {pauses, Times, _} -> Times end,
    receive {'DOWN', Ref, process, Pid, _} -> ok end,
    {io_lib:format("~b_MB", [Mb]), "us", Pauses}.
