%% Erased persistent terms and literals of purged modules: whoever has them keeps them, then their memory goes
%% (memory_given_back).
-module(literals_given_back).
-export([main/1, holder/1, hibernating/1]).
-include("show.hrl").

main(_Args) ->
    ?S(kept()), ?S(replaced(15)), ?S(purged(3)), ?S(passed_on(10)), ?S(shared_once()), ?S(listed()), ?S(dies_meanwhile(4)), ?S(too_large()).

big(N) -> {N, lists:seq(1, 50), binary:copy(<<N>>, 100), #{a => [N], b => "text"}}.

%% In the heap, the dictionary, the stack, a message not yet received, a fun, and while hibernating.
kept() ->
    V = big(1),
    persistent_term:put(kept, V),
    Ps = [spawn(?MODULE, holder, [How]) || How <- [heap, dictionary, stack, fun_, young]] ++ [spawn(?MODULE, hibernating, [persistent_term:get(kept)])],
    Q = spawn(fun() -> receive go -> receive {queued, T} -> answer(T) end end end),
    Q ! {queued, persistent_term:get(kept)},
    [receive {ready, P} -> ok end || P <- tl(lists:reverse(Ps))],
    Mine = persistent_term:get(kept),
    true = persistent_term:erase(kept),
    churn(8), Q ! go,
    Answers = [ask(P) || P <- [Q | Ps]],
    {[A =:= V || A <- Answers], Mine =:= V}.

holder(How) -> put(starter, hd(get_starter())), hold(How, persistent_term:get(kept)).
get_starter() -> {parent, P} = process_info(self(), parent), [P].
hold(heap, T) -> L = [T, T], ready(), [X, X] = L, answer(X);
hold(dictionary, T) -> put(t, T), erlang:garbage_collect(), ready(), answer_with(fun() -> get(t) end);
hold(stack, T) -> ready(), R = answer(element(2, T)), {R, T};
hold(fun_, T) -> F = fun() -> T end, erlang:garbage_collect(), erlang:garbage_collect(), ready(), answer_with(F);
hold(young, T) -> ready(), answer({T, self()}).
hibernating(T) -> erlang:hibernate(erlang, apply, [fun() -> answer(T) end, []]).

ready() -> get(starter) ! {ready, self()}.
answer(T) -> answer_with(fun() -> T end).
answer_with(F) -> receive {ask, From, Ref} -> From ! {Ref, F()} end.
ask(P) ->
    Ref = make_ref(), P ! {ask, self(), Ref},
    receive
        {Ref, {{1, _, _, _} = T, P}} -> T;
        {Ref, L} when is_list(L) -> setelement(2, big(1), L);
        {Ref, T} -> T
    after 5000 -> none end.

%% Others come and go, so that what was freed would be written over.
churn(N) -> [begin persistent_term:put({churn, I rem 7}, big(I rem 200)), I rem 3 =:= 0 andalso persistent_term:erase({churn, I rem 7}) end || I <- lists:seq(1, N)], settle().
settle() -> erlang:garbage_collect(), receive after 20 -> ok end.

replaced(N) ->
    S = self(),
    Ps = [spawn(fun() -> S ! {self(), [begin T = persistent_term:get(it, big(0)), check(T), T end || _ <- lists:seq(1, N)]} end) || _ <- lists:seq(1, 4)],
    [persistent_term:put(it, big(I rem 100)) || I <- lists:seq(1, N)],
    [receive {P, Ts} -> length([check(T) || T <- Ts]) end || P <- Ps].
check({N, L, B, #{a := [N]}}) -> 1275 = lists:sum(L), B = binary:copy(<<N>>, 100).

%% A module's literals, held by processes when it is purged.
purged(N) ->
    Ps = [begin
              load(I),
              S = self(),
              P = spawn(fun() -> T = (id(lgb_module)):t(), F = fun() -> {f, T} end, S ! {self(), there}, receive {ask, From, Ref} -> From ! {Ref, {T, F()}} end end),
              receive {P, there} -> P end
          end || I <- lists:seq(1, N)],
    code:delete(lgb_module), code:purge(lgb_module), settle(),
    [begin {{literal, I, "list"}, {f, {literal, I, "list"}}} = ask(P), I end || {I, P} <- lists:zip(lists:seq(1, N), Ps)].
load(I) ->
    Forms = [{attribute, 1, module, lgb_module}, {attribute, 1, export, [{t, 0}]},
             {function, 1, t, 0, [{clause, 1, [], [], [{tuple, 1, [{atom, 1, literal}, {integer, 1, I}, {string, 1, "list"}]}]}]}],
    {ok, M, Code} = compile:forms(Forms),
    code:purge(M), {module, M} = code:load_binary(M, "lgb_module.beam", Code).

%% A term goes from process to process while it is erased.
passed_on(N) ->
    S = self(),
    Ring = lists:foldl(fun(_, Next) -> spawn(fun() -> pass(Next) end) end, S, lists:seq(1, 10)),
    [begin
         persistent_term:put(passed, big(I rem 100)), Ring ! persistent_term:get(passed), persistent_term:erase(passed)
     end || I <- lists:seq(1, N)],
    lists:sum([receive {_, L, _, _} = T -> check(T), length(L) end || _ <- lists:seq(1, N)]).
pass(Next) -> receive T -> Next ! T, pass(Next) end.

%% What is shared within the value is copied once.
shared_once() ->
    L = lists:seq(1, 1000),
    persistent_term:put(shared, {L, L, L}),
    {A, B, C} = T = persistent_term:get(shared),
    persistent_term:erase(shared), settle(),
    {A =:= L, B =:= A, C =:= A, erts_debug:size(id(T)) < 2100}.

listed() ->
    persistent_term:put({l, 1}, [one]), persistent_term:put(l2, 2),
    All = lists:sort([KV || {K, _} = KV <- persistent_term:get(), K =:= {l, 1} orelse K =:= l2]),
    persistent_term:erase({l, 1}), persistent_term:erase(l2), settle(),
    {All, persistent_term:get(l2, none)}.

%% Processes end while they are asked.
dies_meanwhile(N) ->
    [begin
         persistent_term:put(mortal, big(1)),
         {P, R} = spawn_monitor(fun() -> T = case persistent_term:get(mortal, x) of x -> {1, x, <<0:800>>}; V -> V end, receive after I rem 3 -> exit({done, element(1, T), size(element(3, T))}) end end),
         persistent_term:erase(mortal),
         I rem 2 =:= 0 andalso begin persistent_term:put(mortal, x), persistent_term:erase(mortal) end,
         receive {'DOWN', R, process, P, {done, 1, 100}} -> ok end
     end || I <- lists:seq(1, N)],
    ok.

%% A literal that becomes part of a heap counts against its limit.
too_large() ->
    M = lgb_too_large, Me = self(),
    Lines = ["-module(lgb_too_large).", "-export([l/0]).", lists:flatten(io_lib:format("l() -> ~w.", [lists:seq(1, 5000)]))],
    {ok, M, Code} = compile:forms([begin {ok, T, _} = erl_scan:string(L), {ok, F} = erl_parse:parse_form(T), F end || L <- Lines], []),
    [begin
         {module, M} = code:load_binary(M, "lgb_too_large.beam", Code),
         {P, R} = spawn_opt(fun() -> L = M:l(), code:delete(M), code:purge(M), Me ! {self(), purged}, receive done -> length(L) end end,
                            [monitor, {max_heap_size, #{size => Words, kill => true, error_logger => false}}]),
         receive {'DOWN', R, process, P, Reason} -> Reason; {P, purged} -> receive after 300 -> exit(P, no_wonder) end, receive {'DOWN', R, process, P, Reason} -> Reason end end
     end || Words <- [1024, 1000000]].
