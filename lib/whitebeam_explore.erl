%% What `whitebeam explore` runs instead of a program's main/1: tests. Their processes are explored with main.
%%
%% prepare/1 is called once, in the machine from which all runs are forked, before the first of them: what it starts is
%% there in each run, and of that only the processes of the project's own application take part in it. What it has found
%% is kept in persistent terms; {?MODULE, processes} is read by the runner (vm/explore/runner.cc).
-module(whitebeam_explore).
-export([generator/1, prepare/1, list/1, exunit/1]).

%% --- EUnit: [Module, Function], a test generator
generator([Module, Function]) ->
    case eunit:test({generator, list_to_atom(Module), list_to_atom(Function)}, [no_tty]) of
        ok -> ok;
        error -> exit({tests_failed, list_to_atom(Module), list_to_atom(Function)})
    end.

%% --- ExUnit
%% [Project | Files]: what mix has said of the project ("": there is none), and the files to require, helpers first.
prepare([Project | Files]) ->
    Found = try tests_of(Project, Files) of
                Tests ->
                    [persistent_term:put({?MODULE, N}, T) || {N, T} <- lists:enumerate(Tests)],
                    {ok, [line(T) || T <- Tests]}
            catch Kind:Reason:Stack -> {error, in_words(Kind, Reason, Stack)}
            end,
    persistent_term:put(?MODULE, Found).

%% Prints "ok" and a line for each test, its number in the file first; or what went wrong.
list([]) ->
    case persistent_term:get(?MODULE, {error, "the test files never end"}) of
        {ok, Lines} -> io:format("ok~n~ts", [Lines]);
        {error, Text} -> io:format("~ts~n", [Text])
    end.

%% The test of this number, as ExUnit's runner calls it: the module's process, which is main, and one for the test.
exunit([Number]) ->
    #{module := Module, name := Name, tags := Tags} = persistent_term:get({?MODULE, list_to_integer(Number)}),
    Own = #{module => Module, 'case' => Module, test => Name},
    'Elixir.ExUnit.OnExitHandler':register(self()),
    Shared = Module:'__ex_unit__'(setup_all, maps:merge(Tags, Own)),
    Main = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
        'Elixir.ExUnit.OnExitHandler':register(self()),
        Result = try
                     Context = Module:'__ex_unit__'(setup, maps:merge(maps:merge(Shared, Tags), Own)),
                     Module:Name(Context),
                     ok
                 catch Kind:Reason:Stack -> {Kind, Reason, Stack}
                 end,
        Main ! {self(), Result},
        exit(shutdown)
    end),
    Result = receive
                 {Pid, R} -> receive {'DOWN', Ref, process, Pid, _} -> R end;
                 {'DOWN', Ref, process, Pid, Reason} -> {exit, Reason, []}
             end,
    Ends = [Result | ['Elixir.ExUnit.OnExitHandler':run(P, infinity) || P <- [Pid, self()]]],
    [fail(End) || End <- Ends, End =/= ok],
    ok.

fail({error, Reason, Stack}) -> erlang:raise(error, brief(Reason, Stack), Stack);
fail({Kind, Reason, Stack}) -> erlang:raise(Kind, Reason, Stack).

%% An exception as a term that fits a line.
brief(Reason, Stack) ->
    #{'__struct__' := Type} = E = 'Elixir.Exception':normalize(error, Reason, Stack),
    Name = case atom_to_list(Type) of "Elixir." ++ Short -> Short; Whole -> Whole end,
    {list_to_atom(Name), one_line('Elixir.Exception':message(E))}.

one_line(Text) ->
    Lines = string:lexemes(unicode:characters_to_list(Text), "\n"),
    lists:flatten(lists:join(" ", [string:trim(L) || L <- Lines, string:trim(L) =/= []])).

line(#{module := Module, name := Name, tags := #{line := Line}}) ->
    Label = [string:prefix(atom_to_list(Module), "Elixir."), ": ", atom_to_list(Name)],
    io_lib:format("~b ~ts~n", [Line, one_line(Label)]).

in_words(Kind, Reason, Stack) ->
    try 'Elixir.Exception':format(Kind, Reason, Stack)
    catch _:_ -> io_lib:format("~p", [{Kind, Reason, Stack}])
    end.

tests_of(Project, Files) ->
    {ok, _} = application:ensure_all_started(elixir),
    {ok, _} = application:ensure_all_started(logger),
    ok = application:load(ex_unit),
    application:set_env(ex_unit, autorun, false),
    {ok, _} = application:ensure_all_started(ex_unit),
    persistent_term:put({?MODULE, processes}, processes_of(start_project(Project))),
    Modules = lists:flatmap(fun required/1, Files),
    Cases = [M || M <- Modules, erlang:function_exported(M, '__ex_unit__', 0)],
    lists:flatmap(fun in_order/1, Cases).

required(File) ->
    case 'Elixir.Code':require_file(unicode:characters_to_binary(File)) of
        nil -> [];
        Modules -> [M || {M, _} <- Modules]
    end.

%% As they stand in the file, without those that ExUnit would leave out.
in_order(Module) ->
    #{tests := Tests} = Module:'__ex_unit__'(),
    Wanted = [T || T = #{tags := Tags} <- Tests, not is_map_key(skip, Tags), not excluded(Tags)],
    lists:sort(fun(#{tags := #{line := A}}, #{tags := #{line := B}}) -> A =< B end, Wanted).

excluded(Tags) ->
    {ok, Include} = application:get_env(ex_unit, include),
    {ok, Exclude} = application:get_env(ex_unit, exclude),
    case 'Elixir.ExUnit.Filters':eval(Include, Exclude, Tags, []) of
        ok -> false;
        _ -> true
    end.

%% As `mix test` has it before the first test: its code path, its configuration, its application.
start_project("") -> nil;
start_project(File) ->
    {ok, Bytes} = file:read_file(File),
    {Application, Paths, Configuration} = binary_to_term(Bytes),
    Known = code:get_path(),
    code:add_pathsa([P || P <- Paths, not lists:member(P, Known)]),
    [application:set_env(A, Key, Value, [{persistent, true}]) || {A, Values} <- Configuration, {Key, Value} <- Values],
    case Application of
        nil -> nil;
        _ -> {ok, _} = application:ensure_all_started(Application), Application
    end.

%% The oldest first.
processes_of(nil) -> [];
processes_of(Application) ->
    case application_controller:get_master(Application) of
        undefined -> [];
        Master ->
            [P || P <- lists:sort(processes()), P =/= Master,
                  process_info(P, group_leader) =:= {group_leader, Master},
                  process_info(P, initial_call) =/= {initial_call, {application_master, start_it, 4}}]
    end.
