%% The default handler: its configuration, what it lets through (events without a domain and those of OTP's own), how it is
%% silenced, changed, taken away and made anew.
-module(log_handlers).
-export([main/1]).

main(_) ->
    {ok, Config} = logger:get_handler_config(default),
    #{level := Level, filters := Filters, filter_default := Default, formatter := Formatter} = Config,
    {Printer, Format} = Formatter,
    io:format("~p~n~p~n~p~n~p ~p~n", [Level, Filters, Default, Printer, pairs(Format)]),
    [io:format("~0p: ~p~n", [Domain, passes(Filters, Default, Domain)]) || Domain <- [none, [], [otp], [otp, sasl], [otp, mine], [mine]]],
    options(Config),
    silence(),
    change(),
    anew().

%% Whether who logs waits is not compared: here that is always so (lib/whitebeam_log.erl).
options(#{module := Module, config := Options}) ->
    io:format("~p ~p~n", [Module, pairs(maps:remove(sync_mode_qlen, Options))]).

%% As tests of older applications do.
silence() ->
    ok = error_logger:tty(false),
    silenced(),
    error_logger:error_msg("is not printed"),
    Pid = proc_lib:spawn(fun() -> exit(is_not_printed) end),
    Ref = monitor(process, Pid),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    ok = error_logger:tty(true),
    silenced().

silenced() ->
    {ok, #{filters := Filters}} = logger:get_handler_config(default),
    io:format("~p ~p~n", [logger:get_handler_ids(), [Name || {Name, _} <- Filters]]).

change() ->
    Try = fun(F) -> io:format("~p~n", [try F() catch C:R -> {C, R} end]) end,
    Try(fun() -> logger:set_handler_config(default, level, none) end),
    logger:error("is not printed"),
    Try(fun() -> logger:update_handler_config(default, config, #{burst_limit_max_count => 7}) end),
    Try(fun() -> logger:update_handler_config(default, config, #{burst_limit_max_count => nothing}) end),
    Try(fun() -> logger:set_handler_config(default, config, #{type => standard_error}) end),
    Try(fun() -> logger:add_handler(default, logger_std_h, #{}) end),
    Try(fun() -> logger_std_h:filesync(default) end),
    {ok, Config} = logger:get_handler_config(default),
    io:format("~p~n", [maps:get(level, Config)]),
    options(Config).

anew() ->
    ok = logger:remove_handler(default),
    io:format("~p ~p ~p~n", [logger:get_handler_ids(), logger:get_handler_config(default), whereis(logger_std_h_default)]),
    logger:error("is not printed"),
    ok = logger:add_handler(default, logger_std_h, #{level => none}),
    true = is_pid(whereis(logger_std_h_default)),
    true = is_pid(whereis(logger_sup)),
    {ok, Config} = logger:get_handler_config(default),
    options(Config).

passes(Filters, Default, Domain) ->
    Meta = case Domain of none -> #{}; _ -> #{domain => Domain} end,
    filter(Filters, #{level => error, msg => {string, "x"}, meta => Meta#{gl => group_leader()}}, Default).

filter([{_, {Fun, Arg}} | Rest], Event, Default) ->
    case Fun(Event, Arg) of
        stop -> false;
        ignore -> filter(Rest, Event, Default);
        _ -> true
    end;
filter([], _, Default) -> Default =:= log.

%% In one order in every release.
pairs(Map) -> lists:sort(maps:to_list(Map)).
