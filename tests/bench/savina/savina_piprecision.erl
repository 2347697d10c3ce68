%% Savina, pi precision: workers compute terms of the series of Bailey, Borwein and Plouffe to 5,000 digits.
-module(savina_piprecision).
-export([run/0, small/0]).

-define(GUARD, 10).  % digits more, so that the number of terms does not show in the result

run() -> run(20, 5_000).
small() -> run(3, 50).

run(Workers, Digits) ->
    Master = self(),
    Scale = power(10, Digits + ?GUARD),
    Pids = [spawn_link(fun() -> worker(Scale, Master) end) || _ <- lists:seq(1, Workers)],
    Terms = min(Digits, 10 * Workers),
    [lists:nth(T rem Workers + 1, Pids) ! {work, T} || T <- lists:seq(0, Terms - 1)],
    Pi = collect(Terms, Terms, 0, false, power(10, ?GUARD)),
    [Pid ! stop || Pid <- Pids],
    Pi div power(10, ?GUARD).

collect(0, _, Sum, _, _) -> Sum;
collect(Pending, Next, Sum, Stopping, Tolerance) ->
    receive
        {term, Worker, Term} ->
            case Stopping orelse Term =< Tolerance of
                true -> collect(Pending - 1, Next, Sum + Term, true, Tolerance);
                false -> Worker ! {work, Next}, collect(Pending, Next + 1, Sum + Term, false, Tolerance)
            end
    end.

worker(Scale, Master) ->
    receive
        {work, K} -> Master ! {term, self(), term(Scale, 8 * K) bsr (4 * K)}, worker(Scale, Master);
        stop -> ok
    end.

term(One, K) -> 4 * One div (K + 1) - 2 * One div (K + 4) - One div (K + 5) - One div (K + 6).

power(_, 0) -> 1;
power(X, N) when N rem 2 =:= 0 -> power(X * X, N div 2);
power(X, N) -> X * power(X, N - 1).
