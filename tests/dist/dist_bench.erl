%% What messages between two nodes cost. main/1 runs on the first; prints a line `name value unit` for each measure.
-module(dist_bench).
-behaviour(gen_server).
-export([main/1, sink/1, echo/0, crowd/1, init/1, handle_call/3, handle_cast/2]).

main([Other | What]) ->
    true = connected(Other, 100),
    Names = case What of [] -> ["small", "senders", "trips", "erpc", "call", "large", "meanwhile", "monitors", "mnesia"]; _ -> What end,
    [measure(N, Other) || N <- Names].

connected(_, 0) -> false;
connected(Other, N) -> net_kernel:connect_node(Other) =:= true orelse (timer:sleep(100) =:= ok andalso connected(Other, N - 1)).

say(Name, Value, Unit) when is_float(Value) -> io:format("~s ~.1f ~s~n", [Name, Value, Unit]);
say(Name, Value, Unit) -> io:format("~s ~w ~s~n", [Name, Value, Unit]).
timed(F) -> T = erlang:monotonic_time(), F(), erlang:convert_time_unit(erlang:monotonic_time() - T, native, microsecond) / 1.0e6.
%% The better of three, after one to warm up.
best(F) -> F(), lists:min([timed(F) || _ <- [1, 2, 3]]).

measure("small", B) -> say("one_way_1_sender", 300000 / best(fun() -> flood(B, 1, 300000) end), "messages/s");
measure("senders", B) -> say("one_way_100_senders", 300000 / best(fun() -> flood(B, 100, 3000) end), "messages/s");
measure("trips", B) ->
    E = spawn(B, ?MODULE, echo, []),
    say("round_trips", 30000 / best(fun() -> trips(E, 30000) end), "trips/s");
measure("erpc", B) -> say("erpc_call", 10000 / best(fun() -> [B = erpc:call(B, erlang, node, []) || _ <- lists:seq(1, 10000)] end), "calls/s");
measure("call", B) ->
    {ok, S} = erpc:call(B, gen_server, start, [?MODULE, [], []]),
    say("gen_server_call", 20000 / best(fun() -> [ok = gen_server:call(S, hello) || _ <- lists:seq(1, 20000)] end), "calls/s");
measure("large", B) -> [large(B, MB) || MB <- [64, 256]];
measure("meanwhile", B) -> meanwhile(B);
measure("monitors", B) -> monitors(B);
measure("mnesia", B) -> mnesia(B).

%% --- small ones ---------------------------------------------------------------------------------------
sink(To) -> receive {stop, N} -> To ! {done, N}, sink(To); _ -> sink(To) end.
flood(B, Senders, N) ->
    Us = self(),
    Sinks = [spawn(B, ?MODULE, sink, [Us]) || _ <- lists:seq(1, Senders)],
    [spawn(fun() -> send(S, {hello, N}, N), S ! {stop, S} end) || S <- Sinks],
    [receive {done, S} -> exit(S, kill) end || S <- Sinks].
send(_, _, 0) -> ok;
send(S, M, N) -> S ! M, send(S, M, N - 1).

echo() -> receive {From, M} -> From ! {self(), M}, echo(); stop -> ok end.
trips(_, 0) -> ok;
trips(E, N) -> E ! {self(), N}, receive {E, N} -> trips(E, N - 1) end.

init([]) -> {ok, none}.
handle_call(hello, _, S) -> {reply, ok, S}.
handle_cast(_, S) -> {noreply, S}.

%% --- large ones ---------------------------------------------------------------------------------------
large(B, MB) ->
    Bytes = binary:copy(<<"0123456789abcdef">>, MB * 65536),
    E = spawn(B, ?MODULE, echo, []),
    Trip = fun() -> E ! {self(), Bytes}, receive {E, Back} -> true = byte_size(Back) =:= MB bsl 20 end, erlang:garbage_collect() end,
    Trip(),
    Us = os:getpid(), Them = erpc:call(B, os, getpid, []),
    timer:sleep(300),
    [forget_peak(P) || P <- [Us, Them]],
    Before = [cpu(P) || P <- [Us, Them]],
    T = lists:min([timed(Trip) || _ <- [1, 2, 3]]),
    [CA, CB] = lists:zipwith(fun(P, C) -> (cpu(P) - C) * 10 / 3 end, [Us, Them], Before),
    Name = "large_" ++ integer_to_list(MB) ++ "MB",
    say(Name ++ "_there_and_back", T * 1000, "ms"),
    say(Name ++ "_processor_first", CA, "ms"),
    say(Name ++ "_processor_other", CB, "ms"),
    say(Name ++ "_peak_first", peak(Us), "MB"),
    say(Name ++ "_peak_other", peak(Them), "MB"),
    exit(E, kill).
read(Name) -> {ok, F} = file:open(Name, [read, raw, binary]), {ok, Text} = file:read(F, 100000), file:close(F), Text.
cpu(Pid) ->
    [_, Rest] = binary:split(read("/proc/" ++ Pid ++ "/stat"), <<") ">>),
    F = binary:split(Rest, <<" ">>, [global]),
    binary_to_integer(lists:nth(12, F)) + binary_to_integer(lists:nth(13, F)).
forget_peak(Pid) -> file:write_file("/proc/" ++ Pid ++ "/clear_refs", "5").
peak(Pid) ->
    {match, [KB]} = re:run(read("/proc/" ++ Pid ++ "/status"), "VmHWM:\\s*(\\d+)", [{capture, [1], binary}]),
    binary_to_integer(KB) div 1024.

%% How long a small message takes there and back while large ones go.
meanwhile(B) ->
    Bytes = binary:copy(<<"0123456789abcdef">>, 64 * 65536),
    E = spawn(B, ?MODULE, echo, []), Small = spawn(B, ?MODULE, echo, []), Us = self(),
    spawn(fun() -> [begin E ! {self(), Bytes}, receive {E, _} -> ok end, erlang:garbage_collect() end || _ <- lists:seq(1, 10)], Us ! over end),
    All = lists:sort(while(Small, [])),
    say("small_while_64MB_p50", lists:nth(length(All) div 2 + 1, All) * 1000, "ms"),
    say("small_while_64MB_p99", lists:nth(length(All) * 99 div 100 + 1, All) * 1000, "ms").
while(E, Acc) ->
    receive over -> Acc
    after 1 -> while(E, [timed(fun() -> trips(E, 1) end) | Acc])
    end.

%% --- transactions -------------------------------------------------------------------------------------
%% On tables that both nodes have: one moves an amount from an account to another.
mnesia(B) ->
    Dir = os:getenv("WB_DIST_DIR"),
    Nodes = [node(), B],
    [ok = erpc:call(N, application, set_env, [mnesia, dir, filename:join(Dir, atom_to_list(N))]) || N <- Nodes],
    ok = mnesia:create_schema(Nodes),
    [ok = erpc:call(N, mnesia, start, []) || N <- Nodes],
    [mnesia_of(Kind, Nodes) || Kind <- [ram_copies, disc_copies]],
    [erpc:call(N, mnesia, stop, []) || N <- Nodes].
mnesia_of(Kind, Nodes) ->
    Accounts = 1000,
    {atomic, ok} = mnesia:create_table(Kind, [{Kind, Nodes}, {record_name, account}]),
    [ok = mnesia:dirty_write(Kind, {account, K, 100}) || K <- lists:seq(1, Accounts)],
    say(atom_to_list(Kind) ++ "_1_process", 2000 / best(fun() -> moves(Kind, Accounts, 2000) end), "transactions/s"),
    say(atom_to_list(Kind) ++ "_20_processes", 6000 / best(fun() -> at_once(20, fun() -> moves(Kind, Accounts, 300) end) end), "transactions/s"),
    [100000 = erpc:call(N, fun() -> lists:sum([V || {_, _, V} <- ets:tab2list(Kind)]) end) || N <- Nodes].
moves(_, _, 0) -> ok;
moves(Table, Accounts, N) ->
    [From, To] = [rand:uniform(Accounts) || _ <- [1, 2]],
    {atomic, ok} = mnesia:transaction(fun() -> add(Table, From, -1), add(Table, To, 1) end),
    moves(Table, Accounts, N - 1).
add(Table, K, Amount) ->
    [{account, K, V}] = mnesia:read(Table, K, write),
    mnesia:write(Table, {account, K, V + Amount}, write).
at_once(N, F) ->
    Us = self(),
    Ps = [spawn_link(fun() -> F(), Us ! {self(), over} end) || _ <- lists:seq(1, N)],
    [receive {P, over} -> ok end || P <- Ps].

%% --- the end of a node --------------------------------------------------------------------------------
-define(WATCHED, 1000).
crowd(To) -> To ! {crowd, [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, ?WATCHED)]}.
%% Monitors of processes there, by so many processes here; the longest time that another process here did not run.
monitors(B) -> [monitors(B, Watchers, N) || {Watchers, N} <- [{1, 250000}, {1000, 250}, {1, 1000000}]].
monitors(B, Watchers, N) ->
    Us = self(),
    true = connected(B, 100),
    spawn(B, ?MODULE, crowd, [Us]),
    Pids = receive {crowd, P} -> P end,
    Ws = [spawn(fun() -> watch(Pids, N), Us ! {self(), ready}, wait(N), Us ! {self(), fired} end) || _ <- lists:seq(1, Watchers)],
    [receive {W, ready} -> ok end || W <- Ws],
    [true = is_process_alive(W) || W <- Ws],
    erpc:call(B, erlang, node, []),
    Ticker = spawn(fun() -> tick(erlang:monotonic_time(), 0) end),
    timer:sleep(200),
    T = timed(fun() -> erlang:disconnect_node(B), [receive {W, fired} -> ok end || W <- Ws] end),
    Ticker ! {Us, how_long},
    Pause = receive {pause, X} -> erlang:convert_time_unit(X, native, microsecond) / 1000 end,
    Name = "monitors_" ++ integer_to_list(Watchers) ++ "x" ++ integer_to_list(N),
    say(Name ++ "_fired", T * 1000, "ms"),
    say(Name ++ "_pause", Pause, "ms").
watch(Pids, N) when N =< ?WATCHED -> [monitor(process, P) || P <- lists:sublist(Pids, N)];
watch(Pids, N) -> [monitor(process, P) || P <- Pids], watch(Pids, N - ?WATCHED).
wait(0) -> ok;
wait(N) -> receive {'DOWN', _, process, _, noconnection} -> wait(N - 1) end.
tick(Last, Longest) ->
    receive {From, how_long} -> From ! {pause, Longest}
    after 0 ->
            erlang:yield(),
            Now = erlang:monotonic_time(),
            tick(Now, max(Longest, Now - Last))
    end.
