%% Runs sequences of what processes do to each other, one step at a time, and tells what came of each.
%%
%% A director has actors do the steps: {Who, Action}. After a step the actor asks everybody whether it is alive,
%% which waits until its signals are there; then the director waits until nothing is under way any more
%% (settle/2): nobody is linked to a dead process, watched by one or still waiting for its 'DOWN'. So what a step
%% does is done before the next, and only what the order of signals promises is told: a mailbox is printed
%% sender by sender, and of a step whose actor died of it only the death.
-module(model_signals).
-export([main/0, main/1, actor/1, waits/0]).

-define(MAX_ACTORS, 8).
-define(LONG, 100000000).

main() -> main([]).
main(_) -> model_runner:loop(fun run/1).

run(Steps) ->
    {Nobody, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    put(nobody, Nobody), put(refs, []), put(actors, []),
    [join(spawn(?MODULE, actor, [self()])) || _ <- [1, 2, 3, 4]],
    Lines = steps(1, Steps),
    Last = [["at the end ", text(P), ": ", text([item(P, K) || K <- items_at_end()]), $\n] || P <- alive()],
    [exit(P, kill) || P <- alive()],
    [died(P) || P <- get(actors)],
    [erlang:cancel_timer(R) || R <- get(refs)],
    [Lines, Last].

items_at_end() -> [messages, links, monitors, monitored_by, trap_exit, registered_name, group_leader, status, suspending].

%% Makes P, which has said that it is there, an actor.
join(P) ->
    receive {born, P} -> ok end,
    put(P, monitor(process, P)),
    put(actors, get(actors) ++ [P]).

steps(_, []) -> [];
steps(N, [{{p, Who}, Action} | Rest]) ->
    P = one_of_the_living(Who),
    Resolved = resolve(Action),
    Living = length(alive()),
    Line = if
               element(1, Action) =:= spawn, Living >= ?MAX_ACTORS -> "enough";
               true -> step(N, P, Resolved)
           end,
    [[integer_to_list(N), " ", text(P), " ", text(Resolved), ": ", Line, $\n] | steps(N + 1, Rest)].

%% Who can do something; when nobody can, somebody new.
one_of_the_living(I) ->
    case [P || P <- alive(), process_info(P, status) =/= {status, suspended}] of
        [] -> join(spawn(?MODULE, actor, [self()])), lists:last(get(actors));
        Living -> lists:nth(I rem length(Living) + 1, Living)
    end.

step(N, P, Action) ->
    Before = [{Q, process_info(Q, [monitors, monitored_by])} || Q <- alive()],
    Ref = make_ref(),
    P ! {do, Ref, self(), N, Action, lists:delete(P, alive())},
    Down = get(P),
    Result = receive {done, Ref, R} -> R; {'DOWN', Down, _, _, _} = D -> self() ! D, gone end,
    born(Action, Result),
    note_refs(Result),
    rang(Action, Result, N),
    Settled = settle(P, Action, Before, 0),
    Deaths = [{Q, died(Q)} || {Q, _} <- Before, not is_process_alive(Q)],
    flush_done(Ref),
    [case lists:keymember(P, 1, Deaths) of true -> "died of it"; false -> text(outcome(Action, Result)) end,
     [[" ", text(Q), " died of ", text(Why)] || {Q, Why} <- Deaths], Settled].

flush_done(Ref) -> receive {done, Ref, _} -> ok after 0 -> ok end.
died(P) ->
    Down = get(P),
    receive {'DOWN', Down, _, _, R} -> put(P, {died, R}), R
    after 0 ->
        case Down of
            {died, R} -> R;
            _ -> receive {'DOWN', Down, _, _, R} -> put(P, {died, R}), R after 10000 -> 'no DOWN' end
        end
    end.

%% Children say that they are there; a request to spawn that is wrong makes none.
born({spawn, {request, bad}, _}, _) -> ok;
born({spawn, _, _}, {raised, _, _, _, _}) -> ok;
born({spawn, _, _}, _) -> receive {born, P} -> self() ! {born, P}, join(P) after 10000 -> exit(no_child) end;
born(_, _) -> ok.

note_refs(R) when is_reference(R) -> case lists:member(R, get(refs)) of false -> put(refs, get(refs) ++ [R]); true -> ok end;
note_refs(T) when is_tuple(T) -> note_refs(tuple_to_list(T));
note_refs([H | T]) -> note_refs(H), note_refs(T);
note_refs(_) -> ok.

%% A timer that is due has rung before the next step: its message is there, if somebody gets it.
rang({timer, _, 0, Dest}, Ref, N) when is_reference(Ref) ->
    rings(fun() -> erlang:read_timer(Ref) =:= false end),
    P = if is_pid(Dest) -> Dest; is_atom(Dest) -> whereis(Dest) end,
    is_pid(P) andalso rings(fun() -> not is_process_alive(P) orelse timed(N, process_info(P, messages)) end);
rang(_, _, _) -> ok.
rings(Has) -> Has() orelse begin erlang:yield(), rings(Has) end.
timed(N, {messages, Ms}) -> lists:any(fun(M) -> M =:= {timer, N} orelse is_tuple(M) andalso element(tuple_size(M), M) =:= {timer, N} end, Ms);
timed(_, undefined) -> true.

alive() -> [P || P <- get(actors), is_process_alive(P)].

%% --- waiting until nothing is under way -----------------------------------------------------------
settle(Who, Action, Before, Turn) ->
    {Alive, Dead} = lists:partition(fun is_process_alive/1, get(actors)),
    Infos = [{P, process_info(P, [status, links, monitors, monitored_by, suspending])} || P <- Alive],
    Suspenders = [Q || {_, I} <- Infos, is_list(I), {Q, _, _} <- proplists:get_value(suspending, I)],
    case [P || {P, I} <- Infos, not settled(P, I, Dead, allowed(P, Who, Action, Before, Dead), Suspenders)] of
        [] -> "";
        _ when Turn < 20000 -> erlang:yield(), settle(Who, Action, Before, Turn + 1);
        Busy -> [" does not settle: ", text([{P, process_info(P, [status, links, monitors, monitored_by])} || P <- Busy])]
    end.

settled(_, undefined, _, _, _) -> false;
settled(P, [{status, S}, {links, L}, {monitors, M}, {monitored_by, By}, _], Dead, Allowed, Suspenders) ->
    (S =:= waiting orelse (S =:= suspended andalso lists:member(P, Suspenders)))
        andalso (S =:= suspended) =:= lists:member(P, Suspenders)
        andalso L -- Dead =:= L andalso By -- Dead =:= By andalso [Q || {process, Q} <- M, lists:member(Q, Dead)] =:= []
        andalso length(M) =< Allowed.

%% How many monitors P can have left: monitors of a name do not tell of whom.
allowed(Who, Who, {Kind, _, _}, _, _) when Kind =:= spawn; Kind =:= batch -> infinity;
allowed(P, Who, Action, Before, Dead) ->
    case lists:keyfind(P, 1, Before) of
        {_, [{monitors, M}, _]} ->
            Ended = length([P || {Q, [_, {monitored_by, By}]} <- Before, lists:member(Q, Dead), W <- By, W =:= P]),
            length(M) - Ended + if P =:= Who, element(2, Action) =:= monitor -> 1; true -> 0 end;
        _ -> infinity
    end.

%% --- telling -----------------------------------------------------------------------------------
names() ->
    Indexed = fun(Letter, L) -> lists:zip(L, [list_to_atom(Letter ++ integer_to_list(I)) || I <- lists:seq(1, length(L))]) end,
    maps:from_list([{self(), director}, {group_leader(), leader}, {get(nobody), nobody}]
                   ++ Indexed("p", get(actors)) ++ Indexed("r", get(refs))).
text(Term) -> model_runner:text(model_runner:name(names(), Term)).

outcome(_, {raised, _, _, _, _} = R) -> R;
outcome({take, _}, Messages) -> by_sender(Messages);
outcome({info, _, _}, R) -> tidied(R);
outcome({batch, _, _}, Rs) -> [tidied(R) || R <- Rs];
outcome({timer, _, _, _}, _) -> set;
outcome(_, R) -> R.

item(P, K) ->
    case process_info(P, K) of
        {K, V} -> {K, tidy(K, V)};
        Other -> Other
    end.
tidied(Items) when is_list(Items) -> [tidied(I) || I <- Items];
tidied({K, V}) -> {K, tidy(K, V)};
tidied(R) -> R.
tidy(messages, Ms) -> by_sender(Ms);
tidy(K, L) when K =:= links; K =:= monitors; K =:= monitored_by; K =:= suspending; K =:= dictionary -> lists:sort(model_runner:name(names(), L));
tidy(_, V) -> V.

%% Messages sender by sender, each sender's in the order they came. What tells that a process is not there comes from
%% nobody, and erl has no order for it.
by_sender(Messages) ->
    Named = [model_runner:name(names(), M) || M <- Messages],
    [{S, [M || M <- Named, sender(M) =:= S]} || S <- lists:usort([sender(M) || M <- Named])].
sender({m, P, _}) -> P;
sender({'EXIT', _, noproc} = M) -> M;
sender({_, _, process, _, noproc} = M) -> M;
sender({'EXIT', P, _}) -> P;
sender({_, _, process, P, _}) when is_atom(P) -> P;
sender(M) -> M.

resolve({p, nobody}) -> get(nobody);
resolve({p, I}) ->
    Latest = lists:sublist(lists:reverse(get(actors)), ?MAX_ACTORS),
    lists:nth(I rem length(Latest) + 1, lists:reverse(Latest));
resolve({r, I}) ->
    case get(refs) of
        [] -> no_reference;
        Refs -> lists:nth(I rem length(Refs) + 1, lists:reverse(Refs))
    end;
resolve(T) when is_tuple(T) -> list_to_tuple(resolve(tuple_to_list(T)));
resolve([H | T]) -> [resolve(H) | resolve(T)];
resolve(here) -> node();
resolve(T) -> T.

%% --- the actors ----------------------------------------------------------------------------------
spawned(Director) -> fun() -> actor(Director) end.

actor(Director) -> Director ! {born, self()}, waits().
waits() ->
    receive
        {do, Ref, Director, N, Action, Others} ->
            put(step, N),
            put(director, Director),
            Result = try act(Action) catch C:R:Stack -> model_runner:raised(C, R, Stack) end,
            case Result of
                {ends, Fun} -> Fun();
                _ ->
                    [is_process_alive(P) || P <- Others],
                    Director ! {done, Ref, Result},
                    case Result of
                        hibernates -> erlang:hibernate(?MODULE, waits, []);
                        _ -> waits()
                    end
            end
    end.

act({send, Dest}) -> Dest ! {m, self(), get(step)}, sent;
act({send, Dest, Options}) -> erlang:send(Dest, {m, self(), get(step)}, Options);
act({call, F, Args}) -> apply(erlang, F, Args);
act({info, P, Key}) -> process_info(P, Key);
act({take, all}) -> take_all();
act({take, {from, P}}) ->
    receive
        {m, P, _} = M -> [M];
        {'EXIT', P, R} = M when R =/= noproc -> [M];
        {_, _, process, P, R} = M when R =/= noproc -> [M]
    after 0 -> [] end;
act({take, {message, P}}) -> receive {m, P, _} = M -> [M] after 0 -> [] end;
act({take, {about, Ref}}) -> receive {_, Ref, _, _, _} = M -> [M]; {_, Ref, _, _} = M -> [M] after 0 -> [] end;
act({hibernate}) -> hibernates;
act({die, error, R}) -> {ends, fun() -> error(R) end};
act({die, exit, R}) -> {ends, fun() -> exit(R) end};
act({die, throw, R}) -> {ends, fun() -> throw(R) end};
act({die, heap, _}) ->
    {ends, fun() ->
        process_flag(max_heap_size, #{size => 10000, kill => true, error_logger => false}),
        length(lists:seq(1, 100000))
    end};
act({die, return, _}) -> {ends, fun() -> ok end};
act({batch, Target, Actions}) ->
    process_flag(trap_exit, true),
    [try act(at(Target, A)) catch C:R:Stack -> model_runner:raised(C, R, Stack) end || A <- without_race(Actions)];
act({gc, P}) ->
    async = erlang:garbage_collect(P, [{async, self()}]),
    receive {garbage_collect, Me, R} when Me =:= self() -> R after 10000 -> no_answer end;
act({code, P}) ->
    async = erlang:check_process_code(P, model_runner, [{async, self()}]),
    receive {check_process_code, Me, R} when Me =:= self() -> R after 10000 -> no_answer end;
act({suspend_later, P}) when P =/= self() ->
    true = erlang:suspend_process(P, [{asynchronous, self()}]),
    receive {Me, R} when Me =:= self() -> R after 10000 -> no_answer end;
act({suspend_later, _}) -> myself;
act({cancel, Ref, Options}) ->
    case erlang:cancel_timer(Ref, Options) of
        ok ->
            case proplists:get_value(info, Options, true) of
                true -> receive {cancel_timer, Ref, R} -> {later, left(R)} after 10000 -> no_answer end;
                false -> ok
            end;
        R -> left(R)
    end;
act({read_timer, Ref}) -> left(erlang:read_timer(Ref));
act({timer, Kind, Time, Dest}) -> erlang:Kind(case Time of long -> ?LONG; _ -> Time end, Dest, {timer, get(step)});
act({spawn, Form, Options}) -> spawns(Form, Options).

%% Whether unlinking is in time for an exit that was asked for before, or linking is too late for it, nobody knows.
without_race(Actions) ->
    {Before, After} = lists:splitwith(fun(A) -> element(2, A) =/= exit end, [{element(1, A), element(2, A), A} || A <- Actions]),
    [A || {_, _, A} <- Before] ++ [A || {_, What, A} <- After, What =/= unlink, What =/= link].

left(R) when is_integer(R) -> ms;
left(R) -> R.

%% A batch is about one process: 'it'.
at(P, it) -> P;
at(P, T) when is_tuple(T) -> list_to_tuple(at(P, tuple_to_list(T)));
at(P, [H | T]) -> [at(P, H) | at(P, T)];
at(_, T) -> T.

take_all() -> receive M -> [M | take_all()] after 0 -> [] end.

spawns(spawn, _) -> spawn(spawned(get(director)));
spawns(spawn3, _) -> spawn(?MODULE, actor, [get(director)]);
spawns(link, _) -> spawn_link(?MODULE, actor, [get(director)]);
spawns(monitor, _) -> spawn_monitor(spawned(get(director)));
spawns(opt, Options) -> spawn_opt(?MODULE, actor, [get(director)], Options);
spawns(optfun, Options) -> spawn_opt(spawned(get(director)), Options);
spawns({request, _}, Options) -> spawn_request(?MODULE, actor, [get(director)], Options).
