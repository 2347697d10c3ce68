%% Calendar conversions, time units and unique integers.
-module(sys_time).
-export([main/1]).
-compile(nowarn_deprecated_function).

attempt(F) -> try F() catch Class:Reason -> {Class, Reason} end.

main(_) ->
    posix(),
    universal(),
    local(),
    units(),
    unique(),
    now_and_today().

posix() ->
    [erlang:display({S, attempt(fun() -> erlang:posixtime_to_universaltime(S) end)})
     || S <- [0, -1, 951782400, 951868799, 951868800, 253402300800, 1 bsl 40, 1 bsl 50,
              -62135596800, -62135596801, -62162035200, -62162035201, -62167219200,
              -(1 bsl 50), 1 bsl 62, (1 bsl 63) - 1, 1 bsl 63, a, 1.0,
              (1 bsl 29) * 86400 - 1, (1 bsl 29) * 86400]],
    erlang:display(erlang:phash2([erlang:posixtime_to_universaltime(D * 86400 + D rem 86400)
                                  || D <- lists:seq(-1000, 60000)])).

universal() ->
    Midnight = {0, 0, 0},
    [erlang:display({T, attempt(fun() -> erlang:universaltime_to_posixtime(T) end)})
     || T <- [{{1970, 1, 1}, Midnight}, {{1969, 12, 31}, {23, 59, 59}}, {{0, 1, 1}, Midnight},
              {{-1, 1, 1}, Midnight}, {{1600, 1, 1}, Midnight}, {{1599, 1, 1}, Midnight},
              {{2023, 2, 29}, Midnight}, {{2024, 2, 29}, Midnight}, {{2024, 13, 1}, Midnight},
              {{2024, 1, 1}, {24, 0, 0}}, {{2024, 1, 1}, {23, 59, 60}}, {{10000, 1, 1}, Midnight},
              {{2147483646, 1, 1}, Midnight}, {{2147483647, 1, 1}, Midnight},
              {{1 bsl 80, 1, 1}, Midnight}, a, {{2024, 1, a}, Midnight}, {{2024, 1, 0}, Midnight}]].

local() ->
    Times = [{{1902, 1, 1}, {0, 0, 0}}, {{1901, 12, 31}, {23, 59, 59}}, {{1970, 1, 1}, {0, 0, 0}},
             {{1969, 12, 31}, {23, 59, 59}}, {{2024, 7, 1}, {12, 0, 0}},
             {{2024, 3, 31}, {2, 30, 0}}, {{2024, 10, 27}, {2, 30, 0}}, {{1, 1, 1}, {0, 0, 0}},
             {{2023, 2, 29}, {0, 0, 0}}, {{1000000000, 1, 1}, {0, 0, 0}}, a, {1, 2}],
    [erlang:display({T, attempt(fun() -> erlang:universaltime_to_localtime(T) end)}) || T <- Times],
    [erlang:display({T, Dst, attempt(fun() -> erlang:localtime_to_universaltime(T, Dst) end)})
     || Dst <- [true, false, undefined, x], T <- Times].

units() ->
    [erlang:display({U, kind(attempt(fun() -> erlang:monotonic_time(U) end)),
                     kind(attempt(fun() -> erlang:system_time(U) end)),
                     kind(attempt(fun() -> erlang:time_offset(U) end)),
                     kind(attempt(fun() -> os:system_time(U) end))})
     || U <- [second, seconds, millisecond, milli_seconds, microsecond, micro_seconds, nanosecond,
              nano_seconds, native, perf_counter, 1, 3, 0, -1, 1 bsl 40, 1 bsl 64, foo, 1.0]],
    Seconds = erlang:system_time(second),
    Big = erlang:system_time(1 bsl 80) bsr 80,
    erlang:display(Big - Seconds =< 2),
    erlang:display(erlang:convert_time_unit(7, second, native)).

kind(I) when is_integer(I), I < 0 -> negative;
kind(I) when is_integer(I) -> positive;
kind(Other) -> Other.

unique() ->
    [erlang:display({L, kind(attempt(fun() -> erlang:unique_integer(L) end))})
     || L <- [[], [positive], [monotonic], [positive, monotonic], [positive, monotonic, positive],
              [x], x, [positive | x]]],
    Monotonic = [erlang:unique_integer([monotonic]) || _ <- lists:seq(1, 100)],
    erlang:display(Monotonic =:= lists:usort(Monotonic)),
    Plain = [erlang:unique_integer() || _ <- lists:seq(1, 100)],
    erlang:display(length(lists:usort(Plain))).

now_and_today() ->
    Nows = [erlang:now() || _ <- lists:seq(1, 100)],
    erlang:display(Nows =:= lists:usort(Nows)),
    A = erlang:monotonic_time(),
    B = erlang:monotonic_time(),
    erlang:display({A =< B, is_integer(os:perf_counter())}),
    {Date, {H, _, _}} = erlang:localtime(),
    erlang:display({size(Date), H >= 0, size(erlang:date()), size(erlang:time())}),
    {Mega, S, Micro} = erlang:timestamp(),
    erlang:display({Mega > 1000, S < 1000000, Micro < 1000000, size(os:timestamp())}),
    erlang:display(size(erlang:universaltime())).
