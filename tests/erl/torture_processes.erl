%% Processes that end while others monitor, name, ask, suspend and write to them, on all cores at once.
%% Nobody may miss an end, hear of it twice, or find something of a process whose 'DOWN' it has seen.
%% args: 100
%% args gc-stress: 20
-module(torture_processes).
-export([main/1]).

main([Size]) ->
    N = list_to_integer(Size) * list_to_integer(os:getenv("WB_TORTURE", "1")),
    [io:format("~p: ~p~n", [Name, F(N)]) || {Name, F} <- [
        {monitors, fun monitors/1}, {demonitors, fun demonitors/1}, {many_watchers, fun many_watchers/1},
        {names, fun names/1}, {one_name, fun one_name/1}, {infos, fun infos/1}, {suspends, fun suspends/1},
        {aliases, fun aliases/1}, {order, fun order/1}, {kills, fun kills/1}, {spawns, fun spawns/1},
        {group_leaders, fun group_leaders/1}, {collections, fun collections/1}]].

%% Runs F(I) in a process each, at most 16 at a time; the results that are not ok.
each(N, F) -> each(1, N, F, 0, []).
each(I, N, _, 0, Bad) when I > N -> lists:usort(Bad);
each(I, N, F, Running, Bad) when I =< N, Running < 16 ->
    spawn_monitor(fun() -> exit(F(I)) end),
    each(I + 1, N, F, Running + 1, Bad);
each(I, N, F, Running, Bad) ->
    receive
        {'DOWN', _, process, _, ok} -> each(I, N, F, Running - 1, Bad);
        {'DOWN', _, process, _, Other} -> each(I, N, F, Running - 1, [Other | Bad])
    end.

spin(0) -> ok;
spin(N) -> erlang:yield(), spin(N - 1).

down(Ref) -> receive {'DOWN', Ref, process, _, Why} -> Why end.
expect(X, X) -> ok;
expect(X, Y) -> {X, Y}.

%% A monitor fires once, with the reason or noproc.
monitors(N) ->
    each(N, fun(I) ->
        P = spawn(fun() -> spin(I rem 40), exit(boom) end),
        Refs = [begin spin(I rem 5), monitor(process, P) end || _ <- lists:seq(1, 10)],
        Whys = [down(R) || R <- Refs],
        Extra = receive M -> M after 0 -> none end,
        %% Once it was gone it stays so.
        expect({[], none}, {[W || W <- lists:dropwhile(fun(W) -> W =:= boom end, Whys), W =/= noproc], Extra})
    end).

%% After demonitor with flush nothing comes; the answer of info says whether it was there.
demonitors(N) ->
    each(N, fun(I) ->
        P = spawn(fun() -> spin(I rem 20), exit(boom) end),
        Ref = monitor(process, P),
        Other = monitor(process, P),
        spin(I rem 23),
        case demonitor(Ref, [info]) of
            true -> down(Other), receive {'DOWN', Ref, _, _, _} -> heard after 0 -> ok end;
            false -> boom = down(Ref), demonitor(Other, [flush]), receive M -> M after 0 -> ok end
        end
    end).

many_watchers(N) ->
    each(N div 20, fun(I) ->
        Me = self(),
        P = spawn(fun() -> receive go -> spin(I), exit(boom) end end),
        Watchers = [spawn_monitor(fun() -> R = monitor(process, P), Me ! ready, Me ! {why, down(R)} end) || _ <- lists:seq(1, 60)],
        [receive ready -> ok end || _ <- lists:seq(1, 30)],
        P ! go,
        Whys = [receive {why, W} -> W end || _ <- Watchers],
        [normal = down(R) || {_, R} <- Watchers],
        expect({60, []}, {length(Whys), [W || W <- Whys, W =/= boom, W =/= noproc]})
    end).

%% A name goes with its process, and never to somebody else's loss.
names(N) ->
    each(N, fun(I) ->
        Name = list_to_atom("torture_" ++ integer_to_list(I rem 16)),
        {P, Ref} = spawn_monitor(fun() -> try register(Name, self()) of true -> spin(I rem 7) catch error:badarg -> ok end end),
        spin(I rem 5),
        Seen = whereis(Name),
        try Name ! hello, unregister(Name) catch error:badarg -> ok end,
        down(Ref),
        Late = whereis(Name),
        expect({true, true, undefined}, {Seen =:= undefined orelse is_pid(Seen), Late =/= P, process_info(P, registered_name)})
    end).

%% Many want one name: one has it at a time, and it is free when its 'DOWN' has come.
one_name(N) ->
    Holders = atomics:new(1, []),
    each(N, fun(_) ->
        {_, Ref} = spawn_monitor(fun() -> hold(Holders) end),
        down(Ref)
    end).
hold(Holders) ->
    try register(the_one, self()) of
        true ->
            1 = atomics:add_get(Holders, 1, 1),
            Me = self(), Me = whereis(the_one),
            spin(3),
            Me = whereis(the_one),
            atomics:sub(Holders, 1, 1),
            case erlang:phash2(make_ref(), 2) of 0 -> unregister(the_one); 1 -> ok end,
            exit(ok)
    catch error:badarg -> erlang:yield(), hold(Holders)
    end.

%% Questions to those who are ending are all answered.
infos(N) ->
    each(N, fun(I) ->
        P = spawn(fun() -> put(key, lists:seq(1, I rem 50)), spin(I rem 25), exit({some, reason}) end),
        ask(P, I rem 13),
        Ref = monitor(process, P),
        Why = down(Ref),
        Gone = {is_process_alive(P), process_info(P, links), erlang:check_process_code(P, lists), garbage_collect(P)},
        expect({true, {false, undefined, false, false}}, {lists:member(Why, [noproc, {some, reason}]), Gone})
    end).
ask(_, 0) -> ok;
ask(P, N) ->
    case process_info(P, [messages, links, status, dictionary, current_function, heap_size]) of
        undefined -> ok;
        [{messages, []}, {links, []}, {status, _}, {dictionary, _}, {current_function, _}, {heap_size, _}] -> ok
    end,
    _ = is_process_alive(P),
    _ = process_info(P, current_stacktrace),
    ask(P, N - 1).

%% Suspended and resumed by several, who may die before they resume.
suspends(N) ->
    each(N, fun(I) ->
        Counter = counters:new(1, []),
        P = spawn(fun() -> count(Counter) end),
        Ones = [spawn_monitor(fun() -> suspend(P, K + I) end) || K <- lists:seq(1, 6)],
        [down(R) || {_, R} <- Ones],
        %% Everybody who suspended it has resumed it or is gone: it goes on.
        C0 = counters:get(Counter, 1),
        wait_above(Counter, C0),
        Ref = monitor(process, P),
        Killer = spawn_monitor(fun() -> try erlang:suspend_process(P) catch error:badarg -> ok end, exit(P, kill) end),
        Why = down(Ref),
        down(element(2, Killer)),
        expect(true, Why =:= killed orelse Why =:= noproc)
    end).
count(C) -> counters:add(C, 1, 1), receive never -> ok after 0 -> erlang:yield(), count(C) end.
suspend(P, K) ->
    erlang:suspend_process(P),
    spin(K rem 4),
    case K rem 3 of
        0 -> erlang:resume_process(P);
        1 -> exit(gone);
        2 -> erlang:suspend_process(P), erlang:resume_process(P), erlang:resume_process(P)
    end.
wait_above(C, N) -> case counters:get(C, 1) > N of true -> ok; false -> receive after 1 -> wait_above(C, N) end end.

%% What is sent to an alias arrives before unalias or not at all; a reply alias takes one message.
aliases(N) ->
    each(N, fun(I) ->
        A = alias(), B = alias([reply]),
        Senders = [spawn_monitor(fun() -> [begin A ! {a, K}, B ! {b, K}, spin(K rem 3) end || K <- lists:seq(1, 20)] end) || _ <- lists:seq(1, 4)],
        spin(I rem 10),
        true = unalias(A),
        Before = length(all(a)),
        [normal = down(R) || {_, R} <- Senders],
        After = length(all(a)),
        expect({true, 0, 1, false}, {Before =< 80, After, length(all(b)), unalias(B)})
    end).
all(Tag) -> receive {Tag, _} = M -> [M | all(Tag)] after 0 -> [] end.

%% Signals of one sender keep their order among messages, exits, links and monitors.
order(N) ->
    each(N, fun(I) ->
        process_flag(trap_exit, true),
        Me = self(),
        P = spawn(fun() -> burst(Me, 1, 20), receive stop -> ok end end),
        Q = spawn(fun() -> burst(Me, 1, 20), receive stop -> ok end end),
        spin(I rem 6),
        [] = [X || X <- [take(P, 1, 20), take(Q, 1, 20)], X =/= ok],
        exit(P, kill), exit(Q, kill),
        ok
    end).
burst(_, K, N) when K > N -> ok;
burst(To, K, N) -> To ! {self(), K}, exit(To, {self(), K}), burst(To, K + 1, N).
take(_, K, N) when K > N -> ok;
take(P, K, N) ->
    receive {P, X} -> X = K end,
    receive {'EXIT', P, {P, Y}} -> Y = K; {P, Z} -> exit({early, Z}) end,
    take(P, K + 1, N).

%% Killed by many at once, in whatever state it is.
kills(N) ->
    each(N, fun(I) ->
        Me = self(),
        {P, Ref} = spawn_monitor(fun() -> process_flag(trap_exit, true), Me ! {self(), trapping}, work(I rem 3) end),
        receive {P, trapping} -> spin(I rem 9) end,
        Killers = [spawn_monitor(fun() -> exit(P, Why) end) || Why <- [{bad, [Ref]}, kill, <<0:800>>, kill]],
        [normal = down(R) || {_, R} <- Killers],
        expect({killed, false}, {down(Ref), is_process_alive(P)})
    end).
work(0) -> receive never -> ok end;
work(1) -> _ = lists:sum(lists:seq(1, 500)), work(1);
work(2) -> self() ! again, receive again -> ok end, _ = binary:copy(<<"x">>, 100), work(2).

%% Processes that start processes and end: all are counted.
spawns(N) ->
    Counter = counters:new(1, []),
    Bad = each(N div 20, fun(I) -> tree(4, I, Counter), ok end),
    wait_above(Counter, (N div 20) * 341 - 1),
    {Bad, counters:get(Counter, 1) =:= (N div 20) * 341}.
tree(D, I, C) ->
    counters:add(C, 1, 1),
    case D of
        0 -> ok;
        _ ->
            Refs = [begin {_, R} = spawn_opt(fun() -> tree(D - 1, I, C) end, [monitor | Options]), R end
                    || Options <- [[link], [], [{priority, low}], [{min_heap_size, 1000}]]],
            [down(R) || R <- Refs],
            ok
    end.

group_leaders(N) ->
    each(N, fun(I) ->
        Me = self(),
        P = spawn(fun() -> spin(I rem 8), receive stop -> ok end end),
        Ones = [spawn_monitor(fun() -> [group_leader(Me, P) || _ <- lists:seq(1, 5)] end) || _ <- "abc"],
        [normal = down(R) || {_, R} <- Ones],
        {group_leader, Leader} = process_info(P, group_leader),
        exit(P, kill),
        Late = try group_leader(Me, P) catch error:badarg -> badarg end,
        expect({Me, badarg}, {Leader, Late})
    end).

%% Collected from outside while it works and ends.
collections(N) ->
    each(N, fun(I) ->
        P = spawn(fun() -> L = lists:seq(1, 200), spin(I rem 12), 20100 = lists:sum(L), B = binary:copy(<<I:32>>, 100), spin(2), 400 = byte_size(B) end),
        Ref = monitor(process, P),
        Answers = [begin spin(1), garbage_collect(P) end || _ <- lists:seq(1, I rem 6)],
        garbage_collect(P, [{async, I}]),
        Late = receive {garbage_collect, I, A} -> is_boolean(A) end,
        Why = down(Ref),
        expect({true, true, true}, {Why =:= normal orelse Why =:= noproc, lists:all(fun is_boolean/1, Answers), Late})
    end).
