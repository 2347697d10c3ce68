%% `logger` of a machine that has not booted OTP: OTP's own logger_server with one handler, this module,
%% which prints what OTP's default handler does, but on standard error: a program's output is its own.
-module(whitebeam_log).
-export([start/0, log/2]).

start() ->
    {ok, State} = logger_server:init([]),
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

handler() ->
    #{id => default, module => ?MODULE, level => all, config => #{}, filter_default => stop,
      %% Those of OTP's: what is not of OTP's own domains is for other handlers.
      filters => [{remote_gl, {fun logger_filters:remote_gl/2, stop}},
                  {domain, {fun logger_filters:domain/2, {log, super, [otp, sasl]}}},
                  {no_domain, {fun logger_filters:domain/2, {log, undefined, []}}}],
      formatter => {logger_formatter, #{legacy_header => true, single_line => false}}}.

log(Event, #{formatter := {Formatter, Config}}) ->
    io:put_chars(standard_error, Formatter:format(Event, Config)).
