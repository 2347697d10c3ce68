%% process_info(P, backtrace), process_dump and system_info(procs) line by line: what tools take apart. Addresses,
%% distances and what differs from run to run are replaced.
-module(backtraces).
-export([main/1]).

main(_) ->
    put(names, #{}),
    show(waits, fun() -> waits({a, "text", <<"binary">>, #{a => 1}, lists:seq(1, 30), 1.5, 1 bsl 100}) end),
    show(deep, fun() -> deep(3) end),
    show(caught, fun() -> catch deep(1), ok end),
    show(tried, fun() -> tried(2) end),
    show(twice, fun() -> X = (catch (catch deep(1))), {X, 1} end),
    show(many, fun() -> many() end),
    show(mapped, fun() -> lists:map(fun(X) -> receive never -> X end end, [1, 2, 3]) end),
    show(hibernates, fun() -> erlang:hibernate(?MODULE, main, [1]) end),
    show(server, fun() -> gen:call(whereis(backtraces_none_answers), a, b, infinity) end),
    show(suspended, fun() -> deep(1) end, fun(P) -> erlang:suspend_process(P) end),
    show(matches, fun() -> matches(id(<<1, 2, 3>>)) end),
    show(sensitive, fun() -> process_flag(sensitive, true), deep(1) end),
    show(sent, fun() -> deep(1) end, fun(P) -> P ! {not_for, it}, P ! 2 end),
    mine([1]),
    io:format("~p~n", [process_info(spawn(fun() -> ok end), [backtrace]) =/= []]),
    dumped(),
    listed().

waits(T) -> X = {T, T}, receive never -> ok end, {X, T}.
matches(<<X, Rest/binary>>) -> [X, receive never -> X end | matches(Rest)];
matches(<<>>) -> [].
deep(0) -> receive never -> ok end;
deep(N) -> [N | deep(N - 1)].
tried(N) -> try deep(N) of X -> {X, N} catch _:_ -> N after self() ! N end.
many() ->
    A = id(1), B = id(2), C = id(3), D = id("abc"), E = id([a | b]), F = id("\n\x{fff}"), G = id(<<1:3>>),
    H = id('A b'), I = id(#{}), J = id(fun lists:map/2), K = id({}), L = id(-1.0e300), M = id(<<0:800>>),
    receive never -> {A, B, C, D, E, F, G, H, I, J, K, L, M} end.
id(X) -> receive after 0 -> X end.

mine(L) ->
    {backtrace, Text} = process_info(self(), backtrace),
    %% Below main/1 is whoever started the program.
    [Own | _] = string:split(normal(Text), "Return addr A (backtraces:main/1"),
    io:format("== self~n~s~n", [Own]),
    L.

show(Name, Body) -> show(Name, Body, fun(_) -> ok end).
show(Name, Body, Before) ->
    register(backtraces_none_answers, None = spawn(fun() -> receive never -> ok end end)),
    P = spawn(Body),
    settle(P),
    Before(P),
    {backtrace, Text} = process_info(P, backtrace),
    io:format("== ~p~n~s", [Name, normal(Text)]),
    exit(P, kill),
    exit(None, kill),
    gone(None).

gone(P) ->
    case is_process_alive(P) of
        true -> erlang:yield(), gone(P);
        false -> ok
    end.

settle(P) ->
    case process_info(P, status) of
        {status, waiting} -> ok;
        _ -> timer:sleep(1), settle(P)
    end.

normal(Text) ->
    lists:foldl(fun({From, To}, T) -> re:replace(T, From, To, [global, {return, list}]) end, Text,
                [{"0x[0-9a-f]{16}", "A"}, {" \\+ [0-9]+\\)", " + N)"}, {"<0\\.[0-9]+\\.[0-9]+>", "<P>"},
                 {"#Ref<[0-9.]+>", "#Ref"}, {"#Fun<[^>]*>", "#Fun"}]).

dumped() ->
    P = spawn(fun() -> receive go -> ok end, traced([1, 2]), receive never -> ok end end),
    settle(P),
    erlang:trace(P, true, [call]),
    erlang:trace_pattern({?MODULE, traced, 1}, [{'_', [], [{message, {process_dump}}]}], [local]),
    P ! go,
    receive {trace, P, call, _, Text} -> io:format("== dumped~n~s", [without_sizes(Text)]) end,
    exit(P, kill).
traced(L) -> [self() | L].

without_sizes(Text) ->
    re:replace(normal(Text), "^([A-Za-z+ ]*(?:heap|Heap|unused|Reductions|Memory|fragments|data)): [0-9]+$",
               "\\1: N", [global, multiline, {return, list}]).

listed() ->
    Other = spawn(fun() -> receive never -> ok end end),
    P = spawn(fun() -> put(key, [value]), link(Other), deep(1) end),
    settle(P),
    Blocks = string:split(own(erlang:system_info(procs), P), "=proc:", all),
    [io:format("== listed~n~s~n", [without_sizes(B)]) || B <- Blocks, string:prefix(B, "MINE") =/= nomatch],
    exit(P, kill).

own(Text, P) ->
    [Processes | _] = binary:split(Text, <<"=port:">>),
    binary_to_list(iolist_to_binary(string:replace(Processes, "=proc:" ++ pid_to_list(P), "=proc:MINE"))).
