%% Who hears of a process' end, also when it asks late, finds none of its tables and not its name.
-module(down_after_tables).
-export([main/1]).

main(_) ->
    io:format("killed, then monitored: ~p~n", [count(200, fun monitored/2)]),
    io:format("killed, then linked: ~p~n", [count(200, fun linked/2)]),
    io:format("killed, then asked: ~p~n", [count(200, fun asked/2)]),
    io:format("left over: ~p~n", [[T || T <- ets:all(), T =:= owned]]).

count(N, F) -> lists:sum([free_after(F, 2000, K rem 50 * 200) || K <- lists:seq(1, N)]).
spin(0) -> ok;
spin(N) -> spin(N - 1).

%% 0 if its name is free, and all its tables are gone.
free_after(F, Size, Later) ->
    Self = self(),
    P = spawn(fun() ->
        register(owner, self()),
        Ts = [ets:new(owned, [public]) || _ <- lists:seq(1, 10)] ++ [ets:new(owned, [named_table, public])],
        [ets:insert(T, {K, lists:seq(1, 10)}) || K <- lists:seq(1, Size div 10), T <- Ts],
        Self ! {ready, Ts},
        receive never -> ok end
    end),
    Tables = receive {ready, Ts} -> Ts end,
    exit(P, kill),
    spin(Later),  % it is in the middle of ending
    ok = F(P, Size),
    Left = [T || T <- Tables, ets:info(T, owner) =/= undefined] ++ [T || T <- ets:all(), lists:member(T, Tables)],
    try
        true = register(owner, self()),
        owned = ets:new(owned, [named_table]),
        ets:delete(owned),
        unregister(owner),
        length(Left)
    catch error:_ -> catch unregister(owner), 1
    end.

monitored(P, _) ->
    Ref = monitor(process, P),
    receive {'DOWN', Ref, process, P, _} -> ok end.

linked(P, _) ->
    process_flag(trap_exit, true),
    link(P),
    receive {'EXIT', P, _} -> ok end,
    process_flag(trap_exit, false),
    ok.

asked(P, _) ->
    case is_process_alive(P) of
        false -> ok;
        true -> asked(P, 0)
    end.
