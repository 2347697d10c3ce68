%% Modules of kernel, stdlib and compiler cannot be replaced; programs can stick and unstick others.
%% skip repeats: files named after the number of the operating system's process
-module(sticky_modules).
-export([main/1]).

-define(S(X), io:format("~s ~0p~n", [??X, catch X])).

main(_) ->
    own_library(),
    [io:format("~p ~p~n", [M, code:is_sticky(M)])
     || M <- [lists, erlang, init, zlib, prim_file, kernel, file, prim_zip, logger_std_h, compile, ssl, nosuch, dets,
              ?MODULE]],
    {ok, Lists} = file:read_file(code:which(lists)),
    {ok, Self} = file:read_file(code:which(?MODULE)),
    ?S(code:load_binary(lists, "x", Lists)),
    ?S(code:load_file(lists)),
    ?S(code:load_abs(filename:rootname(code:which(lists)))),
    ?S(code:load_binary(lists, "x", <<"no code">>)),
    ?S(code:ensure_loaded(lists)),
    ?S(code:load_binary(erlang, "x", Lists)),
    ?S(code:is_loaded(erl_eval) =/= false),
    ?S(code:ensure_loaded(dets)), ?S(code:is_sticky(dets)), ?S(code:load_file(dets)),
    ?S(code:delete(dets)), ?S(code:is_sticky(dets)), ?S(code:purge(dets)), ?S(code:load_file(dets)),
    ?S(code:ensure_loaded(beam_a)), ?S(code:is_sticky(beam_a)),
    ?S(code:ensure_loaded(xref)), ?S(code:is_sticky(xref)),
    ?S(code:atomic_load([lists])), ?S(code:ensure_modules_loaded([lists, dets])),
    {ok, Prepared} = code:prepare_loading([?MODULE]),
    ?S(code:stick_mod(?MODULE)), ?S(code:is_sticky(?MODULE)),
    ?S(code:load_binary(?MODULE, "x", Self)), ?S(code:finish_loading(Prepared)),
    ?S(code:unstick_mod(?MODULE)), ?S(code:is_sticky(?MODULE)), ?S(code:load_binary(?MODULE, "x", Self)),
    directories(Self).

directories(Beam) ->
    Dir = filename:join(filename:basedir(user_cache, "sticky_modules"), os:getpid()),
    ok = filelib:ensure_dir(filename:join(Dir, "x")),
    [ok = file:write_file(filename:join(Dir, F), Beam) || F <- ["sticky_never.beam", "lists.beam", "file.txt"]],
    ?S(code:stick_dir("/nonexistent")), ?S(code:unstick_dir("/nonexistent")),
    io:format("~p~n", [code:unstick_dir(Dir)]),
    ?S(code:is_sticky(lists)), ?S(code:is_sticky(gb_sets)), ?S(code:is_sticky(file)),
    io:format("~p~n", [code:stick_dir(Dir)]),
    ?S(code:is_sticky(lists)), ?S(code:is_sticky(sticky_never)),
    file:del_dir_r(Dir),
    Stdlib = filename:dirname(code:which(lists)),
    io:format("~p~n", [code:unstick_dir(Stdlib)]),
    ?S(code:is_sticky(lists)), ?S(code:is_sticky(kernel)), ?S(code:load_file(gb_sets)), ?S(code:is_sticky(gb_sets)),
    io:format("~p~n", [code:stick_dir(Stdlib)]),
    ?S(code:is_sticky(gb_sets)), ?S(code:load_file(gb_sets)), ?S(code:purge(gb_sets)),
    ?S(element(1, element(2, catch code:stick_dir(foo)))), ?S(element(1, element(2, catch code:is_sticky("lists")))).

%% A directory of one's own that is named as one of OTP's libraries makes no module sticky.
own_library() ->
    Root = filename:join([filename:basedir(user_cache, "sticky_modules"), os:getpid() ++ "_own"]),
    Ebin = filename:join([Root, "stdlib", "ebin"]),
    Beam = filename:join(Ebin, atom_to_list(?MODULE) ++ ".beam"),
    ok = filelib:ensure_dir(Beam),
    {ok, _} = file:copy(code:which(?MODULE), Beam),
    code:add_patha(Ebin),
    ?S(code:is_sticky(?MODULE)),
    code:del_path(Ebin),
    file:del_dir_r(Root).
