%% A hook of common_test that writes what `runner` writes, in the same form: which case begins, and how it ended.
%% Cases of a parallel group run at the same time; those that have begun and not ended when the machine dies
%% are the ones that may have killed it.
-module(otp_verdicts).
-export([main/0, id/1, init/2, pre_init_per_testcase/4, post_end_per_testcase/5, on_tc_fail/4, on_tc_skip/4]).

-record(state, {out, from, only, next = 1, running = #{}, unwanted = #{}}).

main() ->
    [Suite, Results, DataDir, PrivDir, _Cap, From | Only] = init:get_plain_arguments(),
    Options = {Results, list_to_integer(From), [list_to_atom(C) || C <- Only]},
    Answer = ct:run_test([{dir, filename:dirname(DataDir)}, {suite, list_to_atom(Suite)}, {auto_compile, false},
                          {multiply_timetraps, list_to_integer(os:getenv("TIMETRAPS", "1"))}, {logdir, PrivDir},
                          {ct_hooks, [{?MODULE, Options}]}]),
    io:format("~p~n", [Answer]),
    ok = file:write_file(Results, "done\n", [append]),
    halt().

id(_) -> ?MODULE.

init(_, {Results, From, Only}) ->
    {ok, Out} = file:open(Results, [append, binary]),
    {ok, #state{out = Out, from = From, only = Only}}.

pre_init_per_testcase(_Suite, Case, Config, #state{next = N} = S) ->
    Key = {Case, proplists:get_value(name, proplists:get_value(tc_group_properties, Config, []))},
    case N >= S#state.from andalso (S#state.only =:= [] orelse lists:member(Case, S#state.only)) of
        true ->
            line(S, N, Key, "start"),
            io:format(user, "=== ~s~n", [name(Key)]),
            Started = {N, erlang:monotonic_time(millisecond)},
            {Config, S#state{next = N + 1, running = (S#state.running)#{Key => Started}}};
        false ->
            {{skip, not_wanted}, S#state{next = N + 1, unwanted = (S#state.unwanted)#{Key => true}}}
    end.

post_end_per_testcase(_Suite, Case, Config, Return, S) ->
    Key = {Case, proplists:get_value(name, proplists:get_value(tc_group_properties, Config, []))},
    Failed = case Return of {fail, _} -> true; {failed, _} -> true; _ -> false end,
    case proplists:get_value(tc_status, Config, ok) of
        ok when not Failed -> {Return, ended(Key, ok, "", S)};
        _ -> {Return, S}  % the reason comes with on_tc_fail or on_tc_skip
    end.

on_tc_fail(_Suite, Case, Reason, S) -> ended(key(Case), verdict(Reason), Reason, S).

on_tc_skip(_Suite, Case, Reason, S) -> ended(key(Case), skip, Reason, S).

verdict({timetrap_timeout, _}) -> timeout;
verdict({_, {timetrap_timeout, _}}) -> timeout;
verdict(_) -> fail.

key({_, _} = Key) -> Key;
key(Case) -> {Case, undefined}.

ended({Case, _} = Key, Verdict, Reason, #state{running = Running, unwanted = Unwanted} = S) ->
    case {Running, Unwanted} of
        {#{Key := {N, Started}}, _} ->
            Time = integer_to_list(erlang:monotonic_time(millisecond) - Started),
            line(S, N, Key, [atom_to_list(Verdict), "\t", Time, "\t", short(Reason)]),
            S#state{running = maps:remove(Key, Running)};
        {_, #{Key := _}} ->
            S#state{unwanted = maps:remove(Key, Unwanted)};
        _ when Case =:= init_per_suite; Case =:= end_per_suite; Case =:= init_per_group; Case =:= end_per_group ->
            io:format(user, "=== ~p: ~tp~n", [Case, Reason]),
            S;
        _ ->  % skipped before it began
            line(S, S#state.next, Key, ["skip\t0\t", short(Reason)]),
            S#state{next = S#state.next + 1}
    end.

line(#state{out = Out}, N, Key, Text) -> file:write(Out, [integer_to_list(N), $\t, name(Key), $\t, Text, $\n]).

name({Case, undefined}) -> atom_to_list(Case);
name({Case, Group}) -> lists:concat([Group, "/", Case]).

short(Reason) ->
    Text = lists:flatten(io_lib:format("~0tP", [Reason, 30])),
    unicode:characters_to_binary(lists:sublist([case C < 32 of true -> $\s; false -> C end || C <- Text], 300)).
