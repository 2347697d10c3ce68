%% What a call gave, as a term that is the same on every machine that does the same.
%%
%% Pids, ports and references of this node become numbers by the order in which they turn up, funs
%% what they are made of, maps the sorted list of their pairs, and compiled regular expressions lose their code. In results of calls that were given a map of
%% more than 32 keys or a hash table lists are sorted: their order is by BEAM's internal hash
%% (tests/known_failures).
-module(api_normal).
-export([outcome/3, term/1]).

outcome(M, F, Args0) ->
    put('$api_numbers', #{}),
    Loose = lists:any(fun is_unordered/1, Args0),
    Args = [api_value:make(A) || A <- Args0],
    [term(A) || A <- Args, not is_list(A), not is_map(A)],
    Saved = erase('$api_numbers'),
    Outcome = call(M, F, Args),
    put('$api_numbers', Saved),
    Result = [loose(Loose, result(Outcome)) | [table(T) || {'$make', table, _} = R <- Args0, T <- [nth_made(R, Args0, Args)]]],
    erase('$api_numbers'),
    Result.

call(M, F, Args) ->
    try apply(M, F, Args) of V -> {value, V}
    catch C:R:S -> {C, R, S}
    end.

nth_made(R, [R | _], [T | _]) -> T;
nth_made(R, [_ | As], [_ | Ts]) -> nth_made(R, As, Ts).

table(T) ->
    case ets:info(T, size) of
        undefined -> gone;
        _ ->
            Objects = [O || {O, _} <- lists:sort([{O, term_to_binary(O)} || O <- term(ets:tab2list(T))])],
            ets:delete(T),
            Objects
    end.

is_unordered({'$make', table, Type}) -> Type =/= ordered_set;
is_unordered({'$make', iterator, N}) -> N > 32;
is_unordered(M) -> is_map(M) andalso map_size(M) > 32.

loose(false, Result) -> Result;
loose(true, Result) -> sorted(Result).

sorted([H | T] = L) ->
    try lists:sort([sorted(E) || E <- L])
    catch error:_ -> [sorted(H) | sorted(T)]
    end;
sorted(T) when is_tuple(T), tuple_size(T) < 10 -> list_to_tuple([sorted(E) || E <- tuple_to_list(T)]);
sorted(T) -> T.

result({value, V}) -> term(V);
result({Class, Reason, Stack}) ->
    {Class, term(Reason), [frame(F) || F <- until_here(Stack)], texts(Reason, Stack)}.

until_here([{?MODULE, _, _, _} | _]) -> [];
until_here([F | Fs]) -> [F | until_here(Fs)];
until_here([]) -> [].

frame({M, F, Args, Info}) when is_list(Args) -> {M, F, term(Args), term(Info)};
frame({M, F, Arity, Info}) -> {M, F, Arity, term(Info)};
frame(Other) -> {strange, term(Other)}.

%% What erl_error:format_exception would say about the arguments.
texts(Reason, [{_, _, _, Info} | _] = Stack) ->
    case lists:keyfind(error_info, 1, Info) of
        {_, #{module := M} = Map} ->
            try masked(M:(maps:get(function, Map, format_error))(Reason, Stack))
            catch C:R -> {C, term(R)}
            end;
        _ -> []
    end;
texts(_, _) -> [].

%% Without what prints differently in each run, and without the rest of a text that shows a map.
masked(Texts) when is_map(Texts) ->
    term(maps:map(fun(_, T) -> re:replace(T, "<[0-9]+\\.[0-9.]+>|#Ref<[^>]*>|#Port<[^>]*>|#Fun<[^>]*>|#{.*", "#", [global, dotall, unicode, {return, binary}]) end, Texts));
masked(Texts) -> term(Texts).

%% --- terms -----------------------------------------------------------------------------------------
term(T) when is_integer(T); is_atom(T); is_float(T); is_bitstring(T) -> T;
term([H | T]) when is_integer(H) -> [H | term(T)];
term([H | T]) -> [term(H) | term(T)];
term([]) -> [];
term({re_pattern, A, B, C, _}) -> {'$re_pattern', term(A), term(B), term(C)};
term(T) when is_tuple(T) -> list_to_tuple([term(E) || E <- tuple_to_list(T)]);
%% Sorted, and 1 before 1.0.
term(M) when is_map(M) ->
    {'$map', [P || {_, P} <- lists:sort([{{K, is_float(K)}, {term(K), term(V)}} || {K, V} <- maps:to_list(M)])]};
term(F) when is_function(F) ->
    [{_, M}, {_, N}, {_, A}, {_, Env}] = [erlang:fun_info(F, I) || I <- [module, name, arity, env]],
    {'$fun', M, N, A, term(Env)};
term(T) when is_pid(T) -> own(T, '$pid');
term(T) when is_port(T) -> own(T, '$port');
term(T) -> own(T, '$ref').

own(T, Kind) when node(T) =/= node() -> {Kind, term_to_binary(T)};
own(T, Kind) ->
    case get('$api_numbers') of
        #{T := N} -> {Kind, N};
        #{} = Numbers ->
            N = map_size(Numbers),
            put('$api_numbers', Numbers#{T => N}),
            {Kind, N};
        undefined -> {Kind, 0}
    end.
