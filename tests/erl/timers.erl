%% Timers: send_after, start_timer, cancel, read, their order, and receive ... after with many sleepers.
-module(timers).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    ?S(sent()), ?S(started()), ?S(cancelled()), ?S(cancel_late()), ?S(read()), ?S(ordered()), ?S(to_name()), ?S(to_dead()), ?S(many(1000)), ?S(sleepers(500)), ?S(async()), ?S(absolute()), ?S(zero()),
    ?S(erlang:send_after(-1, self(), x)), ?S(erlang:send_after(a, self(), x)), ?S(erlang:send_after(1, x_name, y) =/= ok), ?S(erlang:start_timer(1 bsl 70, self(), x)), ?S(erlang:cancel_timer(x)), ?S(erlang:cancel_timer(make_ref())),
    ?S(erlang:read_timer(make_ref())), ?S(erlang:send_after(1, 5, x)), ?S(timer_module()), ?S(apply_after()), ?S(times()), ?S(timer:tc(fun() -> x end) >= {0, x}), ?S(timer:seconds(3)), ?S(timer:hms(1, 2, 3)), ?S(memory_goes()).

sent() -> erlang:send_after(5, self(), {hello, "x"}), receive {hello, X} -> X after 5000 -> timeout end.
started() -> R = erlang:start_timer(5, self(), payload), receive {timeout, R, P} -> P after 5000 -> timeout end.
cancelled() -> R = erlang:send_after(20000, self(), never), T = erlang:cancel_timer(R), {is_integer(T) andalso T =< 20000 andalso T > 0, erlang:cancel_timer(R), receive never -> came after 10 -> silent end}.
cancel_late() -> R = erlang:send_after(0, self(), now), receive now -> erlang:cancel_timer(R) end.
read() -> R = erlang:send_after(50000, self(), x), T = erlang:read_timer(R), erlang:cancel_timer(R), {T > 1000, T =< 50000, erlang:read_timer(R)}.
%% Once more if starting them took longer than they are apart.
ordered() ->
    Begin = erlang:monotonic_time(millisecond),
    [erlang:send_after(T * 20, self(), {t, T}) || T <- [3, 1, 2, 4]],
    Took = erlang:monotonic_time(millisecond) - Begin,
    Order = [receive {t, T} -> T end || _ <- [1, 2, 3, 4]],
    if Took < 15 -> Order; true -> ordered() end.
to_name() -> register(timer_target, self()), erlang:send_after(1, timer_target, named), R = receive named -> ok after 5000 -> timeout end, unregister(timer_target), R.
to_dead() -> {P, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> ok end, R = erlang:send_after(1, P, x), is_reference(R).
many(N) ->
    [erlang:send_after(I rem 50, self(), {many, I}) || I <- lists:seq(1, N)],
    lists:sum([receive {many, I} -> I end || _ <- lists:seq(1, N)]).
sleepers(N) ->
    Self = self(),
    [spawn(fun() -> receive after I rem 40 -> Self ! awake end end) || I <- lists:seq(1, N)],
    length([receive awake -> x end || _ <- lists:seq(1, N)]).
async() ->
    R = erlang:send_after(60000, self(), x),
    ok = erlang:cancel_timer(R, [{async, true}]),
    A = receive {cancel_timer, R, T} -> is_integer(T) after 5000 -> timeout end,
    {A, erlang:cancel_timer(erlang:send_after(60000, self(), x), [{info, false}])}.
absolute() -> T = erlang:monotonic_time(millisecond) + 10, erlang:send_after(T, self(), abs_done, [{abs, true}]), receive abs_done -> erlang:monotonic_time(millisecond) >= T after 5000 -> timeout end.
zero() -> erlang:send_after(0, self(), z), receive z -> z after 5000 -> timeout end.
timer_module() -> {ok, R} = timer:send_after(5, self(), from_timer), A = receive from_timer -> got after 5000 -> timeout end, {ok, I} = timer:send_interval(5, tick), [receive tick -> ok after 5000 -> exit(timeout) end || _ <- [1, 2, 3]], {ok, cancel} = timer:cancel(I), {A, is_tuple(R)}.
apply_after() -> Self = self(), {ok, _} = timer:apply_after(3, erlang, send, [Self, applied]), receive applied -> ok after 5000 -> timeout end.
times() ->
    A = erlang:monotonic_time(), B = erlang:monotonic_time(), C = erlang:system_time(second), D = os:system_time(millisecond),
    {A =< B, C > 1600000000, abs(D div 1000 - C) < 5, erlang:convert_time_unit(1500, millisecond, second), erlang:convert_time_unit(-1, millisecond, second), erlang:time_offset() + erlang:monotonic_time() - erlang:system_time() < 1000000000,
     tuple_size(erlang:timestamp()), tuple_size(erlang:localtime()), show:quiet(fun() -> erlang:system_time(foo) end), tuple_size(os:timestamp())}.
%% What timers take, summed over schedulers, is what it was once they are gone.
memory_goes() ->
    Before = timer_bytes(),
    Self = self(),
    [erlang:send_after(1, Self, {gone, I}) || I <- lists:seq(1, 3000)],
    [receive {gone, I} -> ok end || I <- lists:seq(1, 3000)],
    is_back(Before, 500).
is_back(Before, N) ->
    case timer_bytes() of
        B when B =< Before -> true;
        B when N =:= 0 -> {Before, B};
        _ -> receive after 10 -> is_back(Before, N - 1) end
    end.
timer_bytes() ->
    Ref = make_ref(),
    erlang:system_info({memory_internal, Ref, [fix_alloc]}),
    lists:sum([receive {Ref, _, L} -> fixed(L) end || _ <- lists:seq(2, erts_internal:no_aux_work_threads())]).
fixed(L) -> lists:sum([U || {fix_alloc, _, I} <- L, {fix_types, Types} <- I, {bif_timer, _, U} <- Types]).
