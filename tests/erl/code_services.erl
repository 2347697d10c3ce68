%% code:*, module_info, loading from binaries and on_load in a program.
%% skip repeats: files named after the number of the operating system's process
-module(code_services).
-export([main/1]).

%% Files are written into a directory of its own.
main(_) ->
    {ok, Home} = file:get_cwd(),
    Own = filename:join("/tmp", "code_services." ++ os:getpid()),
    ok = file:make_dir(Own),
    ok = file:set_cwd(Own),
    try all() after
        ok = file:set_cwd(Home),
        ok = file:del_dir_r(Own)
    end.

all() ->
    p(loaded, {code:ensure_loaded(queue), code:ensure_loaded(no_such_module), code:is_loaded(no_such_module)}),
    p(which, {filename:basename(code:which(queue)), code:which(no_such_module)}),
    p(object, case code:get_object_code(queue) of {queue, B, F} -> {is_binary(B), filename:basename(F)} end),
    p(no_object, code:get_object_code(no_such_module)),
    p(dirs, {filename:basename(code:lib_dir()), code:lib_dir(no_such_app), filename:basename(code:priv_dir(kernel))}),
    p(md5, begin {_, Bin, _} = code:get_object_code(queue), code:module_md5(Bin) =:= queue:module_info(md5) end),
    p(path, {code:add_patha("/tmp"), hd(code:get_path()), code:del_path("/tmp"), lists:member("/tmp", code:get_path()), code:add_path("/no/such/dir")}),
    p(info, {module_info(module), lists:sort(module_info(exports)), lists:member({p, 2}, module_info(functions))}),
    p(attributes, {[K || {K, _} <- module_info()], [K || {K, _} <- module_info(attributes)], is_list(module_info(compile))}),
    p(bad_item, catch module_info(nothing)),
    versions(), not_purged(), no_directory(), strange_file(), covered(), replaced_file(), status(), on_load(), prepared(), chunks(),
    p(all, lists:keymember(?MODULE, 1, code:all_loaded())).

p(What, Value) -> io:format("~p: ~0tp~n", [What, Value]).

module(Name, Lines) ->
    Forms = [begin {ok, T, _} = erl_scan:string(L), {ok, F} = erl_parse:parse_form(T), F end
             || L <- ["-module(" ++ atom_to_list(Name) ++ ").", "-export([f/0])." | Lines]],
    {ok, Name, Bin} = compile:forms(Forms, []),
    Bin.

%% Code from a binary, deleted, then loaded from the path by a call: `which` is the file.
replaced_file() ->
    Bin = module(replaced_file, ["f() -> 1."]),
    ok = file:write_file("replaced_file.beam", Bin),
    {module, _} = code:load_binary(replaced_file, "of a binary", Bin),
    Before = code:which(replaced_file),
    true = code:add_patha("."),
    code:purge(replaced_file), code:delete(replaced_file),
    p(replaced_file, {Before, replaced_file:f(), filename:basename(code:which(replaced_file)),
                      element(1, code:is_loaded(replaced_file))}),
    code:del_path(".").

status() ->
    {status, Pid, {module, Module}, [Dictionary, Mode, Parent, [], State]} = sys:get_status(code_server),
    p(status, {Pid =:= whereis(code_server), Module, is_list(Dictionary), Mode, is_pid(Parent), element(1, State)}),
    ok = sys:suspend(code_server),
    {status, _, _, [_, Suspended | _]} = sys:get_status(code_server),
    p(suspended, {Suspended, sys:resume(code_server), filename:basename(code:which(queue))}).

versions() ->
    V1 = module(versioned, ["f() -> 1."]), V2 = module(versioned, ["f() -> 2."]),
    p(v1, {code:load_binary(versioned, "versioned.beam", V1), versioned:f()}),
    p(v2, {code:load_binary(versioned, "versioned.beam", V2), versioned:f(), erlang:check_old_code(versioned)}),
    p(purge, {code:purge(versioned), erlang:check_old_code(versioned), code:soft_purge(versioned)}),
    p(delete, {code:delete(versioned), catch versioned:f(), code:purge(versioned), code:delete(versioned)}),
    p(garbage, {code:load_binary(versioned, "x", <<"garbage">>), code:load_binary(other, "x", V1)}).

%% The name of a file in a stack trace is text, not bytes.
strange_file() ->
    {module, M} = code:load_binary(strange_file, "x", module(strange_file, ["-file(\"s/\\x{2620}\\x{e4}.erl\", 7).", "f() -> error(x)."])),
    p(file, try M:f() catch error:x:S -> hd(S) end).

%% cover loads what it has compiled under an atom.
covered() ->
    ok = file:write_file("covered_one.erl", "-module(covered_one).\n-export([f/1]).\nf(1) -> one;\nf(_) -> other.\n"),
    {ok, _} = cover:start(),
    p(cover, {cover:compile(covered_one), covered_one:f(1), code:which(covered_one), code:is_loaded(covered_one), lists:keyfind(covered_one, 1, code:all_loaded())}),
    p(analyse, [cover:analyse(covered_one, calls, How) || How <- [module, function, clause, line]]),
    cover:stop(),
    p(uncovered, code:is_loaded(covered_one)),
    ok = file:delete("covered_one.erl").

%% The current directory is deleted.
no_directory() ->
    {ok, Home} = file:get_cwd(),
    File = filename:join(Home, "from_nowhere"),
    ok = file:write_file(File ++ ".beam", module(from_nowhere, ["f() -> 1."])),
    ok = file:make_dir("gone"), ok = file:set_cwd("gone"), ok = file:del_dir("../gone"),
    p(nowhere, {code:load_abs(File), from_nowhere:f(), code:load_abs("from_nowhere"), code:ensure_loaded(no_such_module)}),
    ok = file:set_cwd(Home),
    ok = file:delete(File ++ ".beam").

%% load_binary purges what is old, the others do not.
not_purged() ->
    Name = "twice_loaded.beam",
    Bin = module(twice_loaded, ["f() -> 1."]),
    ok = file:write_file(Name, Bin),
    true = code:add_path("."),
    p(binary, [code:load_binary(twice_loaded, Name, Bin) || _ <- [1, 2, 3]]),
    p(abs, code:load_abs("twice_loaded")), p(file, code:load_file(twice_loaded)),
    p(atomic, code:atomic_load([{twice_loaded, Name, Bin}])),
    p(purged, {code:purge(twice_loaded), code:load_file(twice_loaded), code:load_abs("twice_loaded"), code:ensure_loaded(twice_loaded)}),
    ok = file:delete(Name).

on_load() ->
    Good = module(loads_well, ["-on_load(g/0).", "g() -> persistent_term:put(loads_well, yes), ok.", "f() -> persistent_term:get(loads_well)."]),
    Bad = module(loads_badly, ["-on_load(g/0).", "g() -> {error, why}.", "f() -> never."]),
    Plain = {plain, module(plain, ["f() -> 1."])},
    Together = [[Plain, {loads_well, Good}], [{loads_well, Good}, {loads_badly, Bad}], [Plain, Plain]],
    p(together, [try erlang:finish_loading([erlang:prepare_loading(M, B) || {M, B} <- L]) catch C:R -> {C, R} end || L <- Together]),
    %% Modules are prepared beside each other: whichever is ready first is named first.
    p(together, [begin {error, Why} = code:atomic_load([{M, "x", B} || {M, B} <- L]), lists:sort(Why) end || L <- Together]),
    p(on_load, {code:load_binary(loads_well, "x", Good), loads_well:f()}),
    p(failing, {code:load_binary(loads_badly, "x", Bad), code:is_loaded(loads_badly)}).

prepared() ->
    Bin = module(prepared_one, ["f() -> ok."]),
    {ok, P} = code:prepare_loading([{prepared_one, "p.beam", Bin}]),
    p(prepared, {erlang:module_loaded(prepared_one), code:finish_loading(P), prepared_one:f()}),
    p(atomic, code:atomic_load([lists, no_such_module])).

chunks() ->
    Bin = module(chunked, ["f() -> <<\"text\">>."]),
    p(chunk, {is_binary(code:get_chunk(Bin, "AtU8")), code:get_chunk(Bin, "None")}),
    p(beam_lib, element(1, beam_lib:chunks(Bin, [exports]))).
