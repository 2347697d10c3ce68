%% What programs ask of the system around them: environment, init, application, logger, timers.
%% args: one two
%% stdin: a line
-module(io_services).
-export([main/1, log/2]).

main(Args) ->
    p(args, Args),
    p(home, init:get_argument(home) =:= {ok, [[os:getenv("HOME")]]}),
    p(flag, init:get_argument(no_such_flag)),
    p(putenv, {os:putenv("WB_TEST", "zażółć"), os:getenv("WB_TEST"), os:getenv("WB_TEST", "x")}),
    p(nested_name, {os:putenv(["WB", [], [$_, ["T"]], "EST"], ["a", ["b"]]), os:getenv("WB_TEST"), os:getenv([["WB_"], "TEST"])}),
    p(unsetenv, {os:unsetenv("WB_TEST"), os:getenv("WB_TEST"), os:getenv("WB_TEST", "default")}),
    p(bad, [catch element(1, element(2, (catch F()))) || F <- [fun() -> os:getenv(atom) end, fun() -> os:putenv("A=B", "c") end]]),
    p(type, os:type()),
    p(getenv, {application:get_env(none, key), application:get_env(none, key, default)}),
    p(setenv, {application:set_env(none, key, 1), application:get_env(none, key), application:get_all_env(none), application:unset_env(none, key)}),
    p(load, {application:load(stdlib), application:get_key(stdlib, description)}),
    p(level, {logger:set_primary_config(level, notice), logger:allow(debug, ?MODULE), logger:allow(error, ?MODULE)}),
    p(debug, {logger:debug("not shown"), logger:set_primary_config(level, none), logger:error("not shown")}),
    p(timer, begin {ok, _} = timer:send_after(1, hi), receive hi -> hi after 5000 -> late end end),
    p(apply_after, begin S = self(), {ok, _} = timer:apply_after(1, erlang, send, [S, ho]), receive ho -> ho after 5000 -> late end end),
    p(setopts, {io:setopts([binary]), io:get_line(""), io:setopts([list]), io:setopts([{nonsense, 1}])}),
    p(standard_error, {io:put_chars(standard_error, ""), is_pid(whereis(standard_error)), is_pid(whereis(user))}),
    p(requests, io:requests([{put_chars, unicode, "a"}, nl, {format, "~p~n", [x]}])),
    p(global, {global:whereis_name(x), global:register_name(x, self()), global:whereis_name(x) =:= self(), global:registered_names(),
               global:trans({lock, self()}, fun() -> held end), global:unregister_name(x), catch global:send(x, hi)}),
    p(signals, {gen_event:which_handlers(erl_signal_server), os:set_signal(sigusr2, handle), os:set_signal(sigstop, ignore),
                os:set_signal(sigusr2, ignore), os:set_signal(sigusr2, default)}),
    p(no_signals, [catch os:set_signal(S, O) || {S, O} <- [{sigint, handle}, {1, handle}, {sigterm, nonsense}, {foo, 1}]]),
    p(unregistered, begin User = whereis(user), unregister(user), Gone = whereis(user), register(user, User),
                          {Gone, whereis(user) =:= User} end),
    p(config_change, application_controller:config_change([])),
    p(crash, crash_report()),
    init:stop(3),
    receive never -> ok end.

%% A crash is an event for the handlers of whoever uses the logger.
crash_report() ->
    logger:remove_handler(default),
    logger:set_primary_config(level, notice),
    ok = logger:add_handler(mine, ?MODULE, #{config => self()}),
    {Pid, Ref} = spawn_monitor(fun() -> error(oops) end),
    receive {'DOWN', Ref, _, _, {Reason, [_ | _]}} -> Reason end,
    receive {logged, error, {Format, [P, {R, [_ | _]}]}} -> {Format, P =:= Pid, R} after 5000 -> nothing end.

log(#{level := Level, msg := Message}, #{config := Pid}) -> Pid ! {logged, Level, Message}.

p(no_signals, List) -> p(signals, [{R, lists:keyfind(error_info, 1, element(4, F))} || {'EXIT', {R, [F | _]}} <- List]);
p(What, Value) -> io:format("~p: ~tp~n", [What, Value]).
