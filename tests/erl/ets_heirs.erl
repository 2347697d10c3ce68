%% An heir is a process: who gets its pid after it does not inherit, and nobody does when it is dead.
-module(ets_heirs).
-export([main/1]).

main(_Args) ->
    erts_debug:set_internal_state(available_internal_state, true),
    io:format("~p~n", [[{Name, F()} || {Name, F} <- [{reused, fun reused/0}, {reset, fun reset/0}, {many, fun many/0}, {itself, fun itself/0},
                                                     {changed, fun changed/0}, {storm, fun storm/0},
                                                     {order, fun order/0}]]]).

founder(Options) ->
    Me = self(),
    P = spawn(fun() -> Ts = [ets:new(t, [public | O]) || O <- Options], Me ! {tables, Ts}, founder_loop(Ts) end),
    receive {tables, Ts} -> {P, Ts} end.
founder_loop(Ts) ->
    receive {set, T, Os} -> ets:setopts(T, Os), founder_loop(Ts); {sync, To} -> To ! synced, founder_loop(Ts); die -> ok end.
sync(P) -> P ! {sync, self()}, receive synced -> ok end.
ended(P, F) -> M = monitor(process, P), F(), receive {'DOWN', M, _, _, _} -> ok end.
waiter() -> spawn(fun() -> receive die -> ok; {count, To} -> To ! {self(), counted(0)} end end).
counted(N) -> receive {'ETS-TRANSFER', _, _, _} -> counted(N + 1) after 0 -> N end.
die(P) -> ended(P, fun() -> P ! die end).

%% Another process with the pid of a dead one.
with_pid(_, 0) -> none;
with_pid(Pid, Tries) ->
    case waiter() of
        Pid -> Pid;
        Other ->
            die(Other),
            with_pid(Pid, Tries - 1)
    end.

reused() -> reused(100).
reused(0) -> never;
reused(N) ->
    Next = erts_debug:get_internal_state(next_pid),
    First = waiter(),  % has the number that is next
    Heir = waiter(),
    {F, [T]} = founder([[{heir, Heir, data}]]),
    Heir = ets:info(T, heir),
    die(Heir),
    receive after 5 -> ok end,  % a pid is free somewhat later than its process is down, on erl
    erts_debug:set_internal_state(next_pid, Next),
    case with_pid(Heir, 10) of
        none -> die(F), reused(N - 1);
        Heir ->
            die(F), die(First),
            Heir ! {count, self()},
            {ets:info(T), receive {Heir, C} -> C end}
    end.

reset() ->
    [A, B] = [waiter(), waiter()],
    {F, [T, U, V]} = founder([[{heir, A, data}], [{heir, A, data}], []]),
    [F ! S || S <- [{set, T, {heir, B, new}}, {set, U, {heir, none}}, {set, V, {heir, B, late}}]],
    sync(F),
    die(A),
    Heirs = [ets:info(X, heir) =:= B || X <- [T, U, V]],
    die(F),
    Owners = [ets:info(X, owner) =:= B || X <- [T, U, V]],
    B ! {count, self()},
    {Heirs, Owners, receive {B, C} -> C end}.

many() ->
    {F, Ts} = founder([[{heir, self(), I}] || I <- lists:seq(1, 500)]),
    die(F),
    Data = [receive {'ETS-TRANSFER', T, F, D} -> D end || T <- Ts],
    [ets:delete(T) || T <- Ts],
    {lists:sum(Data), lists:usort([ets:info(T) || T <- Ts])}.

itself() ->
    Me = self(),
    P = spawn(fun() -> Me ! {made, ets:new(t, [{heir, self(), data}])}, receive die -> ok end end),
    receive {made, T} -> ok end,
    Before = ets:info(T, heir) =:= P,
    die(P),
    {Before, ets:info(T)}.

%% Who has inherited may name an heir of its own; the heir stays the same where nobody does.
changed() ->
    T = ets:new(t, [public]),
    Heir = waiter(),
    ets:setopts(T, {heir, self(), back}),
    {P, M} = spawn_monitor(fun() -> receive {'ETS-TRANSFER', T, _, _} -> ets:setopts(T, [{heir, Heir, mine}]) end end),
    ets:give_away(T, P, gift),
    receive {'DOWN', M, _, _, Why} -> ok end,
    {Why, ets:info(T, owner) =:= Heir, ets:info(T, heir) =:= Heir}.

%% Heirs and owners end at the same time: a table is somebody's who lives, or gone.
storm() ->
    Pairs = [begin H = waiter(), {F, Ts} = founder([[{heir, H, I}] || I <- lists:seq(1, 5)]), {H, F, Ts} end || _ <- lists:seq(1, 200)],
    Ms = [monitor(process, P) || {H, F, _} <- Pairs, P <- [H, F]],
    [begin H ! die, F ! die end || {H, F, _} <- Pairs],
    [receive {'DOWN', M, _, _, _} -> ok end || M <- Ms],
    lists:usort([ets:info(T) || {_, _, Ts} <- Pairs, T <- Ts]).

%% In the order in which the tables became their owner's, whatever was deleted or given away meanwhile.
order() -> [inherited(Deleted, Lent) || Deleted <- [[], [1], [1, 2, 3], [2, 5], [9], lists:seq(2, 8)], Lent <- [[], [1], [3, 7]]].
inherited(Deleted, Lent) ->
    Me = self(),
    P = spawn(fun() -> receive start -> own(Me, Deleted, Lent) end end),
    ended(P, fun() -> P ! start end),
    transferred().
own(Heir, Deleted, Lent) ->
    Tables = [{N, ets:new(t, [{heir, Heir, N}])} || N <- lists:seq(1, 9)],
    [ets:delete(T) || {N, T} <- Tables, lists:member(N, Deleted)],
    Me = self(),
    [borrowed(Me, T) || {N, T} <- Tables, lists:member(N, Lent), not lists:member(N, Deleted)].
borrowed(Me, T) ->
    P = spawn(fun() -> receive {'ETS-TRANSFER', _, _, _} -> ets:give_away(T, Me, back) end end),
    ets:give_away(T, P, there),
    receive {'ETS-TRANSFER', T, P, back} -> ok end.
transferred() -> receive {'ETS-TRANSFER', _, _, N} -> [N | transferred()] after 0 -> [] end.
