%% `logger` of a machine that has not booted OTP: OTP's own logger_server, with OTP's own default handler. What that prints
%% goes to standard error: a program's output is its own.
-module(whitebeam_log).
-export([start/0]).

start() ->
    {ok, State} = logger_server:init([]),
    logger_sup ! {has_tables, logger},
    Table = ets:whereis(logger),
    {ok, Primary} = logger_config:get(Table, primary),
    logger_config:create(Table, default, handler()),
    logger_config:set(Table, primary, Primary#{handlers := [default]}),
    logger_config:delete(Table, simple),
    case whereis(logger_simple_h) of
        undefined -> ok;
        Pid -> unlink(Pid), exit(Pid, kill)
    end,
    whitebeam:service_ready(),
    gen_server:enter_loop(logger_server, [], State, {local, logger}).

%% Its processes are children of logger_sup, which starts as a part of the logger (vm/io/services.def). They write to standard
%% error; what a program reads is the configuration of erl's, which says standard_io. (As of OTP 26 that is `user`, whatever
%% the group leader.)
handler() ->
    {ok, #{config := #{olp := Olp} = Config} = Handler} = logger_std_h:adding_handler(
        #{id => default, module => logger_std_h, level => all, filter_default => stop,
          %% Who logs waits until it is written: nothing is lost where a program ends.
          config => #{type => standard_error, sync_mode_qlen => 0},
          %% Those of OTP's: what is not of OTP's own domains is for other handlers.
          filters => [{remote_gl, {fun logger_filters:remote_gl/2, stop}},
                      {domain, {fun logger_filters:domain/2, {log, super, [otp, sasl]}}},
                      {no_domain, {fun logger_filters:domain/2, {log, undefined, []}}}],
          formatter => {logger_formatter, #{legacy_header => true, single_line => false}}}),
    %% It finds out that it is to be waited for when it has something to write.
    logger_olp:load(Olp, <<>>),
    #{} = logger_olp:info(Olp),
    Handler#{config := Config#{type := standard_io}}.
