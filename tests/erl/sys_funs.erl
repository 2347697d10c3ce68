%% What fun_info says, funs made of names, and which functions are there.
-module(sys_funs).
-export([main/1]).

attempt(F) -> try F() catch Class:Reason -> {Class, Reason} end.

main(_) ->
    Items = [type, module, name, arity, env, index, new_index, foo, 1],
    Y = list_to_atom("free"),
    Local = fun(A, B) -> {A, B, Y, self()} end,
    External = fun lists:map/2,
    [erlang:display({X, attempt(fun() -> erlang:fun_info(F, X) end)})
     || F <- [Local, External], X <- Items],
    [erlang:display({X, attempt(fun() -> erlang:fun_info(External, X) end)})
     || X <- [pid, uniq, new_uniq, refc]],
    [erlang:display({X, is_tuple(attempt(fun() -> erlang:fun_info(Local, X) end))})
     || X <- [uniq, new_uniq, refc]],
    {pid, Pid} = erlang:fun_info(Local, pid),
    {new_uniq, Uniq} = erlang:fun_info(Local, new_uniq),
    erlang:display({is_pid(Pid), byte_size(Uniq)}),
    erlang:display({attempt(fun() -> erlang:fun_info(x, module) end),
                    attempt(fun() -> erlang:fun_info(x, foo) end)}),
    [erlang:display(attempt(fun() -> erlang:fun_info_mfa(F) end)) || F <- [Local, External, x]],
    elsewhere(Local),
    made(),
    there().

%% A fun of a module that is not there.
elsewhere(Local) ->
    Bin = term_to_binary(Local),
    Moved = binary_to_term(binary:replace(Bin, <<"sys_funs">>, <<"sys_gone">>, [global])),
    erlang:display({erlang:fun_info(Moved, module), erlang:fun_info(Moved, name),
                    erlang:fun_info(Moved, arity), erlang:fun_info(Moved, env),
                    erlang:fun_info_mfa(Moved)}).

made() ->
    [erlang:display({MFA, attempt(fun() -> {M, F, A} = MFA, erlang:make_fun(M, F, A) end)})
     || MFA <- [{a, b, 0}, {a, b, 255}, {a, b, 256}, {a, b, -1}, {a, b, a}, {a, b, 1 bsl 70},
                {1, b, 1}, {a, 2, 1}, {"a", b, 1}]],
    Reverse = erlang:make_fun(lists, reverse, 1),
    erlang:display({Reverse([1, 2, 3]), Reverse =:= fun lists:reverse/1}).

there() ->
    Functions = [{lists, map, 2}, {lists, map, 3}, {erlang, abs, 1}, {lists, keyfind, 3},
                 {erlang, apply, 3}, {erlang, apply, 2}, {erlang, yield, 0}, {erlang, '+', 2},
                 {erlang, '!', 2}, {erlang, spawn, 1}, {?MODULE, main, 1}, {?MODULE, made, 0},
                 {maps, get, 2}, {maps, map, 2}, {x, y, 0}, {x, y, 256}, {x, y, -1}, {x, y, z},
                 {1, y, 0}, {x, 2, 0}, {x, y, 1 bsl 70}, {lists, map, 256}],
    [erlang:display({MFA, attempt(fun() -> erlang:function_exported(M, F, A) end),
                     attempt(fun() -> erlang:is_builtin(M, F, A) end)})
     || {M, F, A} = MFA <- Functions].
