%% Sending and receiving: patterns, order, selective receive, timeouts, big mailboxes.
-ifndef(OLD_COMPILER).
-module(receive_basic).
-endif.
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    ?S(self() ! hello), ?S(receive X -> X end), ?S(receive _ -> no after 0 -> empty end),
    [self() ! M || M <- [1, a, {b, 2}, "c", <<"d">>, #{e => 3}]],
    ?S(receive {b, N} -> N end), ?S(receive #{e := V} -> V end), ?S(receive M when is_atom(M) -> M end), ?S(receive <<B/binary>> -> B end), ?S(flush()),
    ?S(order(1000)), ?S(from_many(20, 50)), ?S(selective(2000)), ?S(timeouts()), ?S(ping_pong(2000)), ?S(no_clause()), ?S(big_message()),
    ?S(counted()), ?S(nested()), ?S(ref_reply(500)), ?S(infinity()), ?S(bad_timeouts()), ?S(same_message_twice()), ?S(to_dead()), ?S(erlang:send(self(), x, [noconnect])), ?S(flush()),
    ?S(erlang:send(self(), x, [bad])), ?S(erlang:send_nosuspend(self(), y)), ?S(flush()), ?S(restart_after_timeout()), ?S(receive_in_callee(5)), ?S(all_again_after_bad_timeout()).

flush() -> receive M -> [M | flush()] after 0 -> [] end.

order(N) ->
    Self = self(),
    spawn(fun() -> [Self ! {n, I} || I <- lists:seq(1, N)] end),
    [receive {n, I} -> I end || _ <- lists:seq(1, N)] =:= lists:seq(1, N).

from_many(Senders, Each) ->
    Self = self(),
    Pids = [spawn(fun() -> [Self ! {self(), I} || I <- lists:seq(1, Each)] end) || _ <- lists:seq(1, Senders)],
    [true = [receive {P, I} -> I end || _ <- lists:seq(1, Each)] =:= lists:seq(1, Each) || P <- Pids],
    flush().

selective(N) ->
    [self() ! {I, I * I} || I <- lists:seq(1, N)],
    Sum = lists:sum([receive {I, S} -> S end || I <- lists:seq(N, 1, -1)]),
    {Sum, flush()}.

timeouts() ->
    T0 = erlang:monotonic_time(millisecond),
    receive never -> ok after 30 -> ok end,
    T1 = erlang:monotonic_time(millisecond),
    {T1 - T0 >= 30, T1 - T0 < 20000}.

ping_pong(N) ->
    Pong = spawn_link(fun() -> pong() end),
    R = ping(N, Pong, 0),
    Pong ! stop,
    R.

pong() -> receive {ping, From, N} -> From ! {pong, N}, pong(); stop -> ok end.

ping(0, _, Sum) -> Sum;
ping(N, Pong, Sum) ->
    Pong ! {ping, self(), N},
    receive {pong, N} -> ping(N - 1, Pong, Sum + N) end.

no_clause() -> self() ! odd, R = receive even -> even after 0 -> still_waiting end, {R, flush()}.

big_message() ->
    Term = lists:foldl(fun(I, A) -> #{I => A, list => lists:seq(1, I), bin => binary:copy(<<I>>, 100)} end, leaf, lists:seq(1, 50)),
    Self = self(),
    spawn(fun() -> receive {T, From} -> From ! {T, T} end end) ! {Term, Self},
    receive {A, B} -> {A =:= Term, B =:= Term, erlang:phash2(Term) =:= erlang:phash2(A)} end.

counted() ->
    Self = self(),
    Counter = spawn(fun() -> count(Self, 0) end),
    [spawn(fun() -> [Counter ! add || _ <- lists:seq(1, 100)], Self ! sent end) || _ <- lists:seq(1, 50)],
    [receive sent -> ok end || _ <- lists:seq(1, 50)],
    Counter ! report,
    receive {count, N} -> N end.

count(To, N) -> receive add -> count(To, N + 1); report -> To ! {count, N} end.

nested() ->
    self() ! a, self() ! b, self() ! c,
    receive c -> receive a -> receive b -> {c, a, b} end end end.

ref_reply(N) ->
    [self() ! {noise, I} || I <- lists:seq(1, N)],
    Server = spawn(fun() -> server(0) end),
    Replies = [call(Server, I) || I <- lists:seq(1, N)],
    exit(Server, kill),
    {lists:sum(Replies), length(flush())}.

server(State) -> receive {call, From, Ref, X} -> From ! {Ref, X + State}, server(State + 1) end.

call(Server, X) ->
    Ref = make_ref(),
    Server ! {call, self(), Ref, X},
    receive {Ref, R} -> R end.

infinity() ->
    Self = self(),
    spawn(fun() -> Self ! late end),
    receive late -> ok after infinity -> never end.

bad_timeouts() ->
    [show:outcome(fun() -> receive x -> x after id(T) -> timeout end end) || T <- [-1, a, 1.5, 1 bsl 32, 1 bsl 70, 0, 1]].

%% The receive that failed had looked at `init` already.
all_again_after_bad_timeout() ->
    self() ! init,
    {'EXIT', {timeout_value, _}} = (catch receive no -> ok after id(soon) -> ok end),
    Ref = make_ref(),
    self() ! Ref,
    receive init -> receive Ref -> both after 100 -> one end after 100 -> none end.

same_message_twice() ->
    L = lists:seq(1, 10),
    self() ! L, self() ! L,
    receive L -> receive L -> twice end end.

to_dead() ->
    {P, R} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', R, process, P, normal} -> ok end,
    P ! hello, P ! [1, 2],
    {is_process_alive(P), flush()}.

restart_after_timeout() ->
    self() ! a,
    none = receive b -> b after 5 -> none end,
    self() ! b,
    none = receive c -> c after 0 -> none end,
    {receive b -> b end, receive a -> a end}.

receive_in_callee(0) -> flush();
receive_in_callee(N) -> self() ! N, [N | receive_in_callee(N - 1)].
