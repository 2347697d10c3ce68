%% fun_info(F, refc): how many of them there are, wherever they are, until they are collected.
-module(fun_counts).
-export([main/1, id/1]).

main(_Args) ->
    [io:format("~p~n", [{Name, alone(F)}]) || {Name, F} <- [{heap, fun heap/0}, {others, fun others/0}, {tables, fun tables/0},
        {constant, fun constant/0}, {waiting, fun waiting/0}, {many, fun many/0}, {external, fun external/0}]].

%% Where nothing is collected but when it is asked for.
alone(F) ->
    {_, M} = spawn_opt(fun() -> process_flag(trap_exit, true), exit({result, F()}) end, [monitor, {min_heap_size, 10000}]),
    receive {'DOWN', M, _, _, {result, R}} -> R; {'DOWN', M, _, _, Why} -> Why end.

tables() -> [alone(fun() -> table(T) end) || T <- [set, ordered_set, bag, duplicate_bag]].
external() -> {erlang:fun_info(fun lists:map/2, refc), lists:keymember(refc, 1, erlang:fun_info(fun() -> ok end))}.

id(X) -> X.
count(F) -> {refc, N} = erlang:fun_info(F, refc), N.
adder(N) -> fun(X) -> X + N end.

heap() ->
    F = adder(2), A = count(F),
    G = adder(id(42)), B = count(F),
    7 = F(5),
    erlang:garbage_collect(),
    40 = G(-2),
    {A, B, count(G)}.

others() ->
    F = adder(id(2)),
    Here = count(F),
    P = spawn_link(fun() -> exit({counted, count(F)}) end),
    There = receive {'EXIT', P, {counted, N}} -> N end,
    Q = spawn_link(fun() -> receive stop -> F(1) end end),
    Both = count(F),
    Q ! stop,
    receive {'EXIT', Q, normal} -> ok end,
    wait_for(fun() -> count(F) end, Here),
    {Here, There, Both}.
%% A process may be gone a little later than it is told.
wait_for(F, Value) -> case F() of Value -> ok; _ -> erlang:yield(), wait_for(F, Value) end.

table(Type) ->
    F = adder(id(3)),
    A = count(F),
    T = ets:new(t, [Type]),
    ets:insert(T, {key, F}), B = count(F),
    [{key, G}] = ets:lookup(T, key), C = count(F),
    ets:insert(T, {other, [F]}), D = count(F),
    4 = G(1),
    ets:delete(T),
    erlang:garbage_collect(),
    {A, B, C, D, count(F)}.

constant() ->
    F = fun(X) -> X end,
    G = F,
    {count(F), count(G), F =:= G}.

%% Messages count where they wait.
waiting() ->
    F = adder(id(4)),
    Q = spawn_link(fun() -> receive stop -> ok end end),
    Q ! F, Q ! {F, F},
    is_process_alive(Q),
    N = count(F),
    Q ! stop,
    receive {'EXIT', Q, normal} -> ok end,
    N.

%% Several ask at once, and processes come and go meanwhile.
many() ->
    F = adder(id(5)),
    Churn = spawn_link(fun churn/0),
    Ps = [spawn_link(fun() -> exit([count(F) || _ <- lists:seq(1, 50)]) end) || _ <- lists:seq(1, 10)],
    Counts = lists:append([receive {'EXIT', P, L} -> L end || P <- Ps]),
    unlink(Churn), exit(Churn, kill),
    {length(Counts), lists:min(Counts) >= 2, lists:max(Counts) =< 12}.
churn() -> [spawn(fun() -> ok end) || _ <- lists:seq(1, 10)], erlang:yield(), churn().
