%% prim_eval:'receive'/2 calls a fun with the message it looks at. One that receives moves the place in
%% the queue, one that keeps the message outlives its place there, one that raises leaves all as it is.
%% Expected: exit 0: done
-module(receive_in_match_fun).
-export([main/0]).

main() ->
    _ = [begin nested(), taken(), kept(), raised() end || _ <- lists:seq(1, 20)],
    erlang:display(done).

nested() ->
    self() ! a, self() ! b,
    timeout = prim_eval:'receive'(fun(_) -> receive _ -> ok end, receive _ -> ok end, nomatch end, 0),
    [] = all().

taken() ->
    send([a, {b, [1]}, c]),
    {b, [1]} = prim_eval:'receive'(fun({b, _} = M) -> receive M -> M end; (_) -> nomatch end, 0),
    [a, c] = all().

kept() ->
    send([{I, lists:seq(1, 20)} || I <- lists:seq(1, 10)]),
    timeout = prim_eval:'receive'(fun({I, _} = M) -> put({kept, I}, M), nomatch end, 0),
    erlang:garbage_collect(),
    10 = length(all()),
    erlang:garbage_collect(),
    _ = [{I, [1 | _]} = get({kept, I}) || I <- lists:seq(1, 10)].

raised() ->
    send([a, {b, [1]}, c]),
    {'EXIT', {{b, [1]}, _}} =
        (catch prim_eval:'receive'(fun({b, _} = M) -> exit_with(M); (_) -> nomatch end, 10)),
    nothing = receive nothing -> something after 20 -> nothing end,
    3 = length(all()).
exit_with(M) -> erlang:error(M).

%% Each message comes from another process: it lies in a fragment of its own.
send(Messages) ->
    P = self(),
    _ = spawn_monitor(fun() -> _ = [P ! M || M <- Messages] end),
    receive {'DOWN', _, _, _, _} -> ok end.
all() -> receive X -> [X | all()] after 0 -> [] end.
