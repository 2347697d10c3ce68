%% Call tracing and code: a new version of a module is not traced, unless on_load says so.
-module(tracing_loading).
-export([main/1, server/0]).

main(_) ->
    P = spawn(fun server/0),
    1 = erlang:trace(P, true, [call]),
    {ok, M, B} = compile:forms([{attribute, 1, module, tracing_loaded}, {attribute, 1, export, [{f, 0}]},
                                {function, 1, f, 0, [{clause, 1, [], [], [{atom, 1, done}]}]}]),
    Load = fun() -> code:purge(M), {module, M} = code:load_binary(M, "tracing_loaded.erl", B) end,
    Show = fun(What) ->
        P ! {do, self(), fun() -> tracing_loaded:f() end},
        receive {P, done} -> ok end,
        io:format("~s: ~p~n", [What, all()])
    end,
    Load(),
    1 = erlang:trace_pattern({tracing_loaded, f, 0}, true, [local]),
    Show("one"),
    Load(),
    Show("two"),
    io:format("~p~n", [erlang:trace_info({tracing_loaded, f, 0}, traced)]),
    1 = erlang:trace_pattern({tracing_loaded, f, 0}, true, [global]),
    Show("two, global"),
    erlang:trace_pattern(on_load, true, [local]),
    Load(),
    Show("three"),
    erlang:trace_pattern(on_load, true, []),
    Load(),
    Show("four"),
    erlang:trace_pattern(on_load, false, []),
    code:purge(tracing_loaded),
    true = code:delete(tracing_loaded),
    io:format("~p~n", [{erlang:trace_info({tracing_loaded, f, 0}, traced),
                        erlang:trace_pattern({tracing_loaded, '_', '_'}, true, [local])}]).

server() ->
    receive {do, From, F} -> From ! {self(), F()}, server() end.

all() ->
    receive M when element(1, M) =:= trace -> [setelement(2, M, p) | all()] after 0 -> [] end.
