%% Service under fire: servers under three levels of supervisors that are killed at random, workers most
%% of the time and now and then a supervisor, while clients call without pause on all cores.
%%
%%   main [Seconds [Servers [LimitMs]]]         600 seconds, 1000 servers, 2000 ms
%%
%% Each reply is checked against what the client computes itself. Exit code 1 when a reply is wrong, when a
%% request, with its retries, takes longer than LimitMs, when a server is not back by then, or when memory
%% or the number of processes grows: the median of the last third against that of the first third after a
%% warm-up. Time that the machine gave to others while our threads were ready to run does not count as
%% ours. Runs on `erl` too.
-module(soak).
-behaviour(gen_server).
-export([main/1, init/1, start_server/1, handle_call/3, handle_cast/2, handle_info/2]).

-define(CALLS, 1).
-define(RETRIES, 2).
-define(KILLS, 3).
-define(SUPERVISOR_KILLS, 4).
-define(STARTS, 5).
-define(WRONG, 6).
-define(SLOW, 7).
-define(LONGEST, 8).
-define(DENIED, 9).  % what denied() was a moment ago
-define(COUNTERS, 9).

-define(GROUPS, 10).
-define(TEAMS, 4).

main(Args) ->
    [Seconds, Servers, Limit] = [list_to_integer(A) || A <- Args ++ lists:nthtail(length(Args), ["600", "1000", "2000"])],
    logger:set_primary_config(level, none),
    process_flag(trap_exit, true),
    process_flag(priority, high),
    C = atomics:new(?COUNTERS, []),
    persistent_term:put(?MODULE, {C, Servers, Limit}),
    ets:new(answered, [named_table, public, {write_concurrency, true}]),
    {ok, Top} = supervisor:start_link(?MODULE, top),
    Clients = [spawn_link(fun() -> client(rand:seed_s(exsss, {I, Servers, 1}), 1) end) || I <- lists:seq(1, 16 * erlang:system_info(schedulers))],
    Killer = spawn_link(fun() -> killer(rand:seed_s(exsss, {Servers, Seconds, 2})) end),
    io:format("~b servers, ~b clients, ~b s on ~b schedulers~n", [Servers, length(Clients), Seconds, erlang:system_info(schedulers)]),
    Samples = watch(1, Seconds, lists:duplicate(?COUNTERS, 0), []),
    [begin unlink(P), exit(P, kill) end || P <- [Killer | Clients]],
    Missing = [I || I <- lists:seq(1, Servers), not is_pid(await(I, Limit))],
    exit(Top, shutdown),
    Stopped = receive {'EXIT', Top, Reason} -> Reason after 60_000 -> timeout end,
    verdict([{wrong, atomics:get(C, ?WRONG), 0}, {slow, atomics:get(C, ?SLOW), 0}, {missing, Missing, []}, {stopped, Stopped, shutdown}]
            ++ growth(memory, [M || {M, _} <- Samples], 16) ++ growth(processes, [P || {_, P} <- Samples], 50)).

verdict(Checks) ->
    case [Check || {_, Found, Wanted} = Check <- Checks, Found =/= Wanted] of
        [] -> io:format("soak: passed~n");
        Bad -> io:format("soak: FAILED~n"), [io:format("  ~p: ~p instead of ~p~n", [W, F, E]) || {W, F, E} <- Bad], halt(1)
    end.

%% Medians of the first and of the last third, the first tenth (warm-up) left out.
growth(What, Newest, Slack) ->
    Used = lists:nthtail(length(Newest) div 10, lists:reverse(Newest)),
    case length(Used) div 3 of
        0 -> [];
        Third ->
            First = median(lists:sublist(Used, Third)),
            Last = median(lists:sublist(Newest, Third)),
            io:format("~p: ~b at first, ~b at last~n", [What, First, Last]),
            [{{grows, What}, {First, Last}, no} || Last > First * 1.1 + Slack]
    end.
median(L) -> lists:nth(length(L) div 2 + 1, lists:sort(L)).

%% --- watching ------------------------------------------------------------------------------------

watch(Second, Seconds, _, Samples) when Second > Seconds -> Samples;
watch(Second, Seconds, Before, Samples) ->
    receive {'EXIT', Who, Why} -> io:format("~p ended: ~p~n", [Who, Why]), halt(1) after 1000 -> ok end,
    {C, _, _} = persistent_term:get(?MODULE),
    atomics:put(C, ?DENIED, denied()),
    Sample = {Memory, Processes} = {megabytes(), erlang:system_info(process_count)},
    Now = case Second rem 10 of
        0 ->
            All = [atomics:get(C, I) || I <- lists:seq(1, ?COUNTERS)],
            Longest = atomics:exchange(C, ?LONGEST, 0),
            [Calls, Retries, Kills, Supervisors, Starts, Wrong, Slow, _, Denied] = [A - B || {A, B} <- lists:zip(All, Before)],
            io:format("~4b s: ~b calls, ~b retries, ~b kills (~b supervisors), ~b starts, ~b wrong, ~b slow, longest ~b ms, ~b MB, ~b processes, not run for ~b ms~n",
                      [Second, Calls, Retries, Kills, Supervisors, Starts, Wrong, Slow, Longest, Memory, Processes, Denied]),
            All;
        _ -> Before
    end,
    watch(Second + 1, Seconds, Now, [Sample | Samples]).

megabytes() ->
    {ok, Text} = file:read_file("/proc/self/statm"),
    [_, Pages | _] = string:lexemes(binary_to_list(Text), " "),
    list_to_integer(Pages) div 256.

%% Milliseconds that the thread which got least was ready to run but did not (schedstat(5)'s second number).
denied() ->
    Files = filelib:wildcard("/proc/self/task/*/schedstat"),
    lists:max([0 | [N div 1_000_000 || {ok, Text} <- [file:read_file(F) || F <- Files], [_, B | _] <- [string:lexemes(binary_to_list(Text), " ")], N <- [list_to_integer(B)]]]).

%% --- clients -------------------------------------------------------------------------------------

client(Seed0, Number) ->
    {_, Servers, _} = persistent_term:get(?MODULE),
    {Id, Seed1} = rand:uniform_s(Servers, Seed0),
    {Kind, Seed2} = rand:uniform_s(10, Seed1),
    {Size, Seed3} = rand:uniform_s(case Kind of 10 -> 20_000; _ -> 300 end, Seed2),
    {Question, Answer} = question(Kind, Id, {self(), Number}, Size, 1 + (Id * Number) rem Servers),
    {C, _, _} = persistent_term:get(?MODULE),
    request(Id, Question, Answer, {erlang:monotonic_time(millisecond), atomics:get(C, ?DENIED)}),
    client(Seed3, Number + 1).

%% {Question, the answer it must get}.
question(1, Id, Tag, Size, _) -> {{later, 1 + Size rem 20, Tag}, {later, Id, Tag}};
question(2, _, Tag, Size, Other) -> Bin = payload(Size), {{pass_on, Other, Tag, Bin}, {passed, Other, Tag, erlang:crc32(Bin)}};
question(3, Id, Tag, Size, _) -> Bin = payload(Size), {{keep, Tag, Bin}, {kept, Id, Tag, Bin}};
question(4, Id, Tag, Size, _) -> L = lists:seq(1, Size), {{sort, Tag, lists:reverse(L)}, {sorted, Id, Tag, L}};
question(5, Id, Tag, Size, _) -> M = maps:from_list([{K, Tag} || K <- lists:seq(1, Size div 6)]), {{count, Tag, M}, {counted, Id, Tag, map_size(M)}};
question(_, Id, Tag, Size, _) -> Bin = payload(Size), {{sum, Tag, Bin}, {sum, Id, Tag, erlang:crc32(Bin), part(Bin)}}.

payload(Size) -> binary:copy(<<Size:16, "payload">>, 1 + Size div 8).
part(Bin) -> <<_, Part:4/binary, _/binary>> = Bin, Part.

request(Id, Question, Answer, Since) ->
    {C, _, Limit} = persistent_term:get(?MODULE),
    Reply = try gen_server:call(name(Id), Question, patience(Question, Limit)) catch exit:Reason -> {failed, Reason} end,
    Took = took(Since, Limit),
    case Reply of
        Answer -> atomics:add(C, ?CALLS, 1), highest(C, Took), late(C, Took, Limit, Id, Question, answered);
        {failed, Why} when Took =< Limit -> retry(C, Id, Question, Answer, Since, Why);
        {failed, Why} -> late(C, Took, Limit, Id, Question, Why);
        Wrong -> atomics:add(C, ?WRONG, 1), io:format("~p answered ~P~n  to ~P~n", [Id, Wrong, 20, Question, 20])
    end.

took({Since, Denied}, Limit) ->
    case erlang:monotonic_time(millisecond) - Since of
        Took when Took > Limit -> Took - (denied() - Denied);
        Took -> Took
    end.

retry(C, Id, Question, Answer, Since, Why) ->
    atomics:add(C, ?RETRIES, 1),
    case Why of {timeout, _} -> ok; _ -> receive after 1 -> ok end end,
    request(Id, Question, Answer, Since).

%% A question that is passed on to a server which is killed is lost, and nobody tells us.
patience({pass_on, _, _, _}, Limit) -> Limit div 6;
patience(_, Limit) -> Limit.

late(_, Took, Limit, _, _, _) when Took =< Limit -> ok;
late(C, Took, _, Id, Question, Why) ->
    atomics:add(C, ?SLOW, 1),
    io:format("~p: ~b ms for ~p: ~P~n", [Id, Took, element(1, Question), Why, 20]).

highest(C, Took) ->
    case atomics:get(C, ?LONGEST) of
        Old when Took > Old -> case atomics:compare_exchange(C, ?LONGEST, Old, Took) of ok -> ok; _ -> highest(C, Took) end;
        _ -> ok
    end.

%% --- the killer ----------------------------------------------------------------------------------

killer(Seed0) ->
    {C, Servers, Limit} = persistent_term:get(?MODULE),
    {Pause, Seed1} = rand:uniform_s(20, Seed0),
    receive after Pause -> ok end,
    {Dice, Seed2} = rand:uniform_s(50, Seed1),
    {Id, Seed} = rand:uniform_s(Servers, Seed2),
    Victim = case Dice of
        1 -> whereis(group_name(Id rem ?GROUPS));
        2 -> whereis(team_name({Id rem ?GROUPS, Id rem ?TEAMS}));
        _ -> await(Id, Limit)
    end,
    case Victim of
        _ when is_pid(Victim) -> exit(Victim, case Id rem 3 of 0 -> kill; 1 -> {bad, <<"reason">>}; 2 -> shutdown end), atomics:add(C, ?KILLS, 1);
        undefined when Dice =< 2 -> ok;
        undefined -> atomics:add(C, ?SLOW, 1), io:format("~p is not back~n", [Id])
    end,
    case Dice =< 2 of true -> atomics:add(C, ?SUPERVISOR_KILLS, 1); false -> ok end,
    killer(Seed).

await(Id, Ms) when Ms < 0 -> whereis(name(Id));
await(Id, Ms) ->
    case whereis(name(Id)) of
        undefined -> receive after 5 -> await(Id, Ms - 5) end;
        Pid -> Pid
    end.

%% --- supervisors and servers ---------------------------------------------------------------------

name(Id) -> list_to_atom("server_" ++ integer_to_list(Id)).
group_name(G) -> list_to_atom("group_" ++ integer_to_list(G)).
team_name({G, T}) -> list_to_atom(lists:concat(["team_", G, "_", T])).

flags() -> #{strategy => one_for_one, intensity => 1_000_000_000, period => 1}.
sub(Name, Arg) -> #{id => Name, type => supervisor, start => {supervisor, start_link, [{local, Name}, ?MODULE, Arg]}}.

init(top) -> {ok, {flags(), [sub(group_name(G), {group, G}) || G <- lists:seq(0, ?GROUPS - 1)]}};
init({group, G}) -> {ok, {flags(), [sub(team_name({G, T}), {team, {G, T}}) || T <- lists:seq(0, ?TEAMS - 1)]}};
init({team, Team}) ->
    {_, Servers, _} = persistent_term:get(?MODULE),
    Ids = [Id || Id <- lists:seq(1, Servers), {Id rem ?GROUPS, (Id div ?GROUPS) rem ?TEAMS} =:= Team],
    {ok, {flags(), [#{id => Id, shutdown => 100, start => {?MODULE, start_server, [Id]}} || Id <- Ids]}};
init({server, Id}) ->
    {C, _, _} = persistent_term:get(?MODULE),
    atomics:add(C, ?STARTS, 1),
    process_flag(trap_exit, Id rem 7 =:= 0),
    erlang:send_after(Id rem 500, self(), tick),
    {ok, #{id => Id, kept => []}}.

start_server(Id) -> gen_server:start_link({local, name(Id)}, ?MODULE, {server, Id}, []).

handle_call(Question, From, #{id := Id} = State) ->
    ets:update_counter(answered, Id, 1, {Id, 0}),
    answer(Question, From, State).

answer({sum, Tag, Bin}, _, #{id := Id} = S) -> {reply, {sum, Id, Tag, erlang:crc32(Bin), part(Bin)}, S};
answer({sort, Tag, L}, _, #{id := Id} = S) -> {reply, {sorted, Id, Tag, lists:sort(L)}, S};
answer({count, Tag, M}, _, #{id := Id} = S) -> {reply, {counted, Id, Tag, maps:fold(fun(_, V, N) when V =:= Tag -> N + 1 end, 0, M)}, S};
answer({keep, Tag, Bin}, From, #{id := Id, kept := Kept} = S) ->
    gen_server:reply(From, {kept, Id, Tag, Bin}),
    {noreply, S#{kept := lists:sublist([part(Bin), Bin | Kept], 6)}};
answer({later, Ms, Tag}, From, S) ->
    Unused = erlang:start_timer(Ms, self(), never),
    erlang:send_after(Ms, self(), {now, From, Tag, Unused}),
    {noreply, S};
answer({pass_on, Other, Tag, Bin}, From, S) ->
    gen_server:cast(name(Other), {passed_on, From, Tag, Bin}),
    {noreply, S}.

handle_cast({passed_on, From, Tag, Bin}, #{id := Id} = S) -> gen_server:reply(From, {passed, Id, Tag, erlang:crc32(Bin)}), {noreply, S}.

handle_info({now, From, Tag, Unused}, #{id := Id} = S) ->
    erlang:cancel_timer(Unused),
    gen_server:reply(From, {later, Id, Tag}),
    {noreply, S};
handle_info({timeout, _, never}, S) -> {noreply, S};
handle_info(tick, S) -> erlang:send_after(200, self(), tick), {noreply, S};
handle_info({'EXIT', _, Reason}, S) -> {stop, Reason, S}.
