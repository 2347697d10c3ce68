%% dbg: OTP 27's, which traces in sessions of its own.
-module(dbg_sessions).
-export([main/0, main/1, f/1, g/2, loop/0]).

f(X) -> X + 1.
g(X, Y) -> [f(X) | Y].
loop() -> receive {run, From, F} -> From ! {self(), F()}, loop(); stop -> ok end.
run(P, F) -> P ! {run, self(), F}, receive {P, R} -> R end.

main() -> main([]).
main(_) ->
    P = spawn(fun loop/0),
    Self = self(),
    {ok, _} = dbg:tracer(process, {fun(M, N) -> Self ! {got, norm(M, P)}, N + 1 end, 0}),
    io:format("~p~n", [sort(dbg:p(P, [c, m]))]),
    io:format("~p~n", [sort(dbg:tpl(?MODULE, f, 1, x))]),
    io:format("~p~n", [sort(dbg:tp(?MODULE, g, 2, [{['_', '$1'], [], [{message, '$1'}]}]))]),
    run(P, fun() -> {f(1), ?MODULE:g(2, [y])} end),
    flush(P),
    io:format("~p~n", [sort(dbg:ctpl(?MODULE, f, 1))]),
    run(P, fun() -> {f(1), ?MODULE:g(2, [y])} end),
    flush(P),
    %% another session, with its own tracer, beside
    S = dbg:session_create(mine),
    dbg:session(S, fun() ->
        {ok, _} = dbg:tracer(process, {fun(M, N) -> Self ! {mine, norm(M, P)}, N + 1 end, 0}),
        io:format("~p~n", [sort(dbg:p(P, [c]))]),
        io:format("~p~n", [sort(dbg:tpl(?MODULE, f, []))])
    end),
    run(P, fun() -> {f(1), ?MODULE:g(2, [y])} end),
    flush(P),
    io:format("~p~n", [dbg:session_destroy(S)]),
    run(P, fun() -> {f(1), ?MODULE:g(2, [y])} end),
    flush(P),
    dbg:stop(),
    run(P, fun() -> f(1) end),
    flush(P),
    P ! stop,
    io:format("~p~n", [trace:session_info({?MODULE, f, 1})]).

sort({ok, L}) -> {ok, lists:sort(L)};
sort(X) -> X.
flush(_) ->
    timer:sleep(100),
    lists:foreach(fun(M) -> io:format("~p~n", [M]) end, all()).
all() -> receive {K, M} when K =:= got; K =:= mine -> [{K, M} | all()] after 0 -> [] end.
norm(P, P) -> p;
norm(X, _) when is_pid(X) -> pid;
norm(X, _) when is_function(X) -> a_fun;
norm(T, P) when is_tuple(T) -> list_to_tuple([norm(E, P) || E <- tuple_to_list(T)]);
norm([H | T], P) -> [norm(H, P) | norm(T, P)];
norm(T, _) -> T.
