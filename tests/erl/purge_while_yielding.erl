%% Code is replaced, deleted and purged while a process yields within one of its instructions, or in a BIF that
%% one has called, with nothing of that code on its stack.
-module(purge_while_yielding).
-export([main/1, named/2]).

main(_) ->
    L = lists:duplicate(500000, x),
    persistent_term:put(name, length),
    [io:format("~p of ~p: ~p~n", [What, Function, purged(What, Function, L)])
     || What <- [soft, hard, deleted], Function <- [guard, body, last, applied]],
    ok.

source(guard) -> "f(L, N) when length(L) > N -> f(L, N); f(_, N) -> N.";
source(body) -> "f(L, N) -> M = length(L), g(L, N, M). g([], N, _) -> N; g(L, N, M) when M > N -> f(L, N).";
source(last) -> "f([], _) -> 0; f(L, N) -> f(L, length(L) + N - N).";
source(applied) -> "f([], N) -> N; f(L, N) -> M = apply(erlang, persistent_term:get(name), [L]), g(L, N, M). g(L, N, M) when M > N -> f(L, N).".

load(Name, Function) ->
    Text = source(Function),
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Name, Binary} =
        compile:forms([{attribute, 1, module, Name}, {attribute, 1, export, [{f, 2}]} | functions(Tokens, [])], []),
    {module, Name} = code:load_binary(Name, "none.beam", Binary),
    ok.

functions([], []) -> [];
functions([{dot, _} = Dot | Rest], Tokens) ->
    {ok, Form} = erl_parse:parse_form(lists:reverse(Tokens, [Dot])),
    [Form | functions(Rest, [])];
functions([T | Rest], Tokens) -> functions(Rest, [T | Tokens]).

purged(What, Function, L) ->
    Name = list_to_atom("yields_" ++ atom_to_list(What) ++ atom_to_list(Function)),
    ok = load(Name, Function),
    [Name:f([], 3) || _ <- lists:seq(1, 20)],
    {P, Ref} = spawn_monitor(?MODULE, named, [Name, L]),
    pass_on(P, 8),
    Before = erlang:check_process_code(P, Name),
    true = case What of deleted -> code:delete(Name); _ -> ok =:= load(Name, Function) end,
    pass_on(P, 8),
    Uses = erlang:check_process_code(P, Name),
    Purged = case What of soft -> code:soft_purge(Name); _ -> code:purge(Name) end,
    pass_on(P, 8),
    Alive = is_process_alive(P),
    exit(P, kill),
    Why = receive {'DOWN', Ref, process, P, Reason} -> Reason end,
    After = code:soft_purge(Name),
    {Before, Uses, Purged, Alive, Why, After}.

named(Name, L) -> Name:f(L, 3).

%% Lets it come to rest somewhere in the middle of its list.
pass_on(P, N) ->
    [begin erlang:yield(), process_info(P, message_queue_len), process_info(P, current_function) end
     || _ <- lists:seq(1, N)],
    ok.
