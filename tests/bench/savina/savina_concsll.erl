%% Savina, concurrent sorted linked list: one process owns a sorted list, workers add, look, and ask for its length.
-module(savina_concsll).
-export([run/0, small/0]).

-define(WRITE_PERCENT, 10).
-define(SIZE_PERCENT, 1).

run() -> run(20, 8_000).
small() -> run(4, 100).

run(Workers, Messages) ->
    Main = self(),
    List = spawn_link(fun() -> list([]) end),
    [spawn_link(fun() ->
         worker(Messages, I + Messages + ?WRITE_PERCENT + ?SIZE_PERCENT, List),
         Main ! {done, ok}
     end) || I <- lists:seq(0, Workers - 1)],
    savina:gather(done, Workers),
    List ! {stop, Main},
    receive {list, Length, Hash} -> {Length, Hash} end.

worker(0, _, _) -> ok;
worker(N, R0, List) ->
    R1 = savina:next(R0),
    R = savina:next(R1),
    case R1 rem 100 of
        Percent when Percent < ?SIZE_PERCENT -> List ! {size, self()};
        Percent when Percent < ?SIZE_PERCENT + ?WRITE_PERCENT -> List ! {write, self(), R};
        _ -> List ! {contains, self(), R}
    end,
    receive {result, _} -> worker(N - 1, R, List) end.

list(L) ->
    receive
        {write, From, Value} -> From ! {result, Value}, list(insert(Value, L));
        {contains, From, Value} -> From ! {result, contains(Value, L)}, list(L);
        {size, From} -> From ! {result, length(L)}, list(L);
        {stop, From} -> From ! {list, length(L), erlang:phash2(L)}
    end.

insert(X, [Y | L]) when Y < X -> [Y | insert(X, L)];
insert(X, L) -> [X | L].

contains(X, [Y | L]) when Y < X -> contains(X, L);
contains(X, [Y | _]) -> X =:= Y;
contains(_, []) -> false.
