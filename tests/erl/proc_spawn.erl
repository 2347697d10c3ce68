%% spawn in every shape, with every option, and what is wrong with wrong ones.
-module(proc_spawn).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    process_flag(trap_exit, true),
    [begin io:format("~0p: ", [O]), ?S(opts(O)) end || O <- wrong_options()],
    [begin io:format("~0p: ", [O]), ?S(runs(O)) end || O <- right_options()],
    ?S(spawn(id(1), b, x)), ?S(spawn_link(a, b, id([x | y]))), ?S(spawn_opt(a, b, id([x | y]), [])),
    ?S(spawn_opt(id(1), b, [], x)),
    [begin io:format("~0p: ", [{A, O}]), ?S(request(A, O)) end || {A, O} <- requests()],
    ?S(spawn_request(id(1), reverse, [[]], [])), ?S(spawn_request(lists, reverse, [[]], id([link | x]))),
    ?S(spawn_request_abandon(id(x))), ?S(spawn_request_abandon(make_ref())),
    ?S(request_monitored()), ?S(parent()), ?S(rounded()), ?S(order()), ?S(younger()).

wrong_options() ->
    [[{priority, x}], [{min_heap_size, -1}], [{min_heap_size, a}], [link | x], x, [{max_heap_size, 10}],
     [{max_heap_size, #{}}], [{max_heap_size, #{size => 1000, kill => x}}], [{monitor, [{alias, foo}]}],
     [{monitor, x}], [{monitor, [a | b]}], [{message_queue_data, x}], [{fullsweep_after, -1}],
     [{fullsweep_after, 1 bsl 70}], [{reply, no}], [unknown]].
opts(O) -> spawn_opt(lists, reverse, [[]], id(O)).

right_options() ->
    [[], [link], [monitor], [link, monitor], [{monitor, []}], [{monitor, [{tag, {my, tag}}]}],
     [{priority, high}], [{min_heap_size, 500}, {fullsweep_after, 0}], [{max_heap_size, #{size => 100000}}],
     [{message_queue_data, off_heap}], [{min_bin_vheap_size, 50000}], [{fullsweep_after, 1 bsl 50}]].
runs(O) ->
    Self = self(),
    Pid = case spawn_opt(fun() -> Self ! {self(), runs} end, O) of {P, R} when is_reference(R) -> P; P -> P end,
    receive {Pid, runs} -> ok end,
    [Pid, collect(length([X || X <- O, X =:= link orelse X =:= monitor orelse is_tuple(X) andalso element(1, X) =:= monitor]))].
%% Messages that came because of the end of the child, in any order.
collect(Expected) -> lists:sort(collect_all(Expected)).
collect_all(N) -> receive M -> [M | collect_all(N - 1)] after if N > 0 -> 5000; true -> 30 end -> [] end.

requests() ->
    L = [lists, reverse, [[]]],
    [{L, []}, {L, [foo]}, {L, [{priority, x}]}, {L, [{reply_tag, {a}}, foo]}, {L, [foo, {reply_tag, {a}}]},
     {L, [{reply, no}, foo]}, {L, [foo, {reply, no}]}, {L, [{reply, success_only}, foo]}, {L, [{reply, x}]},
     {L, [{reply, error_only}]}, {L, [{reply, no}]}, {L, [{monitor, [{alias, x}]}]}, {L, [{reply_tag, t}]}].
request([M, F, A], O) ->
    R = spawn_request(M, F, A, O),
    receive Reply when element(2, Reply) =:= R -> Reply after 300 -> none end.

request_monitored() ->
    R = spawn_request(fun() -> exit(over) end, [link, {monitor, [{tag, gone}]}]),
    A = receive {spawn_reply, R, ok, P} -> is_pid(P) end,
    B = receive {gone, R, process, _, Why} -> Why end,
    C = receive {'EXIT', _, Exit} -> Exit end,
    {A, B, C}.

parent() -> P = spawn(fun() -> receive x -> ok end end), R = process_info(P, parent) =:= {parent, self()}, exit(P, kill), R.
rounded() ->
    P = spawn_opt(fun() -> receive x -> ok end end, [{min_heap_size, 5000}, {min_bin_vheap_size, 50000}, {priority, low}, {fullsweep_after, 7}, {message_queue_data, off_heap}, {max_heap_size, 1000000}]),
    R = process_info(P, [min_heap_size, min_bin_vheap_size, priority, fullsweep_after, message_queue_data, max_heap_size]),
    exit(P, kill), R.
%% What a child sends arrives before the signal of its end.
order() ->
    Self = self(),
    {P, R} = spawn_monitor(fun() -> [Self ! {self(), N} || N <- lists:seq(1, 100)], exit(done) end),
    Seen = [receive {P, N} -> N; {'DOWN', R, _, _, _} -> early end || _ <- lists:seq(1, 100)],
    {Seen =:= lists:seq(1, 100), receive {'DOWN', R, process, P, Why} -> Why end}.

%% A younger process has the greater pid.
younger() ->
    Pids = [begin {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> P end end || _ <- lists:seq(1, 50)],
    {lists:sort(Pids) =:= Pids, hd(Pids) > self()}.
