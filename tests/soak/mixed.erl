%% Everything at once, for as long as it takes: the process programs of tests/bench, drawn at random, a few
%% of them at any time, one in five killed in the middle.
%%
%%   main Seconds Program...
%%
%% A program that is left alone must return what it returned when it ran alone: a lost message would show
%% as a wrong count or as a program that never ends. Of one that was killed every process is killed (they
%% share a group leader), and whoever was linked to it is gone with it. Exit code 1 when a result is wrong,
%% when a program takes longer than ten minutes, or when memory or the number of processes at rest (once a
%% minute, or a tenth of a shorter time, everything is let run out) grows from the first third to the last;
%% the first rest, before everything has run, is left out. What the pools keep differs by tens of MB from
%% rest to rest, and only memory that is lost is missing at each: the least of the last third counts.
%% Runs on `erl` too.
-module(mixed).
-export([main/1]).

-define(AT_ONCE, 4).
-define(PATIENCE, 600_000).

main([Seconds | Names]) ->
    logger:set_primary_config(level, none),
    Programs = [list_to_atom(N) || N <- Names],
    Alone = maps:from_list([{P, result(start(P))} || P <- Programs]),
    io:format("~b programs, ~b at once, ~s s~n", [length(Programs), ?AT_ONCE, Seconds]),
    Time = list_to_integer(Seconds),
    Length = max(1, min(60, Time div 10)),
    rounds(now_s() + Time, Length, rand:seed_s(exsss, {1, 2, 3}), Alone, []).

now_s() -> erlang:monotonic_time(second).

rounds(End, Length, Seed, Alone, Rests) ->
    {Ran, Killed, Seed1} = round(now_s() + Length, Seed, Alone, [], 0, 0),
    Rest = at_rest(),
    io:format("~b s left: ~b ran, ~b killed; at rest ~b processes, ~.1f MB~n",
              [max(0, End - now_s()), Ran, Killed, element(1, Rest), element(2, Rest) / 1.0e6]),
    case now_s() < End of
        true -> rounds(End, Length, Seed1, Alone, [Rest | Rests]);
        false -> verdict(lists:reverse([Rest | Rests]))
    end.

%% Running: [{Pid, Monitor, Program, Leader, left_alone | killed}].
round(End, Seed, Alone, Running, Ran, Killed) when length(Running) < ?AT_ONCE ->
    case now_s() >= End of
        true when Running =:= [] -> {Ran, Killed, Seed};
        true -> ended(End, Seed, Alone, Running, Ran, Killed);
        false ->
            {N, Seed1} = rand:uniform_s(map_size(Alone), Seed),
            One = start(lists:nth(N, lists:sort(maps:keys(Alone)))),
            {Kill, Seed2} = rand:uniform_s(5, Seed1),
            {After, Seed3} = rand:uniform_s(100, Seed2),
            Kill =:= 1 andalso erlang:send_after(After, self(), {kill, element(1, One)}),
            round(End, Seed3, Alone, [One | Running], Ran, Killed)
    end;
round(End, Seed, Alone, Running, Ran, Killed) -> ended(End, Seed, Alone, Running, Ran, Killed).

ended(End, Seed, Alone, Running, Ran, Killed) ->
    receive
        {kill, Pid} ->
            exit(Pid, kill),
            Marked = [case R of {Pid, M, P, L, _} -> {Pid, M, P, L, killed}; _ -> R end || R <- Running],
            ended(End, Seed, Alone, Marked, Ran, Killed);
        {'DOWN', Monitor, process, _, Reason} ->
            {value, {_, _, Program, Leader, Fate}, Rest} = lists:keytake(Monitor, 2, Running),
            clear(Leader),
            case {Reason, Fate} of
                {{result, Result}, _} when Result =:= map_get(Program, Alone) ->
                    round(End, Seed, Alone, Rest, Ran + 1, Killed);
                {killed, killed} -> round(End, Seed, Alone, Rest, Ran, Killed + 1);
                _ -> fail("~p: ~P instead of ~P", [Program, Reason, 20, map_get(Program, Alone), 20])
            end
    after ?PATIENCE -> fail("never ended: ~p", [[P || {_, _, P, _, _} <- Running]])
    end.

%% A program in a process of its own, with a group leader that only it and its processes have.
start(Program) ->
    Leader = spawn(fun() -> receive stop -> ok end end),
    {Pid, Monitor} = spawn_monitor(fun() ->
        group_leader(Leader, self()),
        exit({result, Program:run()})
    end),
    {Pid, Monitor, Program, Leader, left_alone}.

result({_, Monitor, Program, Leader, _}) ->
    receive
        {'DOWN', Monitor, process, _, {result, Result}} -> clear(Leader), Result;
        {'DOWN', Monitor, process, _, Reason} -> fail("~p alone: ~P", [Program, Reason, 20])
    end.

%% Kills all of a program's processes; those they start meanwhile have the same leader.
clear(Leader) ->
    case [P || P <- processes(), erlang:process_info(P, group_leader) =:= {group_leader, Leader}] of
        [] -> Leader ! stop;
        Left -> [exit(P, kill) || P <- Left], clear(Leader)
    end.

at_rest() ->
    [erlang:garbage_collect(P) || P <- processes()],
    timer:sleep(500),
    {length(processes()), erlang:memory(total)}.

verdict(Rests) ->
    Used = case Rests of [_ | [_, _, _ | _] = Warm] -> Warm; _ -> Rests end,
    Third = max(1, length(Used) div 3),
    First = lists:sublist(Used, Third),
    Last = lists:nthtail(length(Used) - Third, Used),
    grown(processes, median([P || {P, _} <- First]), median([P || {P, _} <- Last]), 10),
    grown(memory, median([M || {_, M} <- First]), lists:min([M || {_, M} <- Last]), 16_000_000),
    io:format("mixed soak: passed~n").

grown(What, A, B, Slack) ->
    B =< A + A div 10 + Slack orelse fail("~p grew from ~b to ~b", [What, A, B]).

median(L) -> lists:nth((length(L) + 1) div 2, lists:sort(L)).

fail(Format, Args) ->
    io:format("mixed soak: FAILED~n  " ++ Format ++ "~n", Args),
    halt(1).
