%% The registered processes that OTP's modules expect, for a program that runs without booting OTP.
%% vm/io/services.cc starts one when somebody first looks for its name (or for a table it owns), and
%% registers it before it runs, so that messages sent to it early simply wait.
%%
%% Where OTP's own server can be used it is, unmodified: we only take the place of whoever starts it.
-module(whitebeam_service).
-export([start/1, start/2, stop/1, config_change/3, persistent_term/1]).

start(Name) ->
    whitebeam:await_registration(),
    %% What proc_lib would have noted.
    put('$ancestors', [user]),
    put('$initial_call', {?MODULE, start, 1}),
    try run(Name)
    catch exit:Reason when Reason =/= normal, Reason =/= shutdown -> error({Name, Reason})
    end.

run(init) -> whitebeam_init:loop();
run(code_server) -> whitebeam_code:start();
run(erts_code_purger) ->
    ready(),
    process_flag(trap_exit, true),
    erts_code_purger:wait_for_request();
run(erl_prim_loader) -> prim_loader();
run(file_server_2) ->
    {ok, State} = file_server:init([]),
    ready(),
    gen_server:enter_loop(file_server, [], State, {local, file_server_2});
run(kernel_safe_sup) -> supervise(kernel_safe_sup, kernel, safe);
run(kernel_sup) -> supervise(kernel_sup, kernel, safe);
run(kernel_refc) ->
    {ok, State} = kernel_refc:init([]),
    ready(),
    gen_server:enter_loop(kernel_refc, [], State, {local, kernel_refc});
run(logger) -> whitebeam_log:start();
run(logger_sup) ->
    true = is_pid(whereis(logger)),
    receive {has_tables, logger} -> supervise(logger_sup, logger_sup, []) end;
run(application_controller) ->
    [{application, kernel, Keys}] = app(kernel),
    %% It starts a process of its own under that name; what was sent to us meanwhile is passed on.
    unregister(application_controller),
    %% The processes of kernel are ours to give.
    {ok, Pid} = application_controller:start({application, kernel, lists:keyreplace(mod, 1, Keys, {mod, {?MODULE, []}})}),
    [application:start(App, permanent) || App <- [kernel, stdlib]],
    ready(),
    pass_on(Pid);
run(erl_signal_server) ->
    {ok, State} = erl_signal_handler:init([]),
    Handler = {handler, erl_signal_handler, false, State, false},
    process_flag(trap_exit, true),
    ready(),
    gen_event:system_continue(self(), [], [erl_signal_server, [Handler], infinity, false]);
run(global_name_server) ->
    {ok, State} = global:init([]),
    ready(),
    gen_server:enter_loop(global, [], State, {local, global_name_server});
run(inet_db) ->
    {ok, State} = inet_db:init([]),
    %% What kernel does next asks this server: somebody else does it.
    {Pid, Ref} = spawn_monitor(inet_config, init, []),
    gen_server:enter_loop(inet_db, [], inet_db(Pid, Ref, State), {local, inet_db});
run(socket_registry) ->
    %% It takes its name itself.
    unregister(socket_registry),
    ready(),
    socket_registry:start();
run(elixir_config) ->
    {ok, _} = application:ensure_all_started(elixir),
    ready(),
    pass_on(whereis(elixir_config)).

%% What kernel's application module does here.
start(_, []) -> {ok, spawn_link(fun() -> receive never -> ok end end)}.
stop(_) -> ok.
config_change(Changed, New, Removed) -> kernel:config_change(Changed, New, Removed).

%% Somebody looks for a term for the first time that a booted system has from its start.
persistent_term(kernel_os_cmd_shell = Key) ->
    os:internal_init_cmd_shell(),
    persistent_term:get(Key);
persistent_term(erl_prim_loader) -> {efile, undefined};
persistent_term(code_server) -> interactive;
persistent_term({prim_socket, _} = Key) ->
    prim_socket:init(),
    case persistent_term:get(Key, undefined) of
        undefined -> error(badarg, [Key]);
        Table -> Table
    end.

supervise(Name, Module, Arguments) ->
    State = state(supervisor:init({{local, Name}, Module, Arguments})),
    ready(),
    gen_server:enter_loop(supervisor, [], State, {local, Name}).

%% An empty supervisor hibernates since OTP 27, and since 29 any that is idle for a while.
state({ok, State}) -> State;
state({ok, State, hibernate}) -> State;
state({ok, State, {timeout, _, {hibernate, _}}}) -> State.

ready() -> whitebeam:service_ready().

%% Serves its own configuration until that is done. Names can be looked up, and tables be read by
%% others, once it is known how.
inet_db(Pid, Ref, State) ->
    receive
        {'$gen_call', {Pid, _} = From, Request} ->
            {reply, Reply, New} = inet_db:handle_call(Request, From, State),
            case Request of {res_set, lookup, _} -> ready(); _ -> ok end,
            gen_server:reply(From, Reply),
            inet_db(Pid, Ref, New);
        {'DOWN', Ref, _, _, _} ->
            ready(),
            State
    end.

pass_on(Pid) -> receive Message -> Pid ! Message, pass_on(Pid) end.

app(Name) ->
    {ok, Terms, _} = file:path_consult(code:get_path(), atom_to_list(Name) ++ ".app"),
    Terms.

%% erl_prim_loader's protocol.
prim_loader() ->
    receive
        {From, Request} when is_pid(From) ->
            From ! {self(), prim_loader(Request)},
            prim_loader();
        _ -> prim_loader()
    end.

prim_loader({get_file, File}) ->
    case prim_file:read_file(File) of
        {ok, Bytes} -> {ok, Bytes, File};
        _ -> error
    end;
prim_loader({list_dir, Dir}) -> or_error(prim_file:list_dir(Dir));
prim_loader({read_file_info, File}) -> or_error(prim_file:read_file_info(File));
prim_loader({read_link_info, File}) -> or_error(prim_file:read_link_info(File));
prim_loader({get_cwd}) -> prim_file:get_cwd();
prim_loader({get_cwd, Drive}) -> prim_file:get_cwd(Drive);
prim_loader(get_path) -> {ok, code:get_path()};
prim_loader({get_path}) -> {ok, code:get_path()};
prim_loader({get_modules, {Modules, Fun, Path}}) ->
    {Good, Bad} = lists:partition(fun({_, {R, _}}) -> R =:= ok end, [{M, module(M, Fun, Path)} || M <- Modules]),
    {ok, {[{M, Result} || {M, {ok, Result}} <- Good], [{M, Reason} || {M, {error, Reason}} <- Bad]}};
prim_loader(_) -> ok.

module(Module, Fun, Path) ->
    Found = [File || Dir <- Path, File <- [filename:join(Dir, atom_to_list(Module) ++ ".beam")],
                     element(1, prim_file:read_file_info(File)) =:= ok],
    case Found of
        [] -> {error, nofile};
        [File | _] ->
            case prim_file:read_file(File) of
                {ok, Bytes} -> Fun(Module, File, Bytes);
                Error -> Error
            end
    end.

or_error({ok, _} = Ok) -> Ok;
or_error(_) -> error.
