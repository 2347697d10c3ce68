%% Runs test files of Elixir's own suites, on `erl` and on Whitebeam alike, in a machine where nothing
%% of Elixir has been started: main([Results, Directory, File...]).
%%
%% Results gets a line a test as it ends (`state<TAB>module<TAB>name`), so that a machine that hangs or
%% dies has told what it did so far, and the line "complete" in the end.
-module(suite).
-export([start/0, main/1, start/1, init/1, handle_begin/3, handle_end/3, handle_cancel/3, terminate/2]).
-behaviour(eunit_listener).

%% On `erl`.
start() ->
    ok = io:setopts(standard_io, [{encoding, unicode}]),
    {_, Ref} = spawn_monitor(fun() -> main(init:get_plain_arguments()) end),
    receive
        {'DOWN', Ref, process, _, normal} -> halt(0);
        {'DOWN', Ref, process, _, Reason} -> io:format(standard_error, "~tp~n", [Reason]), halt(1)
    end.

main([Results, Here, "eunit" | Modules]) ->
    {ok, _} = application:ensure_all_started(elixir),
    true = code:add_patha(filename:join(Here, "eunit")),
    eunit:test([list_to_atom(M) || M <- Modules], [{report, {?MODULE, [{results, Results}]}}]),
    note(Results, "complete\n");
main([Results, Here | Files]) ->
    {ok, _} = application:ensure_all_started(elixir),
    ok = application:start(logger),  % as the command `elixir` does
    {ok, _} = application:ensure_all_started(ex_unit),
    %% The helpers' ExUnit.start shall not wait for the end of an `elixir` command.
    application:set_env(ex_unit, autorun, false),
    require(filename:join(Here, "recorder.exs")),
    application:set_env(ex_unit, recorder, unicode:characters_to_binary(Results)),
    [require(F) || F <- Files],
    'Elixir.ExUnit':configure([{formatters, ['Elixir.ExUnit.CLIFormatter', 'Elixir.Recorder']}, {seed, 0}, {timeout, 20000}]),
    'Elixir.ExUnit':run(),
    note(Results, "complete\n").

require(File) -> 'Elixir.Code':require_file(unicode:characters_to_binary(File)).

note(Results, Text) -> ok = file:write_file(Results, unicode:characters_to_binary(Text), [append]).

%% --- eunit's listener --------------------------------------------------------------------------
start(Options) -> eunit_listener:start(?MODULE, Options).

init(Options) -> proplists:get_value(results, Options).

handle_begin(_, _, Results) -> Results.

handle_end(test, Data, Results) ->
    {M, F, _} = proplists:get_value(source, Data),
    State = case proplists:get_value(status, Data) of ok -> "passed"; _ -> "failed" end,
    case State of
        "failed" -> io:format("~p:~p line ~p: ~tp~n", [M, F, proplists:get_value(line, Data), Data]);
        _ -> ok
    end,
    note(Results, io_lib:format("~s\t~s\t~s ~p~n", [State, M, F, proplists:get_value(line, Data)])),
    Results;
handle_end(_, _, Results) -> Results.

handle_cancel(_, Data, Results) ->
    note(Results, io_lib:format("failed\tcancelled\t~tp~n", [proplists:get_value(id, Data)])),
    Results.

terminate(_, _) -> ok.
