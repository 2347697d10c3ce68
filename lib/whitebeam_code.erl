%% `code_server` of a machine that has not booted OTP. The machine itself loads modules from its code
%% path when they are called; this process answers what programs ask of code:*, on the same path.
-module(whitebeam_code).
-export([start/0, call/3, ask/1]).

%% Runs a program whose own module has an on_load function.
call(Module, Function, Arguments) ->
    case code:ensure_loaded(Module) of
        {module, _} ->
            Arity = case erlang:function_exported(Module, Function, 1) of true -> Arguments; false -> [] end,
            apply(Module, Function, Arity);
        {error, Reason} -> exit({cannot_load, Module, Reason})
    end.

%% What code_server of OTP 26 and later reads out of its table (vm/bif/newer_bifs.def).
ask(Request) -> code_server:call(Request).

start() -> loop(#{}).

%% Loading: #{Module => {Monitor, [Caller]}} for modules whose on_load function runs.
loop(Loading) ->
    receive
        {code_call, From, Request} ->
            case answer(Request) of
                {on_load, Module} -> loop(on_load(Module, From, Loading));
                {later, Module} ->
                    {Monitor, Callers} = maps:get(Module, Loading),
                    loop(Loading#{Module := {Monitor, [From | Callers]}});
                Reply -> From ! {code_server, Reply}, loop(Loading)
            end;
        {'DOWN', Monitor, process, _, Result} ->
            case [M || {M, {R, _}} <- maps:to_list(Loading), R =:= Monitor] of
                [Module] -> loop(loaded(Module, Result, Loading));
                [] -> loop(Loading)
            end;
        {system, From, Message} -> system(running, Message, From, Loading);
        _ -> loop(Loading)
    end.

%% The requests of `sys`, which OTP's code_server answers by itself, too.
system(Mode, Message, From, Loading) ->
    {Next, Reply} =
        case Message of
            suspend -> {suspended, ok};
            resume -> {running, ok};
            get_status ->
                {Mode, {status, self(), {module, code_server}, [get(), Mode, whereis(init), [], state(Loading)]}};
            {debug, _} -> {Mode, ok};
            _ -> {Mode, {error, unknown_cmd}}
        end,
    gen:reply(From, Reply),
    case Next of
        running -> loop(Loading);
        suspended -> receive {system, Caller, Request} -> system(suspended, Request, Caller, Loading) end
    end.

%% In the shape of OTP's. No directory is ever cached.
state(Loading) ->
    Path = [{list(D), nocache} || D <- whitebeam:code_path()],
    {state, whereis(init), list(whitebeam:otp_root()), Path, undefined, undefined, interactive, Loading}.

on_load(Module, From, Loading) ->
    put({loading, Module}, true),
    {_, Monitor} = spawn_monitor(fun() -> exit(erlang:call_on_load_function(Module)) end),
    Loading#{Module => {Monitor, [From]}}.

%% Its on_load function has ended, in whatever way.
loaded(Module, Result, Loading) ->
    {{_, Callers}, Rest} = maps:take(Module, Loading),
    erase({loading, Module}),
    erlang:finish_after_on_load(Module, Result =:= ok),
    Reply = case Result of ok -> {module, Module}; _ -> {error, on_load_failure} end,
    [From ! {code_server, Reply} || From <- lists:reverse(Callers)],
    Rest.

answer({ensure_loaded, Module}) ->
    case {erlang:module_loaded(Module), get({loading, Module})} of
        {true, _} -> {module, Module};
        {_, true} -> {later, Module};
        _ -> load_from_path(Module)
    end;
%% From OTP 26 on callers prepare code themselves, and ask whether they may.
answer({get_object_code_for_loading, Module}) -> answer({ensure_loaded, Module});
answer({load_module, Prepared, Module, File, Purge, Ensure}) ->
    case Ensure andalso erlang:module_loaded(Module) of
        true -> {module, Module};
        false -> load_prepared(Prepared, Module, File, Purge)
    end;
answer({load_file, Module}) -> load_from_path(Module);
answer({load_abs, File, Module}) ->
    Name = text(File) ++ ".beam",
    case prim_file:read_file(Name) of
        {ok, Bytes} -> load(Module, absolute(Name), Bytes);
        _ -> {error, nofile}
    end;
answer({load_binary, Module, File, Bytes}) ->
    _ = erlang:module_loaded(Module) andalso erts_code_purger:purge(Module),
    case load(Module, text(File), Bytes) of
        {error, _} = Error -> Error;
        Loaded ->
            %% cover's modules are from `cover_compiled`, and it asks.
            is_atom(File) andalso put({file, Module}, File),
            Loaded
    end;
answer({delete, Module}) ->
    erase({file, Module}),
    (catch erlang:delete_module(Module)) =:= true;
answer({purge, Module}) -> element(2, erts_code_purger:purge(Module));
answer({soft_purge, Module}) -> erts_code_purger:soft_purge(Module);
answer({is_loaded, Module}) ->
    %% What a booted system has loaded when a program begins is loaded by this request.
    _ = erlang:module_loaded(Module),
    case whitebeam:loaded_from(Module) of
        false -> false;
        File -> {file, file_of(Module, File)}
    end;
answer(all_loaded) -> [{M, file_of(M, whitebeam:loaded_from(M))} || M <- erlang:loaded()];
answer({get_object_code, Module}) ->
    case object_code(Module) of
        {File, Bytes} -> {Module, Bytes, list(File)};
        error -> error
    end;
answer(get_path) -> [list(D) || D <- whitebeam:code_path()];
answer({set_path, Dirs}) ->
    case is_list(Dirs) andalso lists:all(fun is_dir/1, Dirs) of
        true -> set_path([binary(D) || D <- Dirs]);
        false -> {error, bad_directory}
    end;
answer({Request, A, _Cache}) when Request =:= set_path -> answer({Request, A});
answer({Request, A, B, _Cache}) when Request =:= add_path; Request =:= add_paths; Request =:= replace_path ->
    answer({Request, A, B});
answer({del_paths, Names}) -> [answer({del_path, Name}) || Name <- Names], ok;
answer(clear_cache) -> ok;
answer({where_is_file, File}) ->
    case [F || D <- whitebeam:code_path(), F <- [filename:append(list(D), File)], is_file(F)] of
        [Found | _] -> Found;
        [] -> non_existing
    end;
answer({add_path, Where, Dir}) -> add_path(Where, Dir);
answer({add_paths, Where, Dirs}) -> [add_path(Where, D) || D <- Dirs], ok;
answer({del_path, Name}) ->
    case find_dir(Name) of
        false -> false;
        Dir -> set_path(lists:delete(Dir, whitebeam:code_path()))
    end;
answer({replace_path, Name, Dir}) ->
    case {application(text(Dir)) =:= text(Name), is_dir(Dir), find_dir(Name)} of
        {false, _, _} -> {error, bad_name};
        {_, false, _} -> {error, bad_directory};
        {_, _, false} -> add_path(last, Dir);
        {_, _, Old} -> set_path([case D of Old -> binary(Dir); _ -> D end || D <- whitebeam:code_path()])
    end;
answer({dir, root_dir}) -> list(whitebeam:otp_root());
answer({dir, lib_dir}) -> list(whitebeam:otp_root()) ++ "/lib";
answer({dir, {lib_dir, App}}) -> lib_dir(App);
answer({dir, {lib_dir, App, Sub}}) -> below(lib_dir(App), atom_to_list(Sub));
answer({dir, {priv_dir, App}}) -> below(lib_dir(App), "priv");
answer({dir, compiler_dir}) -> lib_dir(compiler);
answer({finish_loading, Prepared, Ensure}) -> finish(Prepared, Ensure);
answer({stick_dir, Dir}) -> stick_dir(Dir, true);
answer({unstick_dir, Dir}) -> stick_dir(Dir, false);
answer({stick_mod, Module}) -> stick(Module, true);
answer({unstick_mod, Module}) -> stick(Module, false);
answer({is_sticky, Module}) -> is_sticky(Module);
answer(get_mode) -> interactive;
answer(_) -> {error, not_supported}.

%% --- loading --------------------------------------------------------------------------------------------
load_from_path(Module) ->
    case object_code(Module) of
        {File, Bytes} -> load(Module, File, Bytes);
        error -> {error, nofile}
    end.

%% The current directory may have been deleted.
absolute(Name) ->
    case prim_file:get_cwd() of
        {ok, Directory} -> filename:absname(Name, Directory);
        _ -> Name
    end.

object_code(Module) ->
    case whitebeam:find_module_file(Module) of
        false -> error;
        File ->
            case prim_file:read_file(File) of
                {ok, Bytes} -> {File, Bytes};
                _ -> error
            end
    end.

file_of(Module, File) ->
    case get({file, Module}) of
        undefined -> list(File);
        Name -> Name
    end.

load(Module, File, Bytes) ->
    case is_sticky(Module) of
        true ->
            log_error("Can't load module '~w' that resides in sticky dir\n", [Module]),
            {error, sticky_directory};
        false -> replace(Module, File, Bytes)
    end.

replace(Module, File, Bytes) ->
    erase({file, Module}),
    case whitebeam:load(Module, binary(File), Bytes) of
        ok -> {module, Module};
        on_load -> {on_load, Module};
        {error, Reason} = Error ->
            log_error("Loading of ~ts failed: ~p\n", [File, Reason]),
            Error
    end.

load_prepared(Prepared, Module, File, Purge) ->
    case is_sticky(Module) of
        true ->
            log_error("Can't load module '~w' that resides in sticky dir\n", [Module]),
            {error, sticky_directory};
        false ->
            _ = Purge andalso erlang:module_loaded(Module) andalso erts_code_purger:purge(Module),
            replace_prepared(Prepared, Module, File)
    end.

replace_prepared(Prepared, Module, File) ->
    case erlang:finish_loading([Prepared]) of
        ok ->
            put({file, Module}, File),
            {module, Module};
        {on_load, [Module]} -> {on_load, Module};
        {not_purged, [Module]} ->
            log_error("Loading of ~ts failed: ~p\n", [File, not_purged]),
            {error, not_purged}
    end.

%% As logger:error/2, which asks code_server.
log_error(Format, Arguments) ->
    Meta = #{pid => self(), gl => group_leader(), time => os:system_time(microsecond), error_logger => #{tag => error}},
    logger ! {log, error, Format, Arguments, Meta}.

finish(Prepared, Ensure) ->
    Wanted = [P || {M, _} = P <- Prepared, not (Ensure andalso erlang:module_loaded(M))],
    case [{M, sticky_directory} || {M, _} <- Wanted, is_sticky(M)] of
        [] -> finish(Wanted);
        Sticky -> {error, Sticky}
    end.

finish(Prepared) ->
    case erlang:finish_loading([code(Code) || {_, Code} <- Prepared]) of
        ok -> ok;
        {Reason, Modules} -> {error, [{M, Reason} || M <- Modules]}
    end.

code({Code, _File, _Extra}) -> Code;
code({Code, _File}) -> Code;
code(Code) -> Code.

%% --- sticky modules ---------------------------------------------------------------------------------------
%% They cannot be replaced: those that BEAM has preloaded, and those of compiler, stdlib and kernel. Marks are
%% kept of modules that programs have named, alone or by their directory; where the others are is looked up.
is_sticky(Module) ->
    erlang:module_loaded(Module) andalso
        case get({sticky, Module}) of
            undefined -> is_sticky_from_start(Module);
            Sticky -> Sticky
        end.

is_sticky_from_start(Module) ->
    lists:member(Module, erlang:pre_loaded()) orelse
        lists:any(fun(Dir) -> is_file(Dir ++ "/" ++ atom_to_list(Module) ++ ".beam") end, sticky_directories()).

sticky_directories() ->
    case get(sticky_directories) of
        undefined ->
            Dirs = case whitebeam:nostick() of
                       true -> [];
                       false ->
                           Library = list(whitebeam:otp_root()) ++ "/lib/",  % an own directory named stdlib is none of them
                           [list(D) || D <- whitebeam:code_path(), lists:prefix(Library, list(D)),
                                       lists:member(application(list(D)), ["compiler", "stdlib", "kernel"])]
                   end,
            put(sticky_directories, Dirs),
            Dirs;
        Dirs -> Dirs
    end.

stick_dir(Dir, Sticky) ->
    case prim_file:list_dir(Dir) of
        {ok, Files} ->
            [stick(list_to_atom(filename:basename(F, ".beam")), Sticky) || F <- Files, filename:extension(F) =:= ".beam"],
            ok;
        {error, _} -> error
    end.

stick(Module, Sticky) -> put({sticky, Module}, Sticky), true.

is_file(Name) ->
    case prim_file:read_file_info(Name) of
        {ok, Info} -> element(3, Info) =:= regular;
        _ -> false
    end.

%% --- the path ---------------------------------------------------------------------------------------------
set_path(Dirs) -> whitebeam:set_code_path(Dirs), true.

add_path(Where, Dir) ->
    case is_dir(Dir) of
        true -> set_path(with_path(Where, binary(Dir), whitebeam:code_path()));
        false -> {error, bad_directory}
    end.

with_path(first, Dir, Path) -> [Dir | lists:delete(Dir, Path)];
with_path(last, Dir, Path) ->
    case lists:member(Dir, Path) of
        true -> Path;
        false -> Path ++ [Dir]
    end.

is_dir(".") -> true;
is_dir(Dir) ->
    try prim_file:read_file_info(Dir) of
        {ok, Info} -> element(3, Info) =:= directory;
        _ -> false
    catch error:_ -> false
    end.

%% By name of an application or by directory.
find_dir(Name) ->
    Text = text(Name),
    Found = [D || D <- whitebeam:code_path(), list(D) =:= Text orelse application(list(D)) =:= Text],
    case Found of [Dir | _] -> Dir; [] -> false end.

application(Dir) ->
    Name = case lists:reverse(filename:split(Dir)) of
               ["ebin", App | _] -> App;
               [Last | _] -> Last;
               [] -> ""
           end,
    hd(string:split(Name ++ "-", "-")).

lib_dir(App) ->
    case find_dir(App) of
        false -> {error, bad_name};
        Dir ->
            Text = list(Dir),
            case filename:basename(Text) of
                "ebin" -> filename:dirname(Text);
                _ -> Text
            end
    end.

below({error, _} = Error, _) -> Error;
below(Dir, Name) -> filename:append(Dir, Name).

text(Atom) when is_atom(Atom) -> atom_to_list(Atom);
text(Binary) when is_binary(Binary) -> list(Binary);
text(List) -> List.
list(Binary) -> unicode:characters_to_list(Binary).
binary(Text) when is_binary(Text) -> Text;
binary(Text) -> unicode:characters_to_binary(text(Text)).
