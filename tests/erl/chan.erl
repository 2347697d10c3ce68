%% whitebeam_chan: channels as Go has them.
-module(chan).
-export([main/1]).

main(_) ->
    meetings(),
    buffered(),
    closing(),
    ranges(),
    selects(),
    patience(),
    ends(),
    bad_arguments(),
    many(8, 300),
    exchange(200).

-define(C, whitebeam_chan).

waits(Pid) ->
    case process_info(Pid, [status, current_stacktrace, message_queue_len]) of
        [{status, waiting}, {_, [{whitebeam_chan, _, _, _} | _]}, {_, 0}] -> timer:sleep(5);
        _ -> timer:sleep(1), waits(Pid)
    end.

in_other(F) ->
    Self = self(),
    Pid = spawn_link(fun() -> Self ! {self(), catch F()} end),
    {Pid, fun() -> receive {Pid, Answer} -> Answer after 60_000 -> late end end}.

%% The receiver waits, the sender waits, there is room.
meetings() ->
    C = ?C:new(),
    {R, Received} = in_other(fun() -> ?C:recv(C) end),
    waits(R),
    io:format("receiver waits: ~p ~p~n", [?C:send(C, one), Received()]),
    {S, Sent} = in_other(fun() -> ?C:send(C, two) end),
    waits(S),
    io:format("sender waits: ~p ~p~n", [?C:recv(C), Sent()]),
    B = ?C:new(2),
    io:format("room: ~p ~p ~p ~p~n", [?C:send(B, 1), ?C:send(B, 2), ?C:len(B), ?C:cap(B)]),
    {S3, Sent3} = in_other(fun() -> ?C:send(B, 3) end),
    waits(S3),
    {S4, Sent4} = in_other(fun() -> ?C:send(B, 4) end),
    waits(S4),
    io:format("full: ~p~n", [?C:len(B)]),
    io:format("first in, first out: ~p~n", [[?C:recv(B) || _ <- [1, 2, 3, 4]]]),
    io:format("~p ~p ~p~n", [Sent3(), Sent4(), ?C:len(B)]).

buffered() ->
    C = ?C:new(3),
    [ok = ?C:send(C, N) || N <- [1, 2, 3]],
    io:format("no room: ~p ~p~n", [?C:send(C, 4, default), ?C:send(C, 4, 20)]),
    {ok, 1} = ?C:recv(C),
    io:format("room again: ~p, nothing lost: ~p~n", [?C:send(C, 4, default), [?C:recv(C, default) || _ <- "abcd"]]).

closing() ->
    C = ?C:new(2),
    ?C:send(C, last),
    io:format("close: ~p~n", [?C:close(C)]),
    io:format("send: ~p~n", [catch_error(fun() -> ?C:send(C, x) end)]),
    io:format("again: ~p~n", [catch_error(fun() -> ?C:close(C) end)]),
    io:format("drained: ~p ~p ~p~n", [?C:recv(C), ?C:recv(C), ?C:recv(C, default)]),
    io:format("send, close: ~p ~p~n", [catch_error(fun() -> ?C:send(C, x) end), catch_error(fun() -> ?C:close(C) end)]),
    D = ?C:new(),
    Waiting = [in_other(fun() -> ?C:recv(D) end), in_other(fun() -> ?C:select([{recv, D}, {recv, nil}]) end)],
    [waits(Pid) || {Pid, _} <- Waiting],
    ?C:close(D),
    io:format("receivers that waited: ~p~n", [[A() || {_, A} <- Waiting]]),
    E = ?C:new(),
    Senders = [in_other(fun() -> catch_error(fun() -> ?C:send(E, 1) end) end),
               in_other(fun() -> catch_error(fun() -> ?C:select([{recv, nil}, {send, E, 2}]) end) end)],
    [waits(Pid) || {Pid, _} <- Senders],
    ?C:close(E),
    io:format("senders that waited: ~p~n", [[A() || {_, A} <- Senders]]).

catch_error(F) -> try F() catch Class:Reason -> {Class, Reason} end.

ranges() ->
    C = ?C:new(),
    spawn_link(fun() -> [?C:send(C, N * N) || N <- lists:seq(1, 10)], ?C:close(C) end),
    io:format("range: ~p~n", [?C:to_list(C)]),
    io:format("fold: ~p~n", [?C:fold(fun(X, Sum) -> X + Sum end, 0, ?C:from_list([1, 2, 3]))]),
    ?C:foreach(fun(X) -> io:format("each ~p~n", [X]) end, ?C:from_list([a, b])).

selects() ->
    A = ?C:new(), B = ?C:new(1), Full = ?C:new(1),
    ?C:send(Full, x),
    io:format("default: ~p~n", [?C:select([{recv, A}, {recv, B}, {send, A, 1}, {send, Full, 1}], default)]),
    io:format("nothing at all: ~p ~p~n", [?C:select([], default), ?C:select([{recv, nil}, {send, nil, 1}], 10)]),
    io:format("room: ~p~n", [?C:select([{recv, A}, {send, B, v}], default)]),
    io:format("value: ~p~n", [?C:select([{recv, A}, {recv, B}])]),
    {S, Sent} = in_other(fun() -> ?C:select([{send, A, hello}, {recv, B}]) end),
    waits(S),
    io:format("with a select that waits: ~p ~p~n", [?C:select([{recv, B}, {recv, A}]), Sent()]),
    io:format("both are ready, one is done: ~p~n", [begin
        ?C:send(B, left),
        Done = ?C:select([{recv, B}, {recv, Full}]),
        {?C:len(B) + ?C:len(Full), lists:member(Done, [{1, {ok, left}}, {2, {ok, x}}])}
    end]),
    Q = ?C:new(),
    io:format("not with itself: ~p~n", [?C:select([{send, Q, 1}, {recv, Q}], 20)]),
    {R, Got} = in_other(fun() -> ?C:recv(Q) end),
    waits(R),
    io:format("but with another: ~p ~p~n", [?C:select([{recv, Q}, {send, Q, mine}]), Got()]),
    Z = ?C:new(),
    ?C:close(Z),
    io:format("closed: ~p ~p~n", [?C:select([{recv, A}, {recv, Z}]), catch_error(fun() -> ?C:select([{send, Z, 1}], default) end)]),
    io:format("no message is left: ~p~n", [messages()]).

patience() ->
    A = ?C:new(),
    io:format("~p ~p~n", [?C:recv(A, 20), ?C:send(A, 1, 20)]),
    io:format("what was given up is not there: ~p~n", [?C:recv(A, default)]),
    io:format("timer: ~p~n", [?C:select([{recv, A}, {recv, ?C:timer(20)}])]),
    T = ?C:timer(1),
    io:format("once: ~p ~p~n", [?C:recv(T), ?C:recv(T)]),
    %% Who waits and is killed gets nothing, and gives nothing.
    {Pid, Monitor} = spawn_monitor(fun() -> ?C:recv(A) end),
    waits(Pid),
    exit(Pid, kill),
    receive {'DOWN', Monitor, _, _, Why} -> io:format("~p~n", [Why]) end,
    timer:sleep(20),
    io:format("killed: ~p~n", [?C:send(A, lost, default)]),
    io:format("no message is left: ~p~n", [messages()]).

%% A channel ends with its owner.
ends() ->
    Self = self(),
    {Owner, Monitor} = spawn_monitor(fun() ->
        [A, B, D] = [?C:new(1), ?C:new(1), ?C:new(1)],
        ?C:give_away(B, Self), ?C:give_away(D, none),
        [?C:send(C, here) || C <- [A, B, D]],
        Self ! {self(), A, B, D},
        receive go -> ok end
    end),
    receive {Owner, A, B, D} -> ok end,
    {_, Waited} = in_other(fun() -> ?C:send(A, two) end),
    Owner ! go,
    receive {'DOWN', Monitor, _, _, Why} -> io:format("~p~n", [Why]) end,
    io:format("~p~n", [element(1, Waited())]),
    io:format("~p ~p ~p~n", [?C:recv(A), ?C:recv(B), ?C:recv(D)]),
    ?C:close(D).

bad_arguments() ->
    io:format("~p~n", [[catch_error(F) || F <- [fun() -> ?C:new(-1) end, fun() -> ?C:recv(self()) end,
                                                fun() -> ?C:send(x, 1) end, fun() -> ?C:select([recv]) end,
                                                fun() -> ?C:select([{recv, ?C:new()}], -1) end, fun() -> ?C:close(1) end,
                                                fun() -> ?C:len(1) end, fun() -> ?C:timer(-1) end, fun() -> ?C:give_away(?C:new(), x) end]]]),
    io:format("nil: ~p ~p ~p~n", [?C:len(nil), ?C:cap(nil), ?C:recv(nil, default)]).

%% Senders and receivers that select among the same channels: each value arrives once.
many(Processes, Each) ->
    Channels = [?C:new(N rem 3) || N <- lists:seq(0, 4)],
    Senders = [in_other(fun() ->
                   [begin {_, ok} = ?C:select([{send, C, {P, I}} || C <- Channels]) end || I <- lists:seq(1, Each)], sent
               end) || P <- lists:seq(1, Processes)],
    Receivers = [in_other(fun() ->
                     [begin {_, {ok, V}} = ?C:select([{recv, C} || C <- Channels]), V end || _ <- lists:seq(1, Each)]
                 end) || _ <- lists:seq(1, Processes)],
    [sent = A() || {_, A} <- Senders],
    Values = lists:append([A() || {_, A} <- Receivers]),
    All = [{P, I} || P <- lists:seq(1, Processes), I <- lists:seq(1, Each)],
    io:format("~p values, each once: ~p~n", [length(Values), lists:sort(Values) =:= All]).

%% Each offers to send and to receive on two channels, against another that does the same.
exchange(N) ->
    A = ?C:new(), B = ?C:new(),
    Both = fun(Me) ->
               fun() -> [case ?C:select([{send, A, Me}, {recv, B}, {send, B, Me}, {recv, A}]) of
                             {_, ok} -> 1;
                             {_, {ok, Other}} when Other =/= Me -> 1
                         end || _ <- lists:seq(1, N)]
               end
           end,
    Two = [in_other(Both(Me)) || Me <- [x, y]],
    io:format("exchanged ~p~n", [lists:sum(lists:append([A1() || {_, A1} <- Two]))]).

messages() ->
    {messages, Messages} = process_info(self(), messages),
    [M || M <- Messages, element(1, M) =/= 'EXIT'].
