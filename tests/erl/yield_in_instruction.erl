%% Where a process is that yields within an instruction or a call of a BIF, as others see it: its
%% current function, its stack; and a trace of it meanwhile.
%% skip repeats: backtraces show addresses
-module(yield_in_instruction).
-export([main/1]).
-export([guard/2, body/2, last/2, sum/2, applied/2, by_fun/2, loop/3]).

main(_) ->
    L = lists:duplicate(500000, x),
    persistent_term:put(list, L),
    persistent_term:put(name, length),
    persistent_term:put(length, fun erlang:length/1),
    Kinds = [guard, body, last, sum, applied, by_fun],
    [io:format("~p: ~p~n", [Kind, seen(Kind)]) || Kind <- Kinds],
    io:format("spawned: ~p~n", [spawned()]),
    [io:format("traced ~p: ~p~n", [Kind, traced(Kind)]) || Kind <- [guard, body, applied]],
    ok.

list() -> persistent_term:get(list).

guard(L, N) when length(L) > N -> big;
guard(_, _) -> small.

body(L, N) ->
    M = length(L),
    {M, N}.

last(L, _) ->
    length(L).

sum(L, N) ->
    case L of
        [_ | T] when length(T) + length(L) > N -> big;
        _ -> small
    end.

applied(L, N) ->
    R = apply(erlang, name(), [L]),
    {R, N}.

name() -> persistent_term:get(name).

by_fun(L, N) ->
    F = persistent_term:get(length),
    R = F(L),
    {R, N}.

loop(Kind, L, N) ->
    ?MODULE:Kind(L, N),
    loop(Kind, L, N).

start(Kind) ->
    Self = self(),
    P = spawn(fun() ->
                  [?MODULE:Kind([], 3) || _ <- lists:seq(1, 20)],
                  List = list(),  % is not to be seen in the middle of this
                  Self ! {ready, self()},
                  loop(Kind, List, 3)
              end),
    receive {ready, P} -> P end.

%% What is seen of it, without what is seen between two of its calls.
seen(Kind) ->
    P = start(Kind),
    Seen = [sample(P) || _ <- lists:seq(1, 60)],
    exit(P, kill),
    lists:usort([{F, where(At), [where(Frame) || Frame <- Stack]}
                 || {F, At, Stack} <- Seen, is_inside(F, Kind), length(Stack) =:= 2]).

sample(P) ->
    erlang:yield(),
    [{current_function, F}, {current_location, At}, {current_stacktrace, Stack}, {backtrace, B}] =
        process_info(P, [current_function, current_location, current_stacktrace, backtrace]),
    true = is_binary(B),
    {F, At, Stack}.

%% A BIF that was called may have returned already.
is_inside({?MODULE, loop, 3}, _) -> false;
is_inside({?MODULE, Kind, 2}, Kind) -> Kind =/= applied andalso Kind =/= by_fun;
is_inside({erlang, apply, _}, _) -> false;
is_inside(_, _) -> true.

where({M, F, A, Info}) -> {M, F, A, proplists:get_value(line, Info)}.

%% Until it is seen.
spawned() ->
    L = list(),
    Ps = [spawn(erlang, length, [L]) || _ <- lists:seq(1, 20)],
    Seen = [process_info(P, [current_function, current_stacktrace]) || P <- Ps],
    case lists:usort([S || S <- Seen, S =/= undefined, not is_unborn(S)]) of
        [] -> spawned();
        Found -> Found
    end.

is_unborn([{current_function, {erlang, length, 1}} | _]) -> true;
is_unborn(_) -> false.

%% --- breakpoints come and go meanwhile -------------------------------------------------------------
traced(Kind) ->
    P = start(Kind),
    erlang:trace(P, true, [call, return_to]),
    Self = self(),
    Ref = make_ref(),
    [begin
         erlang:trace_pattern({?MODULE, Kind, 2}, true, [local]),
         erlang:trace_pattern({?MODULE, loop, 3}, true, [local]),
         pass_on(P, 3),
         erlang:trace_pattern({?MODULE, '_', '_'}, false, [local]),
         pass_on(P, 3)
     end || _ <- lists:seq(1, 10)],
    erlang:trace_pattern({?MODULE, Kind, 2}, true, [local]),
    Calls = calls(P, [], 5),
    erlang:trace_pattern({?MODULE, '_', '_'}, false, [local]),
    exit(P, kill),
    Self ! Ref,
    flush(Ref),
    Calls.

calls(_, Seen, 0) -> lists:usort(Seen);
calls(P, Seen, N) ->
    receive
        {trace, P, call, {M, F, Args}} -> calls(P, [{call, M, F, length(Args)} | Seen], N - 1);
        {trace, P, return_to, _} -> calls(P, Seen, N)
    end.

flush(Ref) ->
    receive Ref -> ok; _ -> flush(Ref) end.

%% Lets it come to rest somewhere in the middle of its list.
pass_on(P, N) ->
    [begin erlang:yield(), process_info(P, message_queue_len), process_info(P, current_function) end
     || _ <- lists:seq(1, N)],
    ok.
