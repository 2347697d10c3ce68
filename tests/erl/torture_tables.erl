%% ETS tables that many read, write, traverse, fix, give away and delete at the same time.
%% args: 6
%% args gc-stress: 1
-module(torture_tables).
-export([main/1]).

main([Size]) ->
    N = list_to_integer(Size) * list_to_integer(os:getenv("WB_TORTURE", "1")),
    process_flag(trap_exit, true),
    [io:format("~p: ~p~n", [Name, F(N)]) || {Name, F} <- [
        {counting, fun counting/1}, {fixed, fun fixed/1}, {moving, fun moving/1}, {grow_shrink, fun grow_shrink/1},
        {owner_dies, fun owner_dies/1}, {heirs, fun heirs/1}, {given, fun given/1}, {named, fun named/1},
        {bags, fun bags/1}, {atomic_inserts, fun atomic_inserts/1}, {emptied, fun emptied/1}, {take, fun take/1},
        {fixer_dies, fun fixer_dies/1}]],
    T = ets:all(),
    timer:sleep(1),
    io:format("left over: ~p~n", [[X || X <- T, ets:info(X, owner) =:= self()]]).

types() -> [set, ordered_set, bag, duplicate_bag].
options() -> [[], [{write_concurrency, true}], [{read_concurrency, true}], [{write_concurrency, auto}, {decentralized_counters, true}]].
tables(Types) -> [ets:new(t, [public, T | O]) || T <- Types, O <- options()].

%% Runs the functions in a process each; what went wrong.
all(Fs) ->
    Refs = [element(2, spawn_monitor(fun() -> exit(F()) end)) || F <- Fs],
    lists:usort([Why || R <- Refs, Why <- [receive {'DOWN', R, _, _, W} -> W end], Why =/= ok]).
check(Fs) -> lists:usort(lists:append(Fs)).
expect(X, X) -> [];
expect(X, Y) -> [{X, Y}].
repeat(0, _) -> ok;
repeat(N, F) -> F(N), repeat(N - 1, F).
times(N, F) -> repeat(N, F), ok.

%% Nothing that is counted is lost.
counting(N) ->
    check([begin
        Bad = all([fun() -> times(N * 5, fun(K) -> ets:update_counter(T, K rem 7, {2, 1}, {K rem 7, 0}) end) end || _ <- lists:seq(1, 6)]
                  ++ [fun() -> times(N, fun(K) -> ets:insert(T, {{W, K}, 0}), ets:delete(T, {W, K}) end) end || W <- [a, b]]),
        Sum = lists:sum([C || {K, C} <- ets:tab2list(T), is_integer(K)]),
        Size = ets:info(T, size),
        ets:delete(T),
        Bad ++ expect({N * 30, 7}, {Sum, Size})
    end || T <- tables([set, ordered_set])]).

%% A fixed table loses nobody's place: who walks it by keys sees every object that stays, once.
fixed(N) ->
    check([begin
        [ets:insert(T, {{stays, K}, K}) || K <- lists:seq(1, 50)],
        Walk = fun() -> times(N div 4, fun(_) ->
            ets:safe_fixtable(T, true),
            Keys = walk(T, ets:first(T)),
            ets:safe_fixtable(T, false),
            Stays = [K || {stays, K} <- Keys],
            [] = lists:seq(1, 50) -- Stays,
            50 = length(lists:usort(Stays))
        end) end,
        Change = fun(W) -> fun() -> times(N * 3, fun(K) -> ets:insert(T, {{W, K rem 40}, K}), ets:delete(T, {W, (K + 20) rem 40}) end) end end,
        Bad = all([Walk, Walk, Change(a), Change(b), fun() -> times(N div 4, fun(_) -> 50 = length(ets:select(T, [{{{stays, '$1'}, '_'}, [], ['$1']}])) end) end]),
        Left = length([K || {{stays, K}, _} <- ets:tab2list(T)]),
        Fixed = ets:info(T, safe_fixed),
        ets:delete(T),
        Bad ++ expect({50, false}, {Left, Fixed})
    end || T <- tables(types())]).
walk(_, '$end_of_table') -> [];
walk(T, Key) -> [Key | walk(T, ets:next(T, Key))].

%% Selecting in portions while the table changes.
moving(N) ->
    check([begin
        [ets:insert(T, {K, lists:duplicate(K rem 9, K)}) || K <- lists:seq(1, 200)],
        Portions = fun() -> times(N div 6, fun(P) ->
            ets:safe_fixtable(T, true),
            Found = portions(ets:select(T, [{{'$1', '_'}, [{'=<', '$1', 200}], ['$1']}], 1 + P)),
            ets:safe_fixtable(T, false),
            200 = length(lists:usort(Found))
        end) end,
        Delete = fun() -> times(N, fun(K) -> [ets:insert(T, {200 + I, K}) || I <- lists:seq(1, 10)], ets:select_delete(T, [{{'$1', '_'}, [{'>', '$1', 200}], [true]}]) end) end,
        Replace = fun() -> times(N, fun(_) -> ets:info(T, type) =:= bag orelse ets:select_replace(T, [{{'$1', '$2'}, [{'<', '$1', 20}], [{{'$1', {{'$2'}}}}]}]), ets:insert(T, {3, x}) end) end,
        Bad = all([Portions, Portions, Delete] ++ [Replace || ets:info(T, type) =:= set orelse ets:info(T, type) =:= ordered_set]),
        ets:delete(T),
        Bad
    end || T <- tables([set, ordered_set, bag])]).
portions('$end_of_table') -> [];
portions({Found, More}) -> Found ++ portions(ets:select(More)).

grow_shrink(N) ->
    check([begin
        Bad = all([fun() -> times(N div 10 + 1, fun(_) ->
            [ets:insert(T, {{W, K}, <<K:64>>}) || K <- lists:seq(1, 300)],
            [[{_, <<K:64>>}] = ets:lookup(T, {W, K}) || K <- lists:seq(1, 300)],
            [ets:delete(T, {W, K}) || K <- lists:seq(1, 300)]
        end) end || W <- lists:seq(1, 4)]),
        Size = ets:info(T, size),
        ets:delete(T),
        Bad ++ expect(0, Size)
    end || T <- tables([set, ordered_set])]).

%% The owner ends while others are at work in its table: they get badarg, nothing worse.
owner_dies(N) ->
    Me = self(),
    check([begin
        {Owner, Ref} = spawn_monitor(fun() ->
            T = ets:new(shared, [public, element(1 + I rem 4, list_to_tuple(types()))]),
            [ets:insert(T, {K, K}) || K <- lists:seq(1, 200)],
            Me ! {table, T},
            receive go -> ok end
        end),
        receive {table, T} -> ok end,
        Users = [fun() -> user(T, W, 1) end || W <- lists:seq(1, 4)],
        Wait = spawn_monitor(fun() -> exit(all(Users)) end),
        repeat(I rem 7, fun(_) -> erlang:yield() end),
        Owner ! go,
        receive {'DOWN', Ref, _, _, _} -> ok end,
        Gone = {ets:info(T), ets:whereis(shared)},
        Bad = receive {'DOWN', R, _, _, Why} when R =:= element(2, Wait) -> Why end,
        Bad ++ expect({undefined, undefined}, Gone)
    end || I <- lists:seq(1, N)]).
user(T, W, K) ->
    try
        case W of
            1 -> ets:insert(T, {{new, K rem 100}, K});
            2 -> ets:safe_fixtable(T, true), ets:first(T), ets:safe_fixtable(T, false);
            3 -> ets:select_count(T, [{{'$1', '_'}, [{is_integer, '$1'}], [true]}]);
            4 -> ets:delete(T, K), ets:info(T, memory), ets:tab2list(T)
        end
    of _ -> user(T, W, K + 1)
    catch error:badarg -> ok
    end.

%% An heir gets the table and is told, wherever the owner ends.
heirs(N) ->
    Me = self(),
    check([begin
        {P, Ref} = spawn_monitor(fun() -> T = ets:new(x, [{heir, Me, I}]), ets:insert(T, {key, I}), exit({made, T}) end),
        T = receive {'DOWN', Ref, _, _, {made, Tab}} -> Tab end,
        receive {'ETS-TRANSFER', T, P, I} -> ok end,
        Found = {ets:lookup(T, key), ets:info(T, owner) =:= Me},
        ets:delete(T),
        expect({[{key, I}], true}, Found)
    end || I <- lists:seq(1, N * 20)]).

%% Given to somebody who is ending, while a third deletes it.
given(N) ->
    check([begin
        Before = length(ets:all()),
        Bad = all([fun() ->
            T = ets:new(x, [public]),
            To = spawn(fun() -> repeat(I rem 5, fun(_) -> erlang:yield() end) end),
            {_, Ref} = spawn_monitor(fun() -> repeat((I + J) rem 7, fun(_) -> erlang:yield() end), try ets:delete(T) catch error:badarg -> ok end end),
            repeat(J rem 5, fun(_) -> erlang:yield() end),
            try ets:give_away(T, To, gift) catch error:badarg -> ok end,
            receive {'DOWN', Ref, _, _, _} -> ok end,
            gone(To, T)
        end || J <- lists:seq(1, 8)]),
        Bad ++ expect(true, length(ets:all()) =< Before)
    end || I <- lists:seq(1, N * 3)]).
gone(To, T) ->
    Ref = monitor(process, To),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    case ets:info(T, owner) of undefined -> ok; Me when Me =:= self() -> ets:delete(T), ok; Other -> {owned, Other} end.

%% A name is one table's at a time.
named(N) ->
    Bad = all([fun() -> times(N * 20, fun(K) ->
        try ets:new(the_table, [named_table, public, element(1 + (K + W) rem 4, list_to_tuple(types()))]) of
            the_table -> try ets:insert(the_table, {me, self()}), ets:lookup(the_table, me) catch error:badarg -> ok end
        catch error:badarg -> try ets:insert(the_table, {other, K}), ets:tab2list(the_table), ets:info(the_table, size), ets:rename(the_table, other_name) catch error:badarg -> ok end
        end,
        [try ets:delete(T) catch error:badarg -> ok end || T <- [the_table, other_name]]
    end) end || W <- lists:seq(1, 6)]),
    Bad ++ expect({undefined, undefined}, {ets:whereis(the_table), ets:whereis(other_name)}).

bags(N) ->
    check([begin
        Bad = all([fun() -> times(N * 2, fun(K) -> ets:insert(T, {key, {W, K}}), ets:lookup(T, key), ets:delete_object(T, {key, {W, K - 3}}) end) end || W <- lists:seq(1, 4)]),
        Left = lists:sort([X || {_, X} <- ets:lookup(T, key)]),
        ets:delete(T),
        %% times counts down, so what each one inserted has never been deleted before.
        Bad ++ expect(lists:sort([{W, K} || W <- lists:seq(1, 4), K <- lists:seq(1, N * 2)]), Left)
    end || T <- tables([bag, duplicate_bag])]).

%% A list goes in at once for everyone who looks.
atomic_inserts(N) ->
    check([begin
        ets:insert(T, [{K, 0} || K <- lists:seq(1, 8)]),
        Bad = all([fun() -> times(N * 2, fun(X) -> ets:insert(T, [{K, {W, X}} || K <- lists:seq(1, 8)]) end) end || W <- [1, 2]]
                  ++ [fun() -> times(N * 2, fun(X) -> ets:insert_new(T, [{5, X}, {{new, W}, X}]) =:= false orelse exit(inserted) end) end || W <- [1, 2]]),
        Values = lists:usort([V || {_, V} <- ets:tab2list(T)]),
        ets:delete(T),
        Bad ++ expect(1, length(Values))
    end || T <- tables([set, ordered_set])]).

emptied(N) ->
    check([begin
        Bad = all([fun() -> times(N, fun(K) -> ets:insert(T, {K, W}), ets:insert(T, {{K, W}, K}) end) end || W <- [1, 2]]
                  ++ [fun() -> times(N, fun(_) -> ets:delete_all_objects(T) end) end]
                  ++ [fun() -> times(N, fun(K) -> ets:match_delete(T, {K, '_'}), ets:tab2list(T), ets:foldl(fun(_, A) -> A + 1 end, 0, T) end) end]),
        ets:delete_all_objects(T),
        Left = {ets:info(T, size), ets:tab2list(T), ets:first(T)},
        ets:delete(T),
        Bad ++ expect({0, [], '$end_of_table'}, Left)
    end || T <- tables(types())]).

%% Each object is taken by exactly one.
take(N) ->
    check([begin
        [ets:insert(T, {K, K}) || K <- lists:seq(1, N * 4)],
        Taken = counters:new(1, []),
        Bad = all([fun() -> times(N * 4, fun(K) -> counters:add(Taken, 1, length(ets:take(T, K))) end) end || _ <- lists:seq(1, 4)]),
        Left = ets:info(T, size),
        ets:delete(T),
        Bad ++ expect({N * 4, 0}, {counters:get(Taken, 1), Left})
    end || T <- tables(types())]).

%% Who fixes and ends leaves nothing fixed; what was deleted meanwhile goes.
fixer_dies(N) ->
    check([begin
        [ets:insert(T, {K, K}) || K <- lists:seq(1, 100)],
        Fixers = [fun() -> ets:safe_fixtable(T, true), ets:safe_fixtable(T, true), ets:first(T), repeat(K rem 4, fun(_) -> erlang:yield() end), ok end || K <- lists:seq(1, N div 2)],
        Deleter = fun() -> times(100, fun(K) -> ets:delete(T, K), K rem 10 =:= 0 andalso erlang:yield() end) end,
        Bad = all([Deleter | Fixers]),
        Left = {ets:info(T, safe_fixed), ets:info(T, size), ets:tab2list(T)},
        ets:delete(T),
        Bad ++ expect({false, 0, []}, Left)
    end || T <- tables(types())]).
