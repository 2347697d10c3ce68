%% What ends or shrinks gives its memory back: over many rounds memory stays where it was.
%% skip asan: freed memory waits in its quarantine
-module(memory_given_back).
-export([main/1]).

main(Args) ->
    N = case Args of [A] -> list_to_integer(A); [] -> 1 end,
    steady("timers of receivers that ended", total, 10, fun() -> [timer_of_dead() || _ <- seq(100 * N)] end),
    io:format("timers of the dead: ~p~n", [[read_dead() || _ <- seq(3)]]),
    steady("tables of owners that ended", total, 10, fun() -> table_of_dead(5000 * N) end),
    steady("atomics", total, 10, fun() -> [counters:new(10000, []) || _ <- seq(40 * N)] end),
    io:format("appended binaries: ~p~n", [appended(20 * N)]),
    io:format("still appendable: ~p~n", [appendable()]),
    steady("erased persistent terms", total, 10, fun() -> erased(N) end),
    io:format("erased: ~p~n", [persistent_term:get(large, none)]),
    steady("messages of the dead", total, 10, fun() -> mail_of_dead(500 * N) end).

seq(N) -> lists:seq(1, N).

%% At most 16 MB more after 70 rounds than after 10 (a compiler for hot code takes 9 when it is first
%% needed); a leak would be more.
steady(What, Kind, Warm, Round) ->
    [isolated(Round) || _ <- seq(Warm)],
    Before = settled(Kind),
    [isolated(Round) || _ <- seq(60)],
    Grown = settled(Kind) - Before,
    io:format("~s: ~s~n", [What, if Grown < 16000000 -> "steady"; true -> integer_to_list(Grown) end]).

isolated(Round) ->
    {_, Ref} = spawn_monitor(Round),
    receive {'DOWN', Ref, _, _, normal} -> ok end.

%% What is given back once nobody uses it may take a moment: memory when it falls no more.
settled(Kind) -> settled(Kind, infinity).
settled(Kind, Before) ->
    erlang:garbage_collect(),
    timer:sleep(100),
    case erlang:memory(Kind) of
        Now when Now < Before - 100000 -> settled(Kind, Now);
        Now -> Now
    end.

%% An hour, and a message of a kilobyte or so.
timer_of_dead() ->
    {Pid, Ref} = spawn_monitor(fun() -> receive stop -> ok end end),
    Timer = erlang:send_after(3600000, Pid, lists:seq(1, 100)),
    erlang:start_timer(3600000, Pid, x),
    exit(Pid, kill),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    Timer.

read_dead() ->
    Timer = timer_of_dead(),
    {Dead, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    Late = erlang:send_after(3600000, Dead, late),
    Named = erlang:send_after(3600000, nobody_has_this_name, late),
    [gone(Timer), gone(Late), is_integer(erlang:cancel_timer(Named))].

%% It may take a moment.
gone(Timer) -> gone(Timer, 1000).
gone(Timer, N) ->
    case erlang:read_timer(Timer) of
        false -> {gone, erlang:cancel_timer(Timer)};
        _ when N > 0 -> timer:sleep(10), gone(Timer, N - 1);
        Left -> {left, is_integer(Left)}
    end.

table_of_dead(N) ->
    T = ets:new(t, [set]),
    ets:insert(T, [{K, K} || K <- seq(N)]).

erased(N) ->
    persistent_term:put(large, erlang:make_tuple(100000 * N, [N])),
    persistent_term:erase(large).

mail_of_dead(N) ->
    {Pid, Ref} = spawn_monitor(fun() -> receive stop -> ok end end),
    [Pid ! {K, lists:seq(1, 50)} || K <- seq(N)],
    exit(Pid, kill),
    receive {'DOWN', Ref, _, _, _} -> ok end.

%% Room for appending goes when nobody appends any more. (How much there is differs.)
appended(N) ->
    Kept = [append(<<>>, 3000) || _ <- seq(N)],
    erlang:garbage_collect(), erlang:garbage_collect(), erlang:garbage_collect(),

    lists:sum([byte_size(B) || B <- Kept]) =:= N * 3000.

append(B, 0) -> B;
append(B, N) -> append(<<B/binary, N>>, N - 1).

%% A trimmed one can be appended to again, and older windows of it stay as they were.
appendable() ->
    A = append(<<"start">>, 1000),
    erlang:garbage_collect(), erlang:garbage_collect(),
    B = append(A, 500),
    C = append(A, 300),
    erlang:garbage_collect(),
    {byte_size(A), byte_size(B), byte_size(C), binary:last(A), binary:last(B), binary:last(C),
     binary:part(B, 0, byte_size(A)) =:= A, erlang:phash2([A, B, C])}.
