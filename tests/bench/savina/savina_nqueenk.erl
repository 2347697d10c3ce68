%% Savina, first N solutions of the N queens: boards go through a master to workers, which search below a depth alone.
-module(savina_nqueenk).
-export([run/0, small/0]).

-define(LIMIT, 1_500_000).

run() -> run(20, 12, 4).
small() -> run(3, 6, 2).

run(Workers, Size, Threshold) ->
    Master = self(),
    Pids = list_to_tuple([spawn_link(fun() -> worker(Size, Threshold, Master) end) || _ <- lists:seq(1, Workers)]),
    element(1, Pids) ! {work, [], 0},
    Solutions = master(1, 0, 0, Pids),
    [Pid ! stop || Pid <- tuple_to_list(Pids)],
    savina:gather(stopped, Workers),
    Solutions.

master(Sent, Sent, Solutions, _) -> Solutions;
master(_, _, ?LIMIT, _) -> ?LIMIT;
master(Sent, Done, Solutions, Pids) ->
    receive
        {work, _, _} = Work ->
            element(Sent rem tuple_size(Pids) + 1, Pids) ! Work,
            master(Sent + 1, Done, Solutions, Pids);
        result -> master(Sent, Done, Solutions + 1, Pids);
        done -> master(Sent, Done + 1, Solutions, Pids)
    end.

worker(Size, Threshold, Master) ->
    receive
        {work, Board, Depth} ->
            work(Board, Depth, Size, Threshold, Master),
            Master ! done,
            worker(Size, Threshold, Master);
        stop ->
            Master ! {stopped, ok}
    end.

work(Board, Depth, Size, Threshold, Master) when Depth >= Threshold -> search(Board, Depth, Size, Master);
work(Board, Depth, Size, _, Master) ->
    [Master ! {work, [Q | Board], Depth + 1} || Q <- lists:seq(1, Size), safe(Q, Board, 1)].

search(_, Size, Size, Master) -> Master ! result;
search(Board, Depth, Size, Master) -> try_from(Size, Board, Depth, Size, Master).

try_from(0, _, _, _, _) -> ok;
try_from(Q, Board, Depth, Size, Master) ->
    safe(Q, Board, 1) andalso search([Q | Board], Depth + 1, Size, Master),
    try_from(Q - 1, Board, Depth, Size, Master).

safe(_, [], _) -> true;
safe(Q, [B | Board], N) when B =/= Q, B + N =/= Q, B - N =/= Q -> safe(Q, Board, N + 1);
safe(_, _, _) -> false.
