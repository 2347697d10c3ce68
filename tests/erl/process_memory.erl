%% What process_info/2 says of a process' memory: messages that wait are part of it, on-heap and off-heap, until
%% they are received; so are links, monitors and the dictionary.
-module(process_memory).
-export([main/1]).

main(_) ->
    [io:format("~p: ~p~n", [Q, queue(Q)]) || Q <- [on_heap, off_heap]],
    io:format("adopted ~p~n", [adopted()]),
    io:format("evicted ~p~n", [evicted()]),
    io:format("relations ~p~n", [relations()]),
    io:format("dictionary ~p~n", [dictionary()]).

memory(P) -> {memory, M} = process_info(P, memory), M.
heap(P) -> {total_heap_size, W} = process_info(P, total_heap_size), 8 * W.

waiter(Options) ->
    spawn_opt(fun Loop() ->
        receive
            {From, take, N} -> [receive {data, _} -> ok end || _ <- lists:seq(1, N)], From ! taken, Loop();
            {From, run, F} -> From ! {ran, F()}, Loop()
        end
    end, Options).
ask(P, F) -> P ! {self(), run, F}, receive {ran, X} -> X end.
settle(P) -> ask(P, fun() -> garbage_collect() end).

%% 500 messages of 200 elements: 400 words each, and 3 for the tuple.
queue(Q) ->
    P = waiter([{message_queue_data, Q}]),
    settle(P),
    Before = memory(P), Heap = heap(P),
    Data = {data, lists:duplicate(200, x)},
    [P ! Data || _ <- lists:seq(1, 500)],
    {message_queue_len, 500} = process_info(P, message_queue_len),
    Words = 500 * 403 * 8, Full = memory(P),
    Grown = Full - Before, OfHeap = heap(P) - Heap,
    P ! {self(), take, 500},
    receive taken -> ok end,
    settle(P),
    {Grown >= Words, Grown < Words + 500 * 200, OfHeap, memory(P) < Full - Words div 2}.

%% A message looked at by receive, but left, and a collection after that.
adopted() ->
    P = waiter([]),
    settle(P),
    Before = memory(P),
    P ! {other, lists:duplicate(10000, x)},
    settle(P),
    Full = memory(P),
    exit(P, kill),
    Full - Before > 160000.

%% Literals of a module that goes away are copied into messages that wait; what is received is subtracted again.
evicted() ->
    Text = lists:duplicate(2000, 7),
    Module = {attribute, 1, module, process_memory_literal},
    Export = {attribute, 2, export, [{f, 0}]},
    F = {function, 3, f, 0, [{clause, 3, [], [], [erl_parse:abstract(Text)]}]},
    {ok, M, Code} = compile:forms([Module, Export, F]),
    {module, M} = code:load_binary(M, "nowhere", Code),
    P = waiter([]),
    [P ! {data, M:f()} || _ <- lists:seq(1, 20)],
    code:purge(M), code:delete(M), code:purge(M),
    settle(P),
    P ! {self(), take, 20},
    receive taken -> ok end,
    settle(P),
    memory(P) < 100000.

relations() ->
    P = waiter([]),
    settle(P),
    Before = memory(P),
    Others = ask(P, fun() -> [spawn_link(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 500)] end),
    settle(P),
    Linked = memory(P),
    [exit(O, normal) || O <- Others],
    ask(P, fun() -> [begin unlink(O), exit(O, kill) end || O <- Others], ok end),
    Linked - Before > 500 * 16.

dictionary() ->
    P = waiter([]),
    settle(P),
    Before = memory(P),
    ask(P, fun() -> [put(K, K) || K <- lists:seq(1, 1000)], ok end),
    settle(P),
    memory(P) - Before > 1000 * 24.
