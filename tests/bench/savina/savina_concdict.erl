%% Savina, concurrent dictionary: one process owns a map of half a million entries, workers read and write.
-module(savina_concdict).
-export([run/0, small/0]).

-define(WRITE_PERCENT, 10).

run() -> run(20, 10_000, 16#7fffffff div 4096).
small() -> run(4, 50, 1000).

run(Workers, Messages, Size) ->
    Main = self(),
    Dictionary = spawn_link(fun() -> dictionary(maps:from_list([{K, K} || K <- lists:seq(0, Size - 1)])) end),
    [spawn_link(fun() -> worker(Messages, seed(I + Messages), Dictionary, Size, 0, Main) end)
     || I <- lists:seq(0, Workers - 1)],
    Writes = lists:sum(savina:gather(done, Workers)),
    Dictionary ! {stop, Main},
    receive {size, Entries} -> {Writes, Entries} end.

seed(N) -> rand:seed_s(exsss, N + ?WRITE_PERCENT).

worker(0, _, _, _, Writes, Main) -> Main ! {done, Writes};
worker(N, R0, Dictionary, Size, Writes, Main) ->
    {Percent, R1} = rand:uniform_s(100, R0),
    {Key, R2} = rand:uniform_s(Size, R1),
    case Percent =< ?WRITE_PERCENT of
        true ->
            {Value, R3} = rand:uniform_s(16#7fffffff, R2),
            Dictionary ! {write, self(), Key - 1, Value},
            receive {result, Value} -> ok end,
            worker(N - 1, R3, Dictionary, Size, Writes + 1, Main);
        false ->
            Dictionary ! {read, self(), Key - 1},
            receive {result, _} -> ok end,
            worker(N - 1, R2, Dictionary, Size, Writes, Main)
    end.

dictionary(Map) ->
    receive
        {write, From, Key, Value} ->
            From ! {result, Value},
            dictionary(Map#{Key => Value});
        {read, From, Key} ->
            From ! {result, map_get(Key, Map)},
            dictionary(Map);
        {stop, From} ->
            From ! {size, map_size(Map)}
    end.
