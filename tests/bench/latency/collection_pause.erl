%% How long a full collection stops its process, at 1, 16 and 128 MB of live data (microseconds).
-module(collection_pause).
-export([measure/0]).

measure() -> [pause(Mb) || Mb <- [1, 16, 128]].

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
