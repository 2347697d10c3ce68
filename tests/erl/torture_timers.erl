%% Timers that are set by some, cancelled and read by others, and fire at those who are ending: each
%% fires once or is cancelled once, never both.
%% args: 150
%% args gc-stress: 20
-module(torture_timers).
-export([main/1]).

main([Size]) ->
    N = list_to_integer(Size) * list_to_integer(os:getenv("WB_TORTURE", "1")),
    [io:format("~p: ~p~n", [Name, F(N)]) || {Name, F} <- [
        {fire_or_cancel, fun fire_or_cancel/1}, {many_cancel, fun many_cancel/1}, {to_names, fun to_names/1},
        {to_the_ending, fun to_the_ending/1}, {receive_after, fun receive_after/1}, {async, fun async/1}]].

workers(F) ->
    Refs = [element(2, spawn_monitor(fun() -> exit(F(I)) end)) || I <- lists:seq(1, 6)],
    lists:usort([Why || R <- Refs, Why <- [receive {'DOWN', R, _, _, W} -> W end], Why =/= ok]).

%% The timer's message comes exactly if cancel_timer said false.
fire_or_cancel(N) ->
    workers(fun(I) ->
        Timers = [{erlang:start_timer((I + K) rem 4, self(), K), K} || K <- lists:seq(1, N)],
        [K rem 50 =:= 0 andalso receive after 1 -> ok end || {_, K} <- Timers],
        Fired = [K || {T, K} <- Timers, erlang:cancel_timer(T) =:= false],
        Heard = [K || {T, K} <- Timers, receive {timeout, T, K} -> true after 0 -> false end],
        Late = receive {timeout, _, L} -> L after 5 -> none end,
        case {Heard, Late} of {Fired, none} -> ok; _ -> {lists:sort(Fired) -- Heard, Heard -- Fired, Late} end
    end).

%% Cancelled by several at once: one of them succeeds, or it has fired.
many_cancel(N) ->
    Me = self(),
    Count = counters:new(2, []),
    Timers = [erlang:send_after(K rem 5, Me, {fired, K}) || K <- lists:seq(1, N)],
    Bad = workers(fun(I) ->
        [begin
            is_integer(erlang:read_timer(T)) andalso erlang:yield(),
            case erlang:cancel_timer(T) of false -> ok; Ms when is_integer(Ms), Ms >= 0 -> counters:add(Count, 1, 1) end
        end || T <- case I rem 2 of 0 -> Timers; 1 -> lists:reverse(Timers) end],
        ok
    end),
    Heard = length([K || K <- lists:seq(1, N), receive {fired, K} -> true after 0 -> false end]),
    {Bad, counters:get(Count, 1) + Heard =:= N, receive {fired, X} -> X after 5 -> none end}.

%% To a name, which is somebody else's or nobody's by then.
to_names(N) ->
    workers(fun(I) ->
        Name = list_to_atom("timers_" ++ integer_to_list(I rem 3)),
        [begin
            T = erlang:send_after(K rem 3, Name, {hello, I, K}),
            {_, R} = spawn_monitor(fun() -> try register(Name, self()) catch error:badarg -> ok end, receive {hello, _, _} -> ok after 1 -> ok end end),
            K rem 4 =:= 0 andalso erlang:cancel_timer(T),
            receive {'DOWN', R, _, _, normal} -> ok end
        end || K <- lists:seq(1, N div 10)],
        ok
    end).

to_the_ending(N) ->
    workers(fun(I) ->
        [begin
            {P, R} = spawn_monitor(fun() -> erlang:start_timer(0, self(), own), receive {timeout, _, own} when K rem 2 =:= 0 -> ok after K rem 2 -> ok end end),
            T = erlang:send_after(0, P, <<I:32, 0:800>>),
            U = erlang:send_after(1000, P, lists:seq(1, 20)),
            receive {'DOWN', R, _, _, normal} -> ok end,
            _ = erlang:cancel_timer(T),
            _ = erlang:cancel_timer(U)
        end || K <- lists:seq(1, N)],
        ok
    end).

%% A receive's timeout and its message at the same time: either, and the message is never lost.
receive_after(N) ->
    workers(fun(I) ->
        Me = self(),
        [begin
            {_, R} = spawn_monitor(fun() -> receive after K rem 3 -> Me ! {msg, K} end end),
            Got = receive {msg, K} -> true after (K + I) rem 3 -> false end,
            receive {'DOWN', R, _, _, normal} -> ok end,
            case Got of true -> ok; false -> receive {msg, K} -> ok after 0 -> exit({lost, K}) end end
        end || K <- lists:seq(1, N)],
        receive {msg, X} -> {twice, X} after 0 -> ok end
    end).

async(N) ->
    workers(fun(I) ->
        Timers = [erlang:start_timer((I + K) rem 3, self(), K) || K <- lists:seq(1, N)],
        [ok = erlang:cancel_timer(T, [{async, true}]) || T <- Timers],
        Answers = [{T, receive {cancel_timer, T, A} -> A end} || T <- Timers],
        [false = erlang:cancel_timer(T) || T <- Timers],
        Bad = [T || {T, A} <- Answers, (A =:= false) =/= receive {timeout, T, _} -> true after 0 -> false end],
        case Bad of [] -> ok; _ -> {bad, length(Bad)} end
    end).
