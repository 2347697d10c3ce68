%% Links under fire: two processes link and unlink each other at the same time, die while they do, and
%% link to those who are dying. Both ends must agree in the end, and nobody may hear of an end twice.
%% args: 400
%% args gc-stress: 20
-module(torture_links).
-export([main/1]).

main([Size]) ->
    N = list_to_integer(Size) * list_to_integer(os:getenv("WB_TORTURE", "1")),
    io:format("both ends agree: ~p~n", [agree(N)]),
    io:format("told once: ~p~n", [told_once(N)]),
    io:format("unlinked hear nothing: ~p~n", [silence(N)]),
    io:format("chains end: ~p~n", [chains(N)]),
    io:format("from both sides: ~p~n", [both_sides(N)]).

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

linked(Pid) -> {links, Links} = process_info(self(), links), lists:member(Pid, Links).

%% A few links and unlinks from both sides at the same time, again and again; then each asks itself.
agree(N) ->
    each(N div 20, fun(I) ->
        Me = self(),
        Gate = atomics:new(1, []),
        Peer = spawn_link(fun() -> phases(Me, Gate, rand:seed_s(exsss, {I, 2, 2}), 200, fun(_) -> ok end) end),
        phases(Peer, Gate, rand:seed_s(exsss, {I, 1, 1}), 200, fun(Ours) ->
            receive {linked, Peer, Ours} -> ok; {linked, Peer, Theirs} -> exit({different, Ours, Theirs}) end
        end)
    end).

phases(_, Gate, _, 0, _) -> meet(Gate, 402);
phases(Peer, Gate, Seed0, N, Compare) ->
    meet(Gate, 2 * (201 - N)),
    {Ops, Seed} = rand:uniform_s(64, Seed0),
    change(Peer, Ops),
    sync(Peer),
    Linked = linked(Peer),
    Peer ! {linked, self(), Linked},
    Compare(Linked),
    phases(Peer, Gate, Seed, N - 1, Compare).

%% Both come to the gate; then they go on at once, if there are two cores.
meet(Gate, Expected) -> atomics:add(Gate, 1, 1), wait(Gate, Expected, 300).
wait(Gate, Expected, 0) -> erlang:yield(), wait(Gate, Expected, 300);
wait(Gate, Expected, N) ->
    case atomics:get(Gate, 1) >= Expected of true -> ok; false -> wait(Gate, Expected, N - 1) end.

change(_, 1) -> ok;
change(Peer, Ops) when Ops band 1 =:= 0 -> unlink(Peer), change(Peer, Ops bsr 1);
change(Peer, Ops) -> link(Peer), change(Peer, Ops bsr 1).

%% After two rounds all signals, and the answers to them, have been handled on both sides.
sync(Peer) -> round(Peer, 1), round(Peer, 2).
round(Peer, K) -> Peer ! {self(), K}, receive {Peer, K} -> ok end.

%% One ends while the other links: its reason is heard at most once, and noproc for each link that came
%% too late; the answer to a link that did may overtake the reason.
told_once(N) ->
    each(N, fun(I) ->
        process_flag(trap_exit, true),
        Me = self(),
        Peer = spawn(fun() -> link(Me), spin(I rem 50), exit(boom) end),
        spin(I rem 30),
        link(Peer), spin(I rem 7), link(Peer),
        Ref = monitor(process, Peer),
        receive {'DOWN', Ref, _, _, _} -> ok end,
        Heard = exits(Peer),
        case [Why || Why <- Heard, Why =/= noproc] of
            Ends when length(Ends) =< 1, length(Heard) =< 3 -> none_but_boom(Ends);
            _ -> Heard
        end
    end).

none_but_boom(Ends) -> case Ends -- [boom] of [] -> ok; Bad -> Bad end.
exits(Peer) -> receive {'EXIT', Peer, Why} -> [Why | exits(Peer)] after 0 -> [] end.

spin(0) -> ok;
spin(N) -> erlang:yield(), spin(N - 1).

%% After unlink nothing comes, whatever the other does at that moment.
silence(N) ->
    each(N, fun(I) ->
        process_flag(trap_exit, true),
        Peer = spawn_link(fun() -> spin(I rem 20), exit(boom) end),
        spin(I rem 17),
        unlink(Peer),
        Heard = receive {'EXIT', Peer, boom} -> true after 0 -> false end,
        Ref = monitor(process, Peer),
        receive {'DOWN', Ref, _, _, _} -> ok end,
        receive {'EXIT', Peer, _} -> {heard, Heard} after 0 -> ok end
    end).

%% A ring of links: one end ends all of them.
chains(N) ->
    each(N div 10, fun(I) ->
        {Last, Ref} = spawn_monitor(fun() -> chain(20, I) end),
        receive {'DOWN', Ref, process, Last, {stop, I}} -> ok; {'DOWN', _, _, _, Other} -> Other end
    end).

chain(0, I) -> spin(I rem 7), exit({stop, I});
chain(N, I) -> spawn_link(fun() -> chain(N - 1, I) end), receive never -> ok end.

%% Both exit at the same moment, watched and linked crosswise.
both_sides(N) ->
    each(N, fun(I) ->
        Me = self(),
        [A, B] = [spawn(fun() -> receive {go, Peer} -> link_or_not(Peer), Me ! ready, spin(I rem 5), exit({self(), bye}) end end) || _ <- "ab"],
        RA = monitor(process, A), RB = monitor(process, B),
        A ! {go, B}, B ! {go, A},
        WhyA = receive {'DOWN', RA, _, _, Y1} -> Y1 end,
        WhyB = receive {'DOWN', RB, _, _, Y2} -> Y2 end,
        Expected = [{A, bye}, {B, bye}, noproc],
        case lists:member(WhyA, Expected) andalso lists:member(WhyB, Expected) of true -> ok; false -> {WhyA, WhyB} end
    end).

link_or_not(Peer) -> try link(Peer) catch error:noproc -> ok end.
