%% Runs the cases of a common_test suite, one after the other, on any Erlang machine.
%%
%%   main([Suite, ResultFile, DataDir, PrivDir, CapSeconds, From, Case...])
%%
%% The result file gets a line as each case starts and one as it ends:
%%   NUMBER <tab> GROUP/CASE <tab> VERDICT <tab> MILLISECONDS <tab> REASON
%% with the verdicts start, ok, skip, fail, timeout; the last line says `done`. So whoever started
%% this machine knows after its death which case killed it, and goes on with From = NUMBER + 1.
%% Cases run as test_server runs them: each in a process of its own, linked to this one, together with
%% its init_per_testcase and end_per_testcase. Parallel groups run in sequence; repeat, shuffle and
%% sequence do not matter here.
-module(runner).
-export([main/1]).

-record(run, {suite, groups, out, cap, from, only, next = 1, leader}).

main([Suite0, ResultFile, DataDir, PrivDir, Cap, From | Only]) ->
    Suite = list_to_atom(Suite0),
    process_flag(trap_exit, true),
    register(otp_runner, self()),
    {ok, Out} = file:open(ResultFile, [append, raw, binary]),
    {module, Suite} = code:ensure_loaded(Suite),
    Run = #run{suite = Suite, groups = optional(Suite, groups, [], []), out = Out,
               cap = list_to_integer(Cap) * 1000, from = list_to_integer(From),
               only = [list_to_atom(C) || C <- Only], leader = case_leader:start()},
    Config = [{data_dir, DataDir ++ "/"}, {priv_dir, PrivDir ++ "/"}],
    whole_suite(Config, Run),
    line(Run, ["done\n"]),
    ok = file:close(Out),
    erlang:halt(0).

whole_suite(Config, #run{suite = Suite} = Run) ->
    case in_process(fun() -> configured(Suite, init_per_suite, [Config], Config) end, Run) of
        {config, Config1} ->
            walk(Suite:all(), [], [], Config1, Run),
            in_process(fun() -> optional(Suite, end_per_suite, [Config1], ok) end, Run);
        Stopped ->
            walk_stopped(Suite:all(), [], Stopped, Run)
    end.

%% --- the tree of groups ---------------------------------------------------------------------------
walk(Items, Path, Traps, Config, Run) ->
    lists:foldl(fun(Item, R) -> item(Item, Path, Traps, Config, R) end, Run, Items).

item({testcase, Case, _Props}, Path, Traps, Config, Run) -> item(Case, Path, Traps, Config, Run);
item(Case, Path, Traps, Config, Run) when is_atom(Case) ->
    one(Case, Path, Run, fun() -> test_case(Case, Traps, Config, Run) end);
item(Group, Path, Traps, Config, #run{suite = Suite} = Run) ->
    {Name, Props, Members} = group(Group, Run),
    Last = Run#run.next + length(leaves(Members, Run)),
    case wanted(Members, Run) andalso Last > Run#run.from of
        false ->
            Run#run{next = Last};
        true ->
            Properties = [{tc_group_properties, [{name, Name} | Props]} | Config],
            Init = fun() -> configured(Suite, init_per_group, [Name, Properties], Properties) end,
            case in_process(Init, Run) of
                {config, Config1} ->
                    Traps1 = trap_of(optional(Suite, group, [Name], [])) ++ Traps,
                    Run1 = walk(Members, [Name | Path], Traps1, Config1, Run),
                    in_process(fun() -> optional(Suite, end_per_group, [Name, Config1], ok) end, Run),
                    Run1;
                Stopped ->
                    walk_stopped(Members, [Name | Path], Stopped, Run)
            end
    end.

walk_stopped(Items, Path, Stopped, Run) ->
    lists:foldl(
      fun({Case, Groups}, R) -> one(Case, Groups ++ Path, R, fun() -> verdict(Stopped) end) end,
      Run, leaves(Items, Run)).

group({group, Name}, Run) -> group({group, Name, []}, Run);
group({group, Name, Props, _}, Run) -> group({group, Name, Props}, Run);
group({group, Name, _}, #run{groups = Groups}) ->
    case lists:keyfind(Name, 1, Groups) of
        {_, Props, Members} -> {Name, Props, Members};
        {_, Members} -> {Name, [], Members};
        false -> {Name, [], []}
    end;
group({Name, Props, Members}, _) -> {Name, Props, Members};
group({Name, Members}, _) -> {Name, [], Members}.

leaves(Items, Run) -> lists:flatmap(fun(Item) -> leaf(Item, Run) end, Items).

leaf({testcase, Case, _}, _) -> [{Case, []}];
leaf(Case, _) when is_atom(Case) -> [{Case, []}];
leaf(Group, Run) ->
    {Name, _, Members} = group(Group, Run),
    [{Case, Path ++ [Name]} || {Case, Path} <- leaves(Members, Run)].

wanted(_, #run{only = []}) -> true;
wanted(Items, #run{only = Only} = Run) ->
    lists:any(fun({Case, _}) -> lists:member(Case, Only) end, leaves(Items, Run)).

%% --- one case -------------------------------------------------------------------------------------
one(Case, Path, #run{next = N} = Run, Do) ->
    case N >= Run#run.from andalso wanted([Case], Run) of
        false ->
            ok;
        true ->
            Name = lists:join($/, [atom_to_list(A) || A <- lists:reverse(Path, [Case])]),
            Number = integer_to_list(N),
            line(Run, [Number, "\t", Name, "\tstart\n"]),
            io:format("=== ~s~n", [Name]),
            Start = erlang:monotonic_time(millisecond),
            {Verdict, Reason} = Do(),
            Time = integer_to_list(erlang:monotonic_time(millisecond) - Start),
            line(Run, [Number, "\t", Name, "\t", atom_to_list(Verdict), "\t", Time, "\t", short(Reason), "\n"])
    end,
    Run#run{next = N + 1}.

test_case(Case, Traps, Config, #run{suite = Suite} = Run) ->
    Parent = self(),
    Timetrap = trap_of(optional(Suite, Case, [], [])) ++ Traps ++ trap_of(optional(Suite, suite, [], [])),
    Body =
        fun() ->
            Config0 = [{tc_name, Case} | Config],
            case configured(Suite, init_per_testcase, [Case, Config0], Config0) of
                {config, Config1} ->
                    Parent ! {config, self(), Config1},
                    Value = protected(fun() -> Suite:Case(Config1) end),
                    Parent ! {value, self(), Value},
                    ended(Value, end_of(Case, Config1, Value, Suite));
                Stopped ->
                    Stopped
            end
        end,
    case in_process(Body, Timetrap, Run) of
        {died, Pid, Reason} -> after_death(Case, Pid, Reason, Run);
        Result -> verdict(Result)
    end.

%% The process of the case was killed: its end_per_testcase runs in another, if it did not run yet.
after_death(Case, Pid, Reason, #run{suite = Suite} = Run) ->
    Value = receive {value, Pid, V} -> {ran, V} after 0 -> {'EXIT', Reason} end,
    Config = receive {config, Pid, C} -> C after 0 -> none end,
    case {Value, Config} of
        {{ran, V1}, _} -> verdict(V1);
        {_, none} -> verdict({'EXIT', {init_per_testcase, Reason}});
        _ ->
            in_process(fun() -> end_of(Case, Config, Value, Suite) end, Run),
            verdict(Value)
    end.

end_of(Case, Config, Value, Suite) ->
    Status = case verdict(Value) of
                 {ok, _} -> ok;
                 {skip, R} -> {skipped, R};
                 {_, R} -> {failed, R}
             end,
    protected(fun() -> optional(Suite, end_per_testcase, [Case, [{tc_status, Status} | Config]], ok) end).

%% end_per_testcase may only make a case fail that had passed, and only by saying so.
ended(Value, {fail, _} = End) -> case verdict(Value) of {ok, _} -> End; _ -> Value end;
ended(Value, _) -> Value.

verdict({skip, R}) -> {skip, R};
verdict({skipped, R}) -> {skip, R};
verdict({skip_and_save, R, _}) -> {skip, R};
verdict({fail, R}) -> {fail, R};
verdict({failed, R}) -> {fail, R};
verdict({'EXIT', {timetrap_timeout, _} = R}) -> {timeout, R};
verdict({'EXIT', R}) -> {fail, R};
verdict({died, _, R}) -> verdict({'EXIT', R});
verdict({comment, C}) -> {ok, C};
verdict(_) -> {ok, ""}.

configured(Suite, Function, Args, Default) ->
    case protected(fun() -> optional(Suite, Function, Args, Default) end) of
        Config when is_list(Config) -> {config, Config};
        {save_config, Config} -> {config, Config};
        {'EXIT', Reason} -> {'EXIT', {Function, Reason}};
        {Skip, _} = Stopped when Skip =:= skip; Skip =:= skipped; Skip =:= fail; Skip =:= failed -> Stopped;
        {skip_and_save, Reason, _} -> {skip, Reason};
        Other -> {'EXIT', {Function, bad_return_value, Other}}
    end.

%% What is thrown counts as the value, as in test_server.
protected(F) ->
    try F()
    catch
        throw:Value -> Value;
        error:Reason:Stack -> {'EXIT', {Reason, Stack}};
        exit:Reason -> {'EXIT', Reason}
    end.

optional(Module, Function, Args, Default) ->
    case erlang:function_exported(Module, Function, length(Args)) of
        true -> apply(Module, Function, Args);
        false -> Default
    end.

%% --- a process with a time limit ------------------------------------------------------------------
in_process(F, Run) -> in_process(F, [], Run).

in_process(F, Timetrap, #run{leader = Leader} = Run) ->
    Ref = make_ref(),
    case_leader:reset(Leader),
    Pid = spawn_link(fun() -> group_leader(Leader, self()), exit({Ref, protected(F)}) end),
    await(Pid, Ref, deadline(Timetrap, Run), Run).

await(Pid, Ref, Deadline, Run) ->
    receive
        {'EXIT', Pid, {Ref, Value}} -> Value;
        {'EXIT', Pid, Reason} -> {died, Pid, Reason};
        {'EXIT', _, _} -> await(Pid, Ref, Deadline, Run);
        {timetrap, Time} -> await(Pid, Ref, deadline([Time], Run), Run)
    after max(0, Deadline - erlang:monotonic_time(millisecond)) ->
        io:format("--- timetrap~n~p~n", [process_info(Pid, [current_stacktrace, message_queue_len])]),
        unlink(Pid),
        Monitor = monitor(process, Pid),
        exit(Pid, kill),
        receive {'DOWN', Monitor, _, _, _} -> ok after 5000 -> ok end,
        {died, Pid, {timetrap_timeout, Deadline}}
    end.

deadline(Timetrap, #run{cap = Cap}) ->
    Time = case Timetrap of [T | _] -> min(Cap, ct:milliseconds(T)); [] -> Cap end,
    erlang:monotonic_time(millisecond) + Time.

trap_of(Info) when is_list(Info) -> [T || {timetrap, T} <- Info];
trap_of(_) -> [].

line(#run{out = Out}, Text) -> ok = file:write(Out, Text).

%% A stack as its functions and lines.
places({Reason, [{M, F, _, Info} | _] = Stack}) when is_atom(M), is_atom(F), is_list(Info) ->
    {Reason, [place(E) || E <- lists:sublist(Stack, 4), element(1, E) =/= ?MODULE]};
places({Function, {_, [_ | _]} = Error}) when is_atom(Function) -> {Function, places(Error)};
places(Reason) -> Reason.

place({M, F, A, Info}) ->
    Arity = case is_list(A) of true -> length(A); false -> A end,
    list_to_atom(lists:concat([M, ":", F, "/", Arity, ":", proplists:get_value(line, Info, 0)]));
place(Other) -> Other.

short(Reason) ->
    Text = case io_lib:printable_unicode_list(Reason) of
               true -> Reason;
               false -> io_lib:format("~0tP", [places(Reason), 30])
           end,
    OneLine = [case C < 32 of true -> $\s; false -> C end || C <- lists:flatten(Text)],
    unicode:characters_to_binary(lists:sublist(OneLine, 300)).
