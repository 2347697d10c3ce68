%% since: 28
%% erlang:hibernate/0: waits for a message and comes back.
-module(hibernating).
-export([main/0, main/1]).

main() -> main([]).
main(_) ->
    self() ! x,
    io:format("~p~n", [erlang:hibernate()]),
    receive x -> ok end,
    S = self(),
    spawn(fun() -> timer:sleep(50), S ! woken end),
    io:format("~p~n", [{erlang:hibernate(), receive X -> X end}]),
    P = spawn(fun() -> deep(100, S) end),
    timer:sleep(100),
    io:format("~p~n", [process_info(P, [status, message_queue_len, current_function, initial_call, current_stacktrace])]),
    erlang:garbage_collect(P),
    link(P), unlink(P),
    io:format("~p~n", [process_info(P, status)]),
    P ! {hello, lists:seq(1, 3)},
    receive {P, R} -> io:format("~p~n", [R]) end,
    Q = spawn(fun() -> erlang:hibernate() end),
    M = monitor(process, Q),
    timer:sleep(20),
    exit(Q, enough),
    receive {'DOWN', M, _, _, Why} -> io:format("~p~n", [Why]) end,
    %% a gen_server that hibernates after a while
    io:format("~p~n", [[hibernated(N) || N <- [1, 2]]]),
    %% a flood of processes that sleep and wake each other
    Ring = ring(50, S),
    Ring ! 500,
    receive done -> io:format("done~n") end.

deep(0, S) -> R = erlang:hibernate(), receive M -> S ! {self(), {R, M}} end;
deep(N, S) -> deep(N - 1, S), N.

hibernated(N) ->
    P = spawn(fun L() -> erlang:hibernate(), receive {From, X} -> From ! {self(), X * 2}, L() end end),
    [begin timer:sleep(5), P ! {self(), K}, receive {P, R} -> R end end || K <- lists:seq(1, N + 1)].

ring(N, Main) ->
    First = spawn(fun() -> receive {next, Next} -> hop(Next, Main) end end),
    Last = lists:foldl(fun(_, Next) -> spawn(fun() -> hop(Next, Main) end) end, First, lists:seq(2, N)),
    First ! {next, Last},
    First.
hop(Next, Main) ->
    erlang:hibernate(),
    receive 0 -> Main ! done; N -> Next ! N - 1, hop(Next, Main) end.
