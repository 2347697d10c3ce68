%% Savina, logistic map series: each worker has its terms computed by a server, one after the other.
-module(savina_logmap).
-export([run/0, small/0]).

-define(INCREMENT, 0.0025).

run() -> run(25_000, 10).
small() -> run(30, 3).

run(Terms, Series) ->
    Main = self(),
    Computers = [spawn_link(fun() -> computer(3.46 + I * ?INCREMENT) end) || I <- lists:seq(0, Series - 1)],
    Workers = [spawn_link(fun() -> worker(I, I * ?INCREMENT, Computer, Main) end)
               || {I, Computer} <- lists:zip(lists:seq(1, Series), Computers)],
    request(Terms, Workers),
    [Worker ! get_term || Worker <- Workers],
    Sum = lists:sum(savina:numbered(term, Series)),
    [Pid ! stop || Pid <- Workers ++ Computers],
    Sum.

request(0, _) -> ok;
request(N, Workers) -> [Worker ! next_term || Worker <- Workers], request(N - 1, Workers).

worker(I, Term, Computer, Main) ->
    receive
        next_term ->
            Ref = make_ref(),
            Computer ! {compute, self(), Ref, Term},
            receive {Ref, Next} -> worker(I, Next, Computer, Main) end;
        get_term ->
            Main ! {term, I, Term},
            worker(I, Term, Computer, Main);
        stop -> ok
    end.

computer(Rate) ->
    receive
        {compute, From, Ref, Term} -> From ! {Ref, Rate * Term * (1 - Term)}, computer(Rate);
        stop -> ok
    end.
