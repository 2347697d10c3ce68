%% What OTP's suites call of common_test's module ct, for our runner.
-module(ct).
-export([fail/1, fail/2, log/1, log/2, log/3, log/4, pal/1, pal/2, pal/3, pal/4, print/1, print/2, print/3,
         error/1, error/2, comment/1, comment/2, sleep/1, timetrap/1, milliseconds/1, get_timetrap_info/0,
         get_config/1, get_config/2, get_config/3, require/1, require/2, get_progname/0,
         capture_start/0, capture_stop/0, capture_get/0, capture_get/1]).

fail(Reason) -> exit({test_case_failed, Reason}).
fail(Format, Args) -> exit({test_case_failed, lists:flatten(io_lib:format(Format, Args))}).

log(Format) -> write(Format, []).
log(X, Y) when is_integer(X); is_atom(X) -> write(Y, []);
log(Format, Args) -> write(Format, Args).
log(X, Format, Args) when is_integer(X); is_atom(X) -> write(Format, Args);
log(Format, Args, _Options) -> write(Format, Args).
log(_Category, _Importance, Format, Args) -> write(Format, Args).

pal(Format) -> log(Format).
pal(X, Y) -> log(X, Y).
pal(X, Y, Z) -> log(X, Y, Z).
pal(Category, Importance, Format, Args) -> log(Category, Importance, Format, Args).

print(Format) -> log(Format).
print(X, Y) -> log(X, Y).
print(X, Y, Z) -> log(X, Y, Z).

error(Format) -> log(Format).
error(Format, Args) -> log(Format, Args).

comment(Text) -> write("~tp", [Text]).
comment(Format, Args) -> write(Format, Args).

write(Format, Args) ->
    try io:format(lists:concat([Format, "~n"]), Args)
    catch _:_ -> io:format("~tp ~tp~n", [Format, Args])
    end.

sleep(infinity) -> timer:sleep(infinity);
sleep(Time) -> timer:sleep(milliseconds(Time)).

timetrap(Time) -> otp_runner ! {timetrap, Time}, ok.

%% Longer than any cap, so that it may be compared with one.
milliseconds(infinity) -> 16#ffffffff;
milliseconds({hours, N}) -> N * 3600_000;
milliseconds({minutes, N}) -> N * 60_000;
milliseconds({seconds, N}) -> N * 1000;
milliseconds({M, F, A}) -> milliseconds(apply(M, F, A));
milliseconds(F) when is_function(F, 0) -> milliseconds(F());
milliseconds(Time) when is_number(Time) -> round(Time);
milliseconds(_) -> milliseconds(infinity).

get_timetrap_info() -> {infinity, {false, 1}}.

get_config(_) -> undefined.
get_config(_, Default) -> Default.
get_config(_, Default, _Options) -> Default.
require(_) -> {error, {not_available, no_configuration}}.
require(_, _) -> require(none).

get_progname() ->
    case init:get_argument(progname) of
        {ok, [[Name | _] | _]} -> Name;
        _ -> "erl"
    end.

capture_start() -> case_leader:capture(start).
capture_stop() -> case_leader:capture(stop).
capture_get() -> case_leader:capture(get).
capture_get([]) -> capture_get();
capture_get(_Excluded) -> capture_get().
