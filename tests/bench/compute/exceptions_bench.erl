%% try, catch, throw through frames, and errors with stack traces.
-module(exceptions_bench).
-export([run/0]).

run() -> {loop(250_000, 0), deep(1500, 0), untaken(1_000_000, 0)}.

loop(0, S) -> S;
loop(N, S) ->
    V = try may_throw(N rem 3) of
            X -> X
        catch
            throw:{value, Y} -> Y;
            error:badarith -> 7
        end,
    loop(N - 1, S + V).

may_throw(0) -> throw({value, 2});
may_throw(1) -> 1;
may_throw(N) -> N div (N - 2).

%% Thrown through a hundred frames.
deep(0, S) -> S;
deep(N, S) -> deep(N - 1, S + (catch down(100))).

down(0) -> throw(1);
down(N) -> 1 + down(N - 1).

%% Entered and left without an exception.
untaken(0, S) -> S;
untaken(N, S) ->
    untaken(N - 1, try id(N) of X -> S + (X band 1) after id(S) end).

id(X) -> X.
