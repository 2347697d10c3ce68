%% Messages that the machine makes ('DOWN', 'EXIT') stand in short and in long queues, near the front and far behind,
%% while their process collects, looks at others first, and sleeps.
-module(long_queues).
-export([main/1]).

main(_) ->
    process_flag(trap_exit, true),
    [io:format("~p: ~p~n", [{Before, How}, in_process(fun() -> queue(Before, How) end)])
     || Before <- [0, 1, 30, 31, 32, 33, 100, 1000], How <- [in_order, selective, hibernated, off_heap, to_on_heap]],
    io:format("~p~n", [in_process(fun() -> drained(3000) end)]).

in_process(F) ->
    {P, M} = spawn_monitor(fun() -> exit({is, F()}) end),
    receive {'DOWN', M, _, P, {is, R}} -> R; {'DOWN', M, _, P, R} -> {ended, R} end.

%% Behind so many others: three that end with reasons of some size, one linked, and one that was never there.
queue(Before, How) ->
    process_flag(trap_exit, true),
    How =:= off_heap andalso process_flag(message_queue_data, off_heap),
    Me = self(),
    [Me ! {noise, N, [N]} || N <- lists:seq(1, Before)],
    Ends = [spawn_monitor(fun() -> exit({reason, K, lists:seq(1, K), <<K:8000>>}) end) || K <- [1, 10, 100]],
    L = spawn_link(fun() -> exit({linked, "text", 1.5}) end),
    M = monitor(process, no_such_name),
    wait(Before + 5),
    How =:= to_on_heap andalso [process_flag(message_queue_data, W) || W <- [off_heap, on_heap]],
    [Me ! {more, N} || N <- lists:seq(1, 40)],
    garbage(50),
    case How of
        hibernated -> Me ! wake, erlang:hibernate(erlang, apply, [fun() -> exit({is, taken(How, Before, Ends, L, M)}) end, []]);
        _ -> taken(How, Before, Ends, L, M)
    end.

taken(How, Before, Ends, L, M) ->
    Get = fun() ->
        Downs = [receive {'DOWN', R, process, P, Reason} -> garbage(3), short(Reason) end || {P, R} <- lists:reverse(Ends)],
        [receive {'DOWN', M, process, {no_such_name, _}, Why} -> Why end, receive {'EXIT', L, Reason} -> Reason end | Downs]
    end,
    Noise = fun() -> [begin garbage(1), receive {noise, N, [N]} -> N end end || N <- lists:seq(1, Before)] end,
    {A, B} = case How of selective -> X = Get(), {Noise(), X}; _ -> Y = Noise(), {Y, Get()} end,
    More = [receive {more, N} -> N end || N <- lists:seq(1, 40)],
    How =:= hibernated andalso receive wake -> ok end,
    {message_queue_len, Left} = process_info(self(), message_queue_len),
    {lists:sum(A), B, lists:sum(More), Left}.

%% Received one by one, each kept alive over a collection or two.
drained(N) ->
    Me = self(),
    [Me ! {[K], {K}} || K <- lists:seq(1, N)],
    {P, R} = spawn_monitor(fun() -> exit(lists:duplicate(50, end_of_all)) end),
    wait(N + 1),
    Sum = lists:foldl(fun(_, S) -> receive {[K], {K}} -> garbage(1), S + K end end, 0, lists:seq(1, N)),
    receive {'DOWN', R, process, P, Reason} -> {Sum, length(Reason)} end.

wait(N) -> case process_info(self(), message_queue_len) of {_, N} -> ok; _ -> timer:sleep(1), wait(N) end.
garbage(0) -> ok;
garbage(N) -> _ = length([{X} || X <- lists:seq(1, 200)]), N rem 10 =:= 0 andalso garbage_collect(), garbage(N - 1).
short({reason, K, L, B}) -> {K, lists:sum(L), byte_size(B), binary:last(B)}.
