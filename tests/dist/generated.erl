%% Processes on several nodes do random things to each other while connections are cut; what each has seen is held against
%% the semantics of signals. main/1 runs on a hidden node of its own, whose connections are never cut.
%%
%% A round: a few processes a node, some bursts of operations without waiting, between which everybody may be waited for or a
%% connection be cut. Each process keeps a log of what it did and what came, in its order. Everything that one process tells
%% another is numbered. Then, when all is quiet:
%%   order      numbers of one sender never go down, whether messages (by pid or name) or exit signals
%%   loss       nothing is lost where nothing was cut and the receiver lives
%%   end        what a process said before it ended comes before the news of its end
%%   monitors   one 'DOWN' each at most, none after demonitor with flush; one if the other has ended, or the connection was cut
%%              later; none if neither; its reason is what happened
%%   links      'EXIT' with a reason that can be; one if the other has ended or the connection was cut later, unless somebody
%%              unlinked; none without a link
%%   both ends  links and monitors that are left stand at both ends
-module(generated).
-export([main/1, process/2, cutter/0, child/1]).
-define(PATIENCE, 20000).

%% main([Seconds, Seed | Nodes])
main([Seconds, Seed | Nodes]) ->
    [true = net_kernel:connect_node(N) || N <- Nodes],
    {_, Beam, File} = code:get_object_code(?MODULE),
    [{module, ?MODULE} = rpc:call(N, code, load_binary, [?MODULE, File, Beam]) || N <- Nodes],
    rounds(Nodes, Seed, erlang:monotonic_time(second) + Seconds, 0).

rounds(Nodes, Seed, Until, Done) ->
    case erlang:monotonic_time(second) >= Until of
        true -> io:format("generated: ~w rounds~n", [Done]);
        false ->
            rand:seed(exsss, Seed),
            case one_round(Nodes) of
                [] -> rounds(Nodes, Seed + 1, Until, Done + 1);
                Wrong ->
                    io:format("generated: seed ~w~n", [Seed]),
                    [io:format("  ~0p~n", [W]) || W <- Wrong, is_tuple(W)],
                    [io:format("  ~0p~n", [W]) || W <- Wrong, is_list(W)],
                    halt(1)
            end
    end.

%% --- the processes ------------------------------------------------------------------------------------
process(Driver, Name) ->
    process_flag(trap_exit, true),
    register(Name, self()),
    Driver ! {self(), started},
    process_loop([]).
process_loop(Log) ->
    receive
        {do, Driver, Tag, Op} ->
            Did = do(Op),
            Driver ! {Tag, self(), Did},
            case Op of
                {die, Reason} -> exit_with(Log, Driver, Tag, Reason);
                {unlink, To} when is_tuple(Did) -> process_loop([{did, Tag, Op, ok}, {flushed, To, element(2, Did)} | Log]);
                _ -> process_loop([{did, Tag, Op, Did} | Log])
            end;
        {look, Driver} -> Driver ! {self(), lists:reverse(Log), process_info(self(), [links, monitors, monitored_by])}, process_loop(Log);
        {reach, To, Driver} -> To ! {reached, self(), Driver}, process_loop(Log);
        {reached, From, Driver} -> Driver ! {arrived, From, self()}, process_loop(Log);
        Other -> process_loop([Other | Log])
    end.
exit_with(Log, Driver, Tag, Reason) ->
    Driver ! {log, self(), lists:reverse([{did, Tag, die, ok} | Log])},
    exit(Reason).

do({send, To, N}) -> To ! {said, self(), N}, ok;
do({exit, To, N}) -> exit(To, {said, N}), ok;
do({link, To}) -> catch link(To), ok;
%% What was in the queue already came before; among what, nobody knows.
do({unlink, To}) -> unlink(To), receive {'EXIT', To, R} when element(1, R) =/= said -> {flushed, R}; {'EXIT', To, R} when is_atom(R) -> {flushed, R} after 0 -> ok end;
do({monitor, To}) -> monitor(process, To);
do({demonitor, Ref}) -> erlang:demonitor(Ref, [flush]);
do({spawn, Node, N}) -> spawn_monitor(Node, ?MODULE, child, [N]);
do({die, _}) -> ok.
child(N) -> exit({child, N}).
cutter() -> receive {cut, Node, Driver} -> Driver ! {cut, self(), erlang:disconnect_node(Node)}, cutter() end.

%% --- a round ------------------------------------------------------------------------------------------
%% State: clock counts the operations; acked: Tag => {Pid, Did, when}; ops: [{Tag, Pid, Op}]; cuts: [{A, B, when, was
%% there a connection}].
one_round(Nodes) ->
    Self = self(),
    Names = [list_to_atom("p" ++ integer_to_list(K)) || K <- lists:seq(1, 2 + rand:uniform(2))],
    Procs = [{spawn(N, ?MODULE, process, [Self, Name]), {Name, N}} || N <- Nodes, Name <- Names],
    [receive {P, started} -> ok after ?PATIENCE -> exit({not_started, P}) end || {P, _} <- Procs],
    Cutters = [{N, spawn(N, ?MODULE, cutter, [])} || N <- Nodes],
    S0 = #{procs => Procs, clock => 0, ops => [], acked => #{}, cuts => [], cutters => Cutters, dead => #{}, said => #{}, logs => #{}},
    S1 = lists:foldl(fun(_, S) -> step(S) end, S0, lists:seq(1, 3 + rand:uniform(8))),
    S2 = quiet(collect(S1, all)),
    Wrong = look(S2, 20),
    [exit(P, kill) || {P, _} <- Procs], [exit(P, kill) || {_, P} <- Cutters],
    Wrong.

%% News of the end of a connection may be later than what comes over the next one.
look(S, Times) ->
    Looks = [begin P ! {look, self()}, receive {P, Log, Info} -> {P, Log, Info} after ?PATIENCE -> {P, [], none} end end || {P, _} <- alive(S)],
    case [{no_answer, P} || {P, _, none} <- Looks] ++ check(S, Looks) of
        [_ | _] when Times > 0 -> timer:sleep(250), look(S, Times - 1);
        [] -> [];
        Wrong -> Wrong ++ [history(S, Looks, element(2, W), element(3, W)) || W <- Wrong, is_pid(element(2, W)), is_pid(element(3, W))]
    end.

alive(#{procs := Procs, dead := Dead}) -> [P || P = {Pid, _} <- Procs, not is_map_key(Pid, Dead)].

step(S) ->
    case rand:uniform(10) of
        1 -> collect(S, all);
        2 -> cut(S);
        3 -> cut(collect(S, all));
        _ -> lists:foldl(fun(_, A) -> operation(A) end, S, lists:seq(1, rand:uniform(25)))
    end.

tick(S = #{clock := C}) -> {C + 1, S#{clock := C + 1}}.
any(List) -> lists:nth(rand:uniform(length(List)), List).

cut(S = #{cutters := Cutters, cuts := Cuts}) ->
    {A, Pid} = any(Cutters), {B, _} = any(Cutters -- [{A, Pid}]),
    {T, S1} = tick(S),
    Pid ! {cut, B, self()},
    Was = receive {cut, Pid, R} -> R after ?PATIENCE -> exit(no_cut) end,
    S1#{cuts := [{A, B, T, Was} | Cuts]}.

operation(S = #{ops := Ops, dead := Dead, said := Said, acked := Acked}) ->
    case alive(S) of
        [] -> S;
        [_] -> S;
        Alive ->
            {P, _} = any(Alive),
            {To, Named} = any(maps:get(procs, S)),
            {Tag, S1} = tick(S),
            N = maps:get({P, To}, Said, 0) + 1,
            Count = fun(X) -> X#{said := Said#{{P, To} => N}} end,
            {Op, S2} = case rand:uniform(20) of
                _ when P =:= To -> {{spawn, element(2, Named), Tag}, S1};
                K when K =< 5 -> {{send, To, N}, Count(S1)};
                K when K =< 7 -> {{send, Named, N}, Count(S1)};
                8 -> {{exit, To, N}, Count(S1)};
                K when K =< 11 -> {{link, To}, S1};
                K when K =< 13 -> {{unlink, To}, S1};
                K when K =< 16 -> {{monitor, To}, S1};
                K when K =< 18 ->
                    case [R || {_, {Q, R, _}} <- maps:to_list(Acked), Q =:= P, is_reference(R)] of
                        [] -> {{monitor, To}, S1};
                        Refs -> {{demonitor, any(Refs)}, S1}
                    end;
                19 -> {{spawn, element(2, Named), Tag}, S1};
                20 when map_size(Dead) < 3 -> {{die, {died, P}}, S1#{dead := Dead#{P => Tag}}};
                20 -> {{monitor, To}, S1}
            end,
            P ! {do, self(), Tag, Op},
            S2#{ops := [{Tag, P, Op} | Ops]}
    end.

%% Waits until all that was ordered is done.
collect(S = #{ops := Ops, acked := Acked, logs := Logs, dead := Dead}, all) ->
    case [Tag || {Tag, _, _} <- Ops, not is_map_key(Tag, Acked)] of
        [] ->
            case [P || P <- maps:keys(Dead), not is_map_key(P, Logs)] of
                [] -> S;
                [P | _] -> receive {log, P, Log} -> collect(S#{logs := Logs#{P => Log}}, all) after ?PATIENCE -> exit({no_log, P}) end
            end;
        [Tag | _] ->
            receive {Tag, P, Did} -> {T, S1} = tick(S), collect(S1#{acked := Acked#{Tag => {P, Did, T}}}, all)
            after ?PATIENCE -> exit({not_done, lists:keyfind(Tag, 1, Ops)})
            end
    end.

%% Everybody reaches everybody, twice: all that was under way has come. What connects the nodes again has seen the end of
%% what was before.
quiet(S) ->
    Alive = [P || {P, _} <- alive(S)],
    [[reach(P, Q, 5) || P <- Alive, Q <- Alive, P =/= Q] || _ <- [1, 2]],
    timer:sleep(50),
    S.
reach(P, Q, 0) -> exit({not_reached, P, Q});
reach(P, Q, Times) ->
    P ! {reach, Q, self()},
    receive {arrived, P, Q} -> ok after ?PATIENCE div 10 -> reach(P, Q, Times - 1) end.

%% What concerns two processes.
history(S = #{ops := Ops, logs := Logs}, Looks, P, Q) ->
    Between = fun(L, X) -> [E || E <- L, mentions(E, X)] end,
    [{cuts, cuts(S, P, Q)}, {dead, [X || X <- [P, Q], is_dead(S, X)]},
     {ordered, [{Tag, A, Op, element(3, maps:get(Tag, maps:get(acked, S)))} || {Tag, A, Op} <- lists:reverse(Ops), A =:= P orelse A =:= Q, mentions(Op, P) orelse mentions(Op, Q)]}] ++
    [{log, A, Between(L, X)} || {A, X} <- [{P, Q}, {Q, P}], {B, L} <- maps:to_list(Logs) ++ [{B, L} || {B, L, _} <- Looks], A =:= B].
mentions(T, X) when is_tuple(T) -> lists:any(fun(E) -> mentions(E, X) end, tuple_to_list(T));
mentions(T, X) -> T =:= X.

%% --- what must be true --------------------------------------------------------------------------------
check(S = #{logs := Logs}, Looks) ->
    All = maps:to_list(Logs) ++ [{P, Log} || {P, Log, _} <- Looks],
    lists:append([check_process(S, P, Log, lists:keymember(P, 1, Looks)) || {P, Log} <- All] ++ [both_ends(Looks)]).

check_process(S, P, Log, Alive) ->
    Others = [Q || {Q, _} <- maps:get(procs, S), Q =/= P],
    [{order, P, Q, Ns} || Q <- Others, Ns <- [[N || {N, _} <- said(Log, Q)]], Ns =/= lists:usort(Ns)] ++
    [{lost, P, Q, Lost} || Alive, Q <- Others, not was_cut(S, P, Q), Lost <- [sent(S, Q, P) -- [N || {N, _} <- said(Log, Q)]], Lost =/= []] ++
    [{from_nobody, P, Q, N} || Q <- Others, {N, _} <- said(Log, Q), not lists:member(N, sent(S, Q, P))] ++
    [{after_end, P, Q, R} || Q <- Others, R <- said_after_end(Log, Q)] ++
    lists:append([check_monitor(S, P, Log, Alive, M) || M <- monitors(Log)]) ++
    [{down_of_nothing, P, Ref} || {'DOWN', Ref, process, _, _} <- Log, not lists:keymember(Ref, 2, monitors(Log))] ++
    lists:append([check_link(S, P, Log, Alive, Q) || Q <- Others]).

said(Log, Q) ->
    lists:append([case E of {said, Q, N} -> [{N, message}]; {'EXIT', Q, {said, N}} -> [{N, exit}]; _ -> [] end || E <- Log]).
%% An exit signal to a process that traps exits is a message.
sent(#{ops := Ops, procs := Procs}, Q, P) ->
    {_, Named} = lists:keyfind(P, 1, Procs),
    lists:sort([N || {_, From, {Kind, To, N}} <- Ops, From =:= Q, Kind =:= send orelse Kind =:= exit, To =:= P orelse To =:= Named]).
said_after_end(Log, Q) ->
    End = fun({'DOWN', _, process, X, {died, X}}) -> X =:= Q; ({'EXIT', X, {died, X}}) -> X =:= Q; (_) -> false end,
    case lists:dropwhile(fun(E) -> not End(E) end, Log) of [] -> []; [_ | Rest] -> [N || {N, _} <- said(Rest, Q)] end.

cuts(#{cuts := Cuts}, P, Q) ->
    A = node(P), B = if is_atom(Q) -> Q; true -> node(Q) end,
    [C || C = {X, Y, _, _} <- Cuts, {X, Y} =:= {A, B} orelse {X, Y} =:= {B, A}].
was_cut(S, P, Q) -> cuts(S, P, Q) =/= [].
%% One that is not up yet is not cut.
cut_after(S, P, Q, T) -> [C || C = {_, _, Begun, true} <- cuts(S, P, Q), Begun > T] =/= [].
done_at(#{acked := Acked}, Tag) -> {_, _, T} = maps:get(Tag, Acked), T.
is_dead(#{dead := Dead}, Q) -> is_map_key(Q, Dead).

%% [{Tag, Ref, Of}]; of a child as {child, Node, N}: if there is no connection its pid is one here
monitors(Log) ->
    lists:append([case E of
        {did, Tag, {monitor, Q}, Ref} -> [{Tag, Ref, Q}];
        {did, Tag, {spawn, Node, N}, {_, Ref}} -> [{Tag, Ref, {child, Node, N}}];
        _ -> []
    end || E <- Log]).
check_monitor(S, P, Log, Alive, {Tag, Ref, Of}) ->
    Downs = [R || {'DOWN', X, process, _, R} <- Log, X =:= Ref],
    Removed = [x || {did, _, {demonitor, X}, _} <- Log, X =:= Ref] =/= [],
    After = lists:dropwhile(fun({did, _, {demonitor, X}, _}) -> X =/= Ref; (_) -> true end, Log),
    Q = case Of of {child, C, _} -> C; _ -> Of end,
    Over = case Of of {child, _, _} -> true; _ -> is_dead(S, Q) end,
    Why = case Of of {child, _, N} -> [{child, N}]; _ -> [{died, Q}, noproc] end,
    Reasons = [R || R <- Why, Over] ++ [noconnection || was_cut(S, P, Q)],
    [{fired_twice, P, Of, Downs} || length(Downs) > 1] ++
    [{fired_when_removed, P, Of} || {'DOWN', X, process, _, _} <- After, X =:= Ref] ++
    [{reason_of_down, P, Of, R} || R <- Downs, not lists:member(R, Reasons)] ++
    [{not_fired, P, Of} || Alive, Downs =:= [], not Removed, Over orelse cut_after(S, P, Q, done_at(S, Tag))].

check_link(S = #{ops := Ops}, P, Log, Alive, Q) ->
    Exits = [R || {E, X, R} <- Log, E =:= 'EXIT' orelse E =:= flushed, X =:= Q, not is_said(R)],
    Links = [Tag || {Tag, A, {link, B}} <- Ops, {A, B} =:= {P, Q} orelse {A, B} =:= {Q, P}],
    Unlinks = [Tag || {Tag, A, {unlink, B}} <- Ops, {A, B} =:= {P, Q} orelse {A, B} =:= {Q, P}],
    Mine = [Tag || {did, Tag, {link, B}, _} <- Log, B =:= Q],
    Reasons = [R || R <- [{died, Q}, noproc], is_dead(S, Q)] ++ [noconnection || was_cut(S, P, Q)],
    Count = fun(R) -> length([x || X <- Exits, X =:= R]) end,
    [{exit_without_link, P, Q, Exits} || Links =:= [], Exits =/= []] ++
    [{reason_of_exit, P, Q, R} || R <- Exits, not lists:member(R, Reasons)] ++
    [{ended_twice, P, Q} || Count({died, Q}) > 1] ++
    [{too_many_exits, P, Q, Exits} || length(Exits) > length(Links)] ++
    [{not_broken, P, Q} || Alive, Exits =:= [], Unlinks =:= [],
                           lists:any(fun(Tag) -> is_dead(S, Q) orelse cut_after(S, P, Q, done_at(S, Tag)) end, Mine)] ++
    [{exit_when_unlinked, P, Q, Late} || Late <- [exits_after_last_unlink(S, Log, Q, Links)], Late =/= []].
is_said({said, _}) -> true;
is_said(_) -> false.
%% After unlink/1 nothing comes, if nobody links later: every link was made by the same process before. (One that the other
%% made may be under way.)
exits_after_last_unlink(S, Log, Q, Links) ->
    case [Tag || {did, Tag, {unlink, B}, _} <- Log, B =:= Q] of
        [] -> [];
        Tags ->
            Last = lists:last(Tags),
            Mine = fun(L) -> lists:keymember(L, 2, [E || E = {did, _, {link, _}, _} <- Log]) end,
            case lists:all(fun(L) -> Mine(L) andalso done_at(S, L) < Last end, Links) of
                false -> [];
                true ->
                    After = lists:dropwhile(fun({did, T, _, _}) -> T =/= Last; (_) -> true end, Log),
                    [R || {'EXIT', X, R} <- After, X =:= Q, not is_said(R)]
            end
    end.

both_ends(Looks) ->
    Links = [{P, Q} || {P, _, [{links, L} | _]} <- Looks, Q <- L],
    Of = fun(Pid) -> lists:keymember(Pid, 1, Looks) end,
    Monitors = lists:sort([{P, Q} || {P, _, [_, {monitors, Ms} | _]} <- Looks, {process, Q} <- Ms, Of(Q)]),
    Watched = lists:sort([{P, Q} || {Q, _, [_, _, {monitored_by, By}]} <- Looks, P <- By, Of(P)]),
    [{linked_at_one_end, P, Q} || {P, Q} <- Links, Of(Q), not lists:member({Q, P}, Links)] ++
    [{monitors_at_one_end, Monitors -- Watched, Watched -- Monitors} || Monitors =/= Watched].
