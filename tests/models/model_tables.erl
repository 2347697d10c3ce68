%% Runs sequences of operations on ETS tables, by three processes in turn, and tells what each gave.
%%
%% What OTP leaves open is not told: the order of a hash table's keys (results are sorted, its `first` is only some
%% key) and how much memory a table takes. What it promises is told exactly: the order of an ordered_set, of the
%% objects with one key, that each object is seen once by who walks through a fixed table, who gets a table when its
%% owner ends, and of a failure all that a shell would explain.
-module(model_tables).
-export([main/0, main/1, worker/0]).

main() -> main([]).
main(_) -> model_runner:loop(fun run/1).

run(Steps) ->
    put(tables, []), put(born, []), put(workers, []),
    put(workers, [started() || _ <- [1, 2, 3]]),
    Lines = steps(1, Steps),
    Last = [["at the end ", text(T), ": ", text(asked(hd(get(workers)), T, {whole, T})), $\n] || T <- get(tables)],
    [ended(W) || W <- get(workers)],
    [Lines, Last].

started() ->
    {W, Ref} = spawn_monitor(?MODULE, worker, []),
    put(W, Ref), put(born, get(born) ++ [W]), W.
ended(W) -> Ref = get(W), exit(W, kill), receive {'DOWN', Ref, process, W, R} -> R end.

steps(_, []) -> [];
steps(N, [{setup, Tables} | Rest]) ->
    [[step(N, W, {ets, new, [t, Options]}) || {W, Options} <- lists:zip(get(workers), Tables)] | steps(N + 1, Rest)];
steps(N, [{{worker, I}, Action} | Rest]) ->
    Line = step(N, lists:nth(I, get(workers)), Action),
    [Line | steps(N + 1, Rest)].

step(N, W, Action) ->
    Resolved = resolve(Action),
    Before = text(Resolved),
    Result = case Resolved of
                 {die, How} -> dies(W, How);
                 _ -> asked(W, table_of(Resolved), Resolved)
             end,
    case Resolved of
        {ets, new, _} when is_atom(Result); is_reference(Result) -> put(tables, (get(tables) -- [Result]) ++ [Result]);
        _ -> ok
    end,
    Mail = [{V, M} || V <- get(workers), M <- mail(V)],
    [integer_to_list(N), " ", text(W), " ", Before, ": ", text(Result), [[" mail: ", text(Mail)] || Mail =/= []], $\n].

table_of({ets, _, [T | _]}) -> T;
table_of(Action) when tuple_size(Action) > 1 -> element(2, Action).

dies(W, How) ->
    Ref = get(W),
    W ! {die, How},
    receive {'DOWN', Ref, process, W, R} -> ok end,
    New = started(),
    put(workers, [case V of W -> New; _ -> V end || V <- get(workers)]),
    {R, New}.

%% The kind of the table is looked at before: what is told of the result depends on it.
asked(W, T, Action) ->
    Kind = try ets:info(T, type) catch _:_ -> undefined end,
    Ref = make_ref(),
    W ! {do, self(), Ref, Action, lists:delete(W, get(workers))},
    receive
        {done, Ref, Result} -> told(Kind, Action, Result);
        {'DOWN', _, process, W, R} -> {worker_ended, R}
    end.
mail(W) -> Ref = make_ref(), W ! {mail, self(), Ref}, receive {mail, Ref, Ms} -> Ms end.

%% --- what is told ------------------------------------------------------------------------------
told(ordered_set, {ets, slot, [_, 0]}, R) when not is_list(R) -> nothing;  % with write_concurrency erl fails
told(ordered_set, {slots, _, _}, R) when R =:= {slots, []}; element(1, R) =:= raised -> nothing;
told(K, {ets, slot, _}, _) when K =/= ordered_set, K =/= undefined -> some_slot;
told(_, _, {raised, _, _} = R) -> R;
told(_, {ets, info, _}, Info) when is_list(Info) -> [{K, fact(K, V)} || {K, V} <- Info, K =/= memory];
told(_, {ets, info, [_, memory]}, V) -> is_integer(V);
told(_, {ets, info, [_, K]}, V) -> fact(K, V);
told(ordered_set, _, R) -> R;
told(_, {ets, F, _}, _) when F =:= next; F =:= prev -> some_key;
told(_, {ets, F, _}, R) when F =:= first; F =:= last -> if R =:= '$end_of_table' -> R; true -> some_key end;
told(_, {ets, F, _}, R) when is_list(R), F =/= lookup, F =/= take, F =/= lookup_element -> in_any_order(R);
told(_, {K, _, _}, {Told, R}) when is_list(R), K =:= fold; K =:= slots -> {Told, in_any_order(R)};
told(_, {portions, _, _, _, _, _}, {parts, Parts}) -> {parts, in_any_order(lists:append(Parts))};
told(_, {walk, _, _, _}, {seen, Keys, R}) -> {seen, in_any_order(Keys), R};
told(_, _, R) -> R.

in_any_order(L) -> lists:sort(fun(A, B) -> erts_internal:cmp_term(A, B) =< 0 end, L).

fact(safe_fixed, {_, Who}) -> lists:sort(model_runner:name(names(), Who));
fact(safe_fixed_monotonic_time, {_, Who}) -> lists:sort(model_runner:name(names(), Who));
fact(stats, _) -> stats;
fact(_, V) -> V.

names() ->
    Indexed = fun(Letter, L) -> lists:zip(L, [list_to_atom(Letter ++ integer_to_list(I)) || I <- lists:seq(1, length(L))]) end,
    maps:from_list([{self(), director}] ++ Indexed("w", get(born)) ++ Indexed("t", get(tables))).
text(Term) -> model_runner:text(model_runner:name(names(), Term)).

resolve({worker, I}) -> lists:nth(I, get(workers));
resolve({worker, ended, I}) -> case get(born) -- get(workers) of [] -> nobody; L -> lists:nth(I rem length(L) + 1, L) end;
resolve({table, I}) ->
    case get(tables) of
        [] -> no_table;
        All -> L = lists:sublist(lists:reverse(All), 6), lists:nth(I rem length(L) + 1, lists:reverse(L))
    end;
resolve(T) when is_tuple(T) -> list_to_tuple(resolve(tuple_to_list(T)));
resolve([H | T]) -> [resolve(H) | resolve(T)];
resolve(T) -> T.

%% --- the workers -------------------------------------------------------------------------------
worker() ->
    receive
        {do, From, Ref, Action, Others} ->
            Result = try act(Action) catch C:R:Stack -> failure(C, R, Stack) end,
            [is_process_alive(W) || W <- Others],
            From ! {done, Ref, Result},
            worker();
        {mail, From, Ref} -> From ! {mail, Ref, all_mail()}, worker();
        {die, return} -> ok;
        {die, How} -> exit(How)
    end.
all_mail() -> receive M -> [M | all_mail()] after 0 -> [] end.

failure(C, R, [{ets, _, _, _} | _] = Stack) ->
    {raised, model_runner:raised(C, R, Stack), lists:sort(maps:to_list(erl_stdlib_errors:format_error(R, Stack)))};
failure(C, R, Stack) -> {raised, model_runner:raised(C, R, Stack), elsewhere}.

act({ets, take, [T, K]}) -> take(T, K);
%% BEAM forgets what setopts/2 has said when it yields meanwhile, and the table is as it was made.
act({ets, F, [T | _] = Args}) when F =:= delete_all_objects; F =:= match_delete; F =:= select_delete ->
    Protection = ets:info(T, protection),
    Result = apply(ets, F, Args),
    ets:info(T, owner) =:= self() andalso ets:setopts(T, {protection, Protection}),
    Result;
act({ets, F, Args}) -> apply(ets, F, Args);
act({whole, T}) ->
    case ets:info(T, protection) of
        undefined -> gone;
        private -> {private, ets:info(T, size)};
        _ -> {ets:info(T, size), ets:info(T, fixed), in_any_order(ets:tab2list(T))}
    end;
act({fill, T, From, N}) -> ets:insert(T, [{{I, I}, I} || I <- lists:seq(From, From + N - 1)]);
act({fill_one_by_one, T, From, N}) -> lists:usort([ets:insert(T, {I, I, x}) || I <- lists:seq(From, From + N - 1)]);
act({drain, T, From, N}) -> lists:usort([ets:delete(T, I) || I <- lists:seq(From, From + N - 1)]);
act({fold, T, F}) -> {folded, ets:F(fun(O, Acc) -> [O | Acc] end, [], T)};
act({slots, T, _}) -> {slots, slots(T, 0)};
act({walk, T, Way, Change}) ->
    ets:safe_fixtable(T, true),
    try
        All = fun A('$end_of_table') -> []; A(K) -> [K | A(ets:next(T, K))] end,
        Old = All(ets:first(T)),
        Seen = case Way of
                   forth -> walk(T, ets:first(T), next, Change);
                   back -> walk(T, ets:last(T), prev, Change)
               end,
        {seen, [K || K <- Seen, lists:member(K, Old)], ets:info(T, size)}
    after ets:safe_fixtable(T, false)
    end;
act({portions, T, F, Spec, Limit, Change}) ->
    ets:safe_fixtable(T, true),
    try {parts, portions(T, ets:F(T, Spec, Limit), F, Change)}
    after ets:safe_fixtable(T, false)
    end.

%% Of a bag that is fixed erl's take/2 subtracts objects again that are deleted already: its size gets below zero.
take(T, K) ->
    case {ets:info(T, fixed), ets:info(T, type)} of
        {true, Type} when Type =:= bag; Type =:= duplicate_bag -> Os = ets:lookup(T, K), ets:delete(T, K), Os;
        _ -> ets:take(T, K)
    end.

slots(T, I) -> case ets:slot(T, I) of '$end_of_table' -> []; Os -> Os ++ slots(T, I + 1) end.

walk(_, '$end_of_table', _, _) -> [];
walk(T, K, Step, delete_behind) -> Next = ets:Step(T, K), ets:delete(T, K), [K | walk(T, Next, Step, delete_behind)];
walk(T, K, Step, Change) ->
    case Change of
        none -> ok;
        delete -> ets:delete(T, K);
        delete_object -> [ets:delete_object(T, O) || O <- ets:lookup(T, K)];
        again -> Os = take(T, K), ets:insert(T, Os);
        {insert, O} -> ets:insert(T, O)
    end,
    [K | walk(T, ets:Step(T, K), Step, case Change of {insert, _} -> none; _ -> Change end)].

portions(_, '$end_of_table', _, _) -> [];
portions(T, {L, C}, F, Change) ->
    case {Change, ets:info(T, type)} of
        {none, _} -> ok;
        {{ets, Do, Args}, ordered_set} -> apply(ets, Do, [T | Args]);
        {_, _} -> ok
    end,
    [L | portions(T, ets:F(C), F, Change)].
