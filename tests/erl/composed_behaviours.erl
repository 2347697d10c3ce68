%% whitebeam_actor: composed behaviours, waiting with and without a stack, requests.
-module(composed_behaviours).
-export([main/1]).

-define(A, whitebeam_actor).

main(_) ->
    composed(),
    selective(),
    reacting(),
    requests(),
    failures().

number() -> fun(N) when is_number(N) -> {number, N}; (_) -> pass end.
name() -> fun(A) when is_atom(A) -> {name, A}; (_) -> pass end.

composed() ->
    Either = ?A:or_else(number(), name()),
    io:format("~p~n", [[?A:applies(Either, M) || M <- [1, a, "s"]]]),
    Then = ?A:and_then(Either, fun({Kind, X}) -> {Kind, taken, X} end),
    io:format("~p~n", [[?A:applies(Then, M) || M <- [1, a, "s"]]]),
    Small = ?A:only(fun(N) -> N < 10 end, number()),
    io:format("~p~n", [[?A:applies(?A:or_else(Small, fun(X) -> {rest, X} end), M) || M <- [1, 10, 2.5]]]),
    %% The first that takes it is the only one.
    Loud = fun(Name, Behaviour) -> fun(M) -> io:format("~p asked about ~p~n", [Name, M]), Behaviour(M) end end,
    Three = ?A:or_else(?A:or_else(Loud(one, number()), Loud(two, name())), Loud(three, fun(_) -> anything end)),
    io:format("~p~n", [[?A:applies(Three, M) || M <- [1, a, "s"]]]),
    io:format("~p~n", [try ?A:or_else(number(), 1) catch error:Why -> Why end]).

%% What is not taken stays, in order, for the next; it is offered before what comes later.
selective() ->
    [self() ! M || M <- [a, 1, b, 2, "text"]],
    io:format("~p~n", [[?A:receive_with(number()), ?A:receive_with(number())]]),
    self() ! c,
    io:format("~p~n", [[?A:receive_with(name()) || _ <- [a, b, c]]]),
    io:format("~p~n", [?A:receive_with(name(), 10)]),
    io:format("~p~n", [?A:receive_with(fun(L) when is_list(L) -> {list, L}; (_) -> pass end, 0)]),
    io:format("~p~n", [?A:receive_with(fun(X) -> {more, X} end, 0)]),
    %% A behaviour that waits itself.
    [self() ! M || M <- [{pair, x}, first, 7]],
    Pair = fun({pair, X}) -> {X, ?A:receive_with(number()), ?A:receive_with(name())}; (_) -> pass end,
    io:format("~p~n", [?A:receive_with(Pair)]),
    io:format("~p~n", [try ?A:receive_with(Pair, -1) catch error:Why -> Why end]).

%% The process has neither stack nor heap to speak of while it waits.
reacting() ->
    Main = self(),
    {Pid, Monitor} = spawn_monitor(fun() ->
        _ = lists:seq(1, 10000),
        ?A:react(fun({add, A}) -> ?A:react(fun({to, B}) -> Main ! {sum, A + B}; (_) -> pass end); (_) -> pass end)
    end),
    [Pid ! M || M <- [ignored, {to, 2}]],
    hibernates(Pid),
    {total_heap_size, Words} = process_info(Pid, total_heap_size),
    io:format("waits without a stack: ~p, small: ~p~n", [process_info(Pid, stack_size), Words < 200]),
    Pid ! {add, 1},
    receive {sum, Sum} -> io:format("sum ~p~n", [Sum]) end,
    receive {'DOWN', Monitor, _, _, Why} -> io:format("~p~n", [Why]) end,
    {Counter, CounterMonitor} = spawn_monitor(fun() -> ?A:loop(counter(0)) end),
    [Counter ! M || M <- [up, up, strange, down, up]],
    io:format("count ~p~n", [?A:ask(Counter, count)]),
    hibernates(Counter),
    Counter ! stop,
    receive {'DOWN', CounterMonitor, _, _, Because} -> io:format("~p~n", [Because]) end.

counter(N) ->
    Change = fun(up) -> ?A:become(counter(N + 1)); (down) -> ?A:become(counter(N - 1)); (_) -> pass end,
    Rest = fun(count) -> ?A:reply(N); (stop) -> ?A:stop(); (_) -> pass end,
    ?A:or_else(Change, Rest).

hibernates(Pid) ->
    case process_info(Pid, [current_function, message_queue_len]) of
        [{_, {erlang, hibernate, 3}}, {_, 0}] -> ok;
        _ -> timer:sleep(1), hibernates(Pid)
    end.

requests() ->
    Echo = spawn_link(fun() -> ?A:loop(fun({say, X}) -> ?A:reply({said, X}) end) end),
    Desk = spawn_link(fun() -> ?A:loop(fun(M) -> ?A:forward(Echo, M) end) end),
    io:format("~p ~p~n", [?A:ask(Echo, {say, hi}), ?A:ask(Desk, {say, forwarded})]),
    Futures = [?A:async(Desk, {say, N}) || N <- [1, 2, 3]],
    io:format("~p~n", [[?A:await(F) || F <- lists:reverse(Futures)]]),
    %% A message with its sender, who is answered by a message.
    Main = self(),
    spawn_link(fun() ->
        ?A:send(Echo, {say, me}),
        Main ! {got, ?A:receive_with(fun({said, X}) -> {X, ?A:sender() =:= Echo}; (_) -> pass end)}
    end),
    receive {got, Got} -> io:format("~p~n", [Got]) end,
    io:format("~p~n", [?A:sender()]).

failures() ->
    process_flag(trap_exit, true),
    Mute = spawn(fun() -> ?A:loop(fun(_) -> ok end) end),
    io:format("~p~n", [element(1, element(2, catch ?A:ask(Mute, x, 10)))]),
    Future = ?A:async(Mute, x),
    io:format("~p~n", [?A:await(Future, 10)]),
    exit(Mute, kill),
    io:format("~p~n", [element(1, element(2, catch ?A:ask(Mute, x)))]),
    io:format("~p~n", [?A:await(?A:async(no_such_name, x))]),
    self() ! nobody,
    io:format("~p~n", [try ?A:receive_with(fun(X) -> ?A:reply(X) end) catch error:Why -> Why end]).
