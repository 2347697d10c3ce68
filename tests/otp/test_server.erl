%% What OTP's suites call of common_test's module test_server, for our runner. Nodes of other releases,
%% shielded nodes and checks of whole applications are not offered: a case that asks for them fails.
-module(test_server).
-export([timetrap/1, timetrap_cancel/0, timetrap_cancel/1, timetrap_scale_factor/0, seconds/1, minutes/1,
         hours/1, sleep/1, adjusted_sleep/1, comment/1, format/1, format/2, format/3, lookup_config/2,
         messages_get/0, messages_get/1, do_times/2, do_times/4, m_out_of_n/3, timecall/3, temp_name/1,
         capture_start/0, capture_stop/0, capture_get/0, is_cover/0, is_debug/0, is_native/1, is_commercial/0,
         is_valgrind/0, is_asan/0, memory_checker/0, fail/0, fail/1, is_release_available/1,
         start_peer/3, peer_name/2]).

timetrap(Time) -> ct:timetrap(Time).
timetrap_cancel() -> ct:timetrap(infinity).
timetrap_cancel(_) -> timetrap_cancel().
timetrap_scale_factor() -> 1.

seconds(N) -> round(N * 1000).
minutes(N) -> round(N * 60_000).
hours(N) -> round(N * 3600_000).

sleep(Time) -> ct:sleep(Time).
adjusted_sleep(Time) -> ct:sleep(Time).

comment(Text) -> ct:comment(Text).
format(Format) -> ct:log(Format).
format(Format, Args) -> ct:log(Format, Args).
format(_Detail, Format, Args) -> ct:log(Format, Args).
fail() -> exit(suite_failed).
fail(Reason) -> exit({suite_failed, Reason}).

lookup_config(Key, Config) ->
    case lists:keyfind(Key, 1, Config) of
        {Key, Value} -> Value;
        false -> undefined
    end.

messages_get() -> messages_get([]).
messages_get(Got) -> receive M -> messages_get([M | Got]) after 1 -> lists:reverse(Got) end.

do_times(0, _) -> ok;
do_times(N, F) -> F(), do_times(N - 1, F).

do_times(N, Module, Function, Args) -> do_times(N, fun() -> apply(Module, Function, Args) end).

m_out_of_n(0, _, _) -> ok;
m_out_of_n(M, 0, _) -> exit({m_out_of_n_failed, {M, left_to_do}});
m_out_of_n(M, N, F) ->
    case catch F() of
        {'EXIT', _} -> m_out_of_n(M, N - 1, F);
        _ -> m_out_of_n(M - 1, N - 1, F)
    end.

timecall(Module, Function, Args) ->
    {Time, Value} = timer:tc(Module, Function, Args),
    {Time / 1000000, Value}.

temp_name(Stem) -> Stem ++ integer_to_list(erlang:unique_integer([positive])).

capture_start() -> ct:capture_start().
capture_stop() -> ct:capture_stop().
capture_get() -> ct:capture_get().

is_cover() -> false.
is_native(_) -> false.
is_commercial() -> false.
is_valgrind() -> false.
is_asan() -> false.
memory_checker() -> none.
is_release_available(_) -> false.

is_debug() ->
    case catch erlang:system_info(debug_compiled) of
        {'EXIT', _} -> false;
        Debug -> Debug
    end.

peer_name(Module, Case) -> peer:random_name(lists:concat([Module, "-", Case])).

start_peer(Args, Module, Case) when is_list(Args) ->
    start_peer(#{args => Args}, Module, Case);
start_peer(Options, Module, Case) ->
    Args = ["-setcookie", atom_to_list(erlang:get_cookie()), "-pa", filename:dirname(code:which(Module))],
    peer:start_link(maps:merge(#{name => peer_name(Module, Case)}, Options#{args => Args ++ maps:get(args, Options, [])})).
