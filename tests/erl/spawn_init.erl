%% What a process begins in whom spawn_request/5 asks for: erts_internal:spawn_init/1, as tracers see it (ttb looks for
%% it), though its initial call is what was asked for.
-module(spawn_init).
-export([main/1, told/2, ends/1, wait/0]).

told(To, X) -> To ! {told, X, process_info(self(), [initial_call, current_function, current_stacktrace, messages])}.
ends(Why) -> exit(Why).
wait() -> receive nothing -> ok end.

main(_) ->
    Me = self(),
    {module, erts_internal} = code:ensure_loaded(erts_internal),  % on erl it is from the start
    Starters = [{erts_internal, spawn_init, 1}],
    [erlang:trace_pattern(F, [], [K]) || F <- Starters, K <- [local, meta]],
    [ask(Name, Flags, F) || Flags <- [[procs], [call], [procs, call, 'receive'], [running], [procs, timestamp]], {Name, F} <- [
        {function, fun(O) -> spawn_request(?MODULE, told, [Me, 1], O) end},
        {a_fun, fun(O) -> spawn_request(fun() -> told(Me, 2) end, O) end},
        {exit, fun(O) -> spawn_request(?MODULE, ends, [{bad, 3}], O) end},
        {link, fun(O) -> spawn_request(?MODULE, told, [Me, 4], [link | O]) end},
        {at_once, fun(O) -> {P, R} = spawn_opt(?MODULE, told, [Me, 5], [monitor | O -- [monitor]]), Me ! {spawn_reply, R, ok, P}, R end}]],
    [erlang:trace_pattern(F, false, [K]) || F <- Starters, K <- [local, meta]],
    waits(),
    many().

ask(Name, Flags, F) ->
    erlang:trace(new, true, Flags),
    R = F([monitor]),
    P = receive {spawn_reply, R, ok, X} -> X end,
    Why = receive {'DOWN', R, process, P, W} -> W end,
    erlang:trace(new, false, [all]),
    D = erlang:trace_delivered(P), receive {trace_delivered, P, D} -> ok end,
    io:format("~p ~p~n   ~p~n", [Name, Flags, [first_in([plain(P, M) || M <- heard(P)]), Why]]).

heard(P) -> receive M when element(1, M) =:= told; element(1, M) =:= trace, element(2, M) =:= P; element(1, M) =:= trace_ts, element(2, M) =:= P -> [M | heard(P)] after 0 -> [] end.
%% How often it runs is the scheduler's affair, and so is where a trace stands between what others send.
first_in(L) -> lists:sort([X || X <- L, not running(X)]) ++ lists:sublist([X || X = {trace, child, in, _} <- L], 1).
running(X) -> element(1, X) =:= trace andalso lists:member(element(3, X), [in, out]).
plain(_, {A, B, C}) when is_integer(A), is_integer(B), is_integer(C) -> time;
plain(P, T) when is_tuple(T) -> list_to_tuple([plain(P, X) || X <- tuple_to_list(T)]);
plain(P, [H | T]) -> [plain(P, H) | plain(P, T)];
plain(P, P) -> child;
plain(_, X) when X =:= self() -> me;
plain(_, X) when is_function(X) -> function;
plain(_, X) -> X.

%% Its place while it waits.
waits() ->
    R = spawn_request(?MODULE, wait, [], [monitor]),
    P = receive {spawn_reply, R, ok, X} -> X end,
    until_waiting(P),
    io:format("~p~n", [process_info(P, [initial_call, current_function])]),
    exit(P, kill).
until_waiting(P) -> case process_info(P, status) of {status, waiting} -> ok; _ -> erlang:yield(), until_waiting(P) end.

%% No function takes so many arguments.
many() ->
    logger:set_primary_config(level, none),
    [begin
        R = spawn_request(?MODULE, told, lists:seq(1, N), [monitor]),
        receive {'DOWN', R, process, _, {Why, Trace}} -> io:format("~p ~p~n", [Why, [{M, F, if is_list(A) -> length(A); true -> A end} || {M, F, A, _} <- Trace]]) end,
        receive {spawn_reply, R, ok, _} -> ok end
     end || N <- [3, 255, 256, 300]].
