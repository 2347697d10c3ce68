%% Code that is replaced and purged while all run it: calls between modules, funs, processes that stay in
%% it, that are just beginning, that catch; whoever is in purged code is killed, nobody else is.
%% args: 2
%% args gc-stress: 1
%% args seeds: 1
-module(torture_code).
-export([main/1]).

main([Size]) ->
    N = list_to_integer(Size) * list_to_integer(os:getenv("WB_TORTURE", "1")),
    process_flag(trap_exit, true),
    Beams = list_to_tuple([beam(V) || V <- lists:seq(1, 3)]),
    load(Beams, 1),
    [io:format("~p: ~p~n", [Name, F(Beams, N)]) || {Name, F} <- [
        {callers, fun callers/2}, {funs, fun funs/2}, {soft, fun soft/2}, {beginners, fun beginners/2},
        {stayers, fun stayers/2}, {deleted, fun deleted/2}, {loaders, fun loaders/2}, {natives, fun natives/2}]],
    io:format("works: ~p~n", [element(1, hot:call(1))]).

beam(V) ->
    Forms = [begin {ok, T, _} = erl_scan:string(L), {ok, F} = erl_parse:parse_form(T), F end || L <- [
        "-module(hot).", "-export([call/1, make/0, loop/1, make_only/0, begin_here/2, deep/1, natives/2]).",
        "call(X) -> {version, " ++ integer_to_list(V) ++ ", X, literal()}.",
        "literal() -> {a, \"literal\", <<\"of version " ++ integer_to_list(V) ++ "\">>}.",
        "make() -> V = self(), fun(X) -> {fun_of, " ++ integer_to_list(V) ++ ", V, X} end.",
        "make_only() -> fun(X) -> only_" ++ integer_to_list(V) ++ "(X) end.",
        "only_" ++ integer_to_list(V) ++ "(X) -> {only, X, " ++ integer_to_list(V) ++ "}.",
        "loop(P) -> receive stop -> ok; {ask, From} -> From ! {here, self(), " ++ integer_to_list(V) ++ "}, loop(P) after 1 -> loop(P) end.",
        "natives(To, {N, L, S} = X) -> _ = integer_to_list(N), _ = lists:reverse(L, []), _ = erlang:phash2(L),"
        "  _ = re:run(S, \"(a+)+b\"), case length(L) of Len when Len > 0 -> To ! {round, self(), Len} end, natives(To, X).",
        "begin_here(To, X) -> To ! {begun, X, " ++ integer_to_list(V) ++ "}.",
        "deep(0) -> erlang:yield(), 0; deep(N) -> 1 + (try deep(N - 1) catch throw:_ -> 0 end)."]],
    {ok, hot, Beam} = compile:forms(Forms, [binary]),
    Beam.

load(Beams, N) ->
    purge(),
    {module, hot} = erlang:load_module(hot, element(1 + N rem 3, Beams)).

purge() -> erlang:check_old_code(hot) andalso erlang:purge_module(hot).

%% While F runs in five processes, the module is replaced again and again. What went wrong.
replacing(Beams, N, F) ->
    Stop = atomics:new(1, []),
    Refs = [element(2, spawn_monitor(fun() -> again(Stop, F, I) end)) || I <- lists:seq(1, 5)],
    [begin load(Beams, K), erlang:yield() end || K <- lists:seq(1, N)],
    atomics:put(Stop, 1, 1),
    lists:usort([Why || R <- Refs, Why <- [receive {'DOWN', R, _, _, W} -> W end], Why =/= ok]).
again(Stop, F, I) ->
    case atomics:get(Stop, 1) of
        1 -> exit(ok);
        0 -> F(I), again(Stop, F, I + 1)
    end.

%% External calls always find a version; between purge and load nobody is without.
callers(Beams, N) ->
    Bad = replacing(Beams, N, fun(I) ->
        {version, V, I, {a, "literal", Text}} = hot:call(I),
        V = binary:last(Text) - $0,
        20 = hot_deep(20)
    end),
    %% Who is deep in old code when it is purged is killed; nothing else may happen to anybody.
    [B || B <- Bad, B =/= killed].
hot_deep(N) -> hot:deep(N).

%% Funs made by one version and called under another, while their code is purged.
funs(Beams, N) ->
    Box = ets:new(box, [public]),
    Bad = replacing(Beams, N, fun(I) ->
        ets:insert(Box, [{I rem 11, hot:make()}, {{only, I rem 7}, hot:make_only()}]),
        [call(F, I) || {_, F} <- ets:tab2list(Box)]
    end),
    ets:delete(Box),
    [B || B <- Bad, B =/= killed].
call(F, I) ->
    try F(I) of
        {fun_of, V, P, I} when is_integer(V), is_pid(P) -> ok;
        {only, I, V} when is_integer(V) -> ok
    catch
        error:{badfun, F} -> ok;  % of a version that is gone
        error:undef -> ok
    end.

%% soft_purge kills nobody.
soft(Beams, N) ->
    Stop = atomics:new(1, []),
    Refs = [element(2, spawn_monitor(fun() -> again(Stop, fun(X) -> F = hot:make(), 10 = hot:deep(10), call(F, X) end, I) end)) || I <- lists:seq(1, 4)],
    [begin
        case code:soft_purge(hot) of
            true -> erlang:load_module(hot, element(1 + K rem 3, Beams));
            false -> erlang:yield()
        end
    end || K <- lists:seq(1, N)],
    atomics:put(Stop, 1, 1),
    lists:usort([Why || R <- Refs, Why <- [receive {'DOWN', R, _, _, W} -> W end], Why =/= ok]).

%% Processes that are to begin in the module do begin, whichever version it is then.
beginners(Beams, N) ->
    Bad = replacing(Beams, N, fun(I) ->
        {P, R} = spawn_monitor(hot, begin_here, [self(), I]),
        receive {begun, I, V} when is_integer(V) -> ok; {'DOWN', R, process, P, killed} -> ok end,
        demonitor(R, [flush]),
        receive {begun, I, _} -> ok after 0 -> ok end
    end),
    [B || B <- Bad, B =/= killed].

%% Who stays in old code is killed by the purge, and hears nothing of a mere load.
stayers(Beams, N) ->
    lists:usort(lists:append([begin
        load(Beams, K),
        {P, Ref} = spawn_monitor(hot, loop, [self()]),
        P ! {ask, self()},
        receive {here, P, V} -> ok end,
        {module, hot} = begin erlang:purge_module(hot), erlang:load_module(hot, element(1 + (K + 1) rem 3, Beams)) end,
        P ! {ask, self()},
        receive {here, P, V} -> ok end,
        true = erlang:check_process_code(P, hot),
        false = code:soft_purge(hot),
        true = erlang:purge_module(hot),
        receive {'DOWN', Ref, process, P, killed} -> []; {'DOWN', Ref, process, P, Other} -> [Other] end
    end || K <- lists:seq(1, N)])).

%% Deleted and loaded again: callers get undef meanwhile (the module is not on the path), or an answer.
deleted(Beams, N) ->
    Stop = atomics:new(1, []),
    Refs = [element(2, spawn_monitor(fun() -> again(Stop, fun(X) -> try {version, _, X, _} = hot:call(X) catch error:undef -> ok end end, I) end)) || I <- lists:seq(1, 4)],
    [begin purge(), erlang:delete_module(hot), erlang:yield(), purge(), erlang:load_module(hot, element(1 + K rem 3, Beams)) end || K <- lists:seq(1, N)],
    atomics:put(Stop, 1, 1),
    [W || W <- lists:usort([Why || R <- Refs, Why <- [receive {'DOWN', R, _, _, W0} -> W0 end], Why =/= ok]), W =/= killed].

%% Several load at once: each gets what the rules allow.
loaders(Beams, N) ->
    Refs = [element(2, spawn_monitor(fun() -> exit(loader(Beams, I, N)) end)) || I <- lists:seq(1, 4)],
    Bad = lists:usort([Why || R <- Refs, Why <- [receive {'DOWN', R, _, _, W} -> W end], Why =/= ok]),
    load(Beams, 1),
    Bad.
loader(_, _, 0) -> ok;
loader(Beams, I, N) ->
    catch erlang:purge_module(hot),
    case erlang:load_module(hot, element(1 + (I + N) rem 3, Beams)) of
        {module, hot} -> loader(Beams, I, N - 1);
        {error, not_purged} -> loader(Beams, I, N - 1)
    end.

%% Who is in the middle of a long native function is killed, too; what works for it finds its code.
natives(Beams, N) ->
    Me = self(),
    X = {binary:decode_unsigned(binary:copy(<<"0123456789">>, 500)), lists:seq(1, 10000), binary:copy(<<"a">>, 20)},
    Whys = [begin
                load(Beams, K),
                Ps = [spawn_monitor(fun() -> hot:natives(Me, X) end) || _ <- [1, 2, 3]],
                [receive {round, P, 10000} -> ok end || {P, _} <- Ps],
                load(Beams, K + 1), pause(K), purge(),
                [receive {'DOWN', M, _, P, Why} -> flush(P), Why end || {P, M} <- Ps]
            end || K <- lists:seq(1, N + 1)],
    lists:usort(lists:append(Whys)).
pause(0) -> ok;
pause(K) -> erlang:yield(), pause(K - 1).
flush(P) -> receive {round, P, _} -> flush(P) after 0 -> ok end.
