%% Programs outside that answer what they are given: also in seeded runs, where the machine and they run by turns.
-module(ports_by_turns).
-export([main/1]).

main(_) ->
    [begin io:format("--- ~p~n", [F]), F() end || F <- [fun commands/0, fun lines/0, fun packets/0, fun ends/0,
                                                         fun several/0, fun orphans/0]],
    ok.

show(X) -> io:format("~p~n", [X]).

commands() ->
    show(os:cmd("echo hello | tr a-z A-Z")),
    show(os:cmd("exit 3; echo never")),
    show(os:cmd("cat; echo end")),
    show(length(os:cmd("seq 1 20000"))).

lines() ->
    P = open_port({spawn, "sed -u s/a/b/"}, [{line, 8}, exit_status]),
    [port_command(P, L) || L <- ["aaa\n", "a long line of more than eight\n", "c"]],
    show(received(P, 6)),
    port_close(P).

packets() ->
    P = open_port({spawn_executable, "/bin/cat"}, [{packet, 2}, binary]),
    [port_command(P, binary:copy(<<"x">>, N)) || N <- [1, 500, 30000]],
    show([byte_size(B) || {data, B} <- received(P, 3)]),
    port_close(P).

ends() ->
    process_flag(trap_exit, true),
    P = open_port({spawn, "sh -c 'read x; echo got $x; exit 7'"}, [exit_status]),
    port_command(P, "y\n"),
    show(received(P, 2)),
    receive {'EXIT', P, Why} -> show(Why) end,
    Q = open_port({spawn, "cat"}, [exit_status]),
    {os_pid, Pid} = erlang:port_info(Q, os_pid),
    os:cmd("kill -9 " ++ integer_to_list(Pid)),
    show(received(Q, 1)),
    receive {'EXIT', Q, Why2} -> show(Why2) end.

%% Each has its own answers, in order.
several() ->
    Ports = [{N, open_port({spawn, "cat"}, [{line, 100}])} || N <- lists:seq(1, 5)],
    [port_command(P, io_lib:format("~p ~p~n", [N, K])) || K <- [1, 2, 3], {N, P} <- Ports],
    [show(received(P, 3)) || {_, P} <- Ports],
    [port_close(P) || {_, P} <- Ports].

%% Who is left when the program has ended may still have something to say.
orphans() ->
    P = open_port({spawn, "sh -c '(sleep 0.1; echo late) & exit 5'"}, [exit_status]),
    show(lists:sort(received(P, 2))).

received(_, 0) -> [];
received(P, N) -> receive {P, What} -> [What | received(P, N - 1)] after 20000 -> [nothing] end.
