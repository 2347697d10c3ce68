# quick
# +C and +c: what is said of the offset of time, and who is told when it is finalized.
cat > warp.erl <<'END'
-module(warp).
-export([go/0]).
go() ->
    M = monitor(time_offset, clock_service),
    M2 = monitor(time_offset, clock_service),
    Gone = monitor(time_offset, clock_service),
    demonitor(Gone),
    Self = self(),
    P = spawn(fun() -> R = monitor(time_offset, clock_service), Self ! ready,
                       receive {'CHANGE', R, time_offset, clock_service, O} -> Self ! {told, O =:= erlang:time_offset()} after 500 -> Self ! {told, nothing} end end),
    receive ready -> ok end,
    Info = fun() -> [erlang:system_info(K) || K <- [time_warp_mode, time_offset, time_correction]] end,
    A = Info(),
    B = [erlang:system_flag(time_offset, finalize), erlang:system_flag(time_offset, finalize)],
    C = Info(),
    Told = receive {told, T} -> T end,
    Mine = [receive {'CHANGE', R, time_offset, clock_service, O} -> {N, O =:= erlang:time_offset()} after 0 -> {N, nothing} end
            || {N, R} <- [{first, M}, {second, M2}, {gone, Gone}]],
    monitor(time_offset, clock_service), More = receive X -> X after 0 -> none end,
    Near = abs(erlang:system_time(second) - os:system_time(second)) =< 1,
    io:format("~0p~n", [{A, B, C, Told, Mine, More, is_process_alive(P), Near, demonitor(M, [info]), catch erlang:system_flag(time_offset, x)}]),
    halt().
END
erlc warp.erl
for f in '' '+C no_time_warp' '+C single_time_warp' '+C multi_time_warp' '+c false' '+c true' '+c' '+c false +C multi_time_warp' '+C x'; do
  echo "$f: $(erl $f -noshell -s warp go 2>&1 | head -1 | sed 's/error_info.*//')"
done
