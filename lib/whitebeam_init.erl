%% `init` of a machine that has not booted OTP: what it was started with, and how it ends.
-module(whitebeam_init).
-export([loop/0]).

loop() ->
    receive
        {From, Request} when is_pid(From) -> From ! {init, answer(Request)};
        {stop, {stop, Status}} -> halt(Status);
        {stop, _} -> halt(0);
        _ -> ok
    end,
    loop().

answer(get_plain_arguments) -> whitebeam:arguments();
answer(get_arguments) -> [{Flag, Values} || {Flag, Values} <- flags()];
answer({get_argument, Flag}) ->
    case lists:keyfind(Flag, 1, flags()) of
        {_, Values} -> {ok, [Values]};
        false -> error
    end;
answer(get_status) -> {started, started};
answer(script_id) -> {"Whitebeam", "1"};
answer(get_script_name) -> {"", ""};
answer(fetch_loaded) -> erlang:loaded();
answer({ensure_loaded, Module}) ->
    case erlang:module_loaded(Module) of
        true -> {module, Module};
        false -> code:ensure_loaded(Module)
    end;
answer({notify_when_started, _}) -> started;
answer({make_permanent, _, _}) -> {error, no_boot_script};
answer({set_configfd, _, _}) -> ok;
answer({get_configfd, _}) -> none;
answer(_) -> ok.

flags() ->
    Root = unicode:characters_to_list(whitebeam:otp_root()),
    Home = case os:getenv("HOME") of false -> "/"; Dir -> Dir end,
    %% Where OTP's helper programs are (inet_gethost).
    Bin = filename:join([Root, "erts-" ++ erlang:system_info(version), "bin"]),
    [{root, [Root]}, {bindir, [Bin]}, {progname, ["erl"]}, {home, [Home]}, {noshell, []}] ++
        [{nostick, []} || whitebeam:nostick()].
