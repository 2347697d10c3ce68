%% Calls the functions of random modules with random values and writes a digest of what came of it:
%%   main([Dir, First, Last, Calls])      a line `random_N fK/A DIGEST` for each function
%%   main(["show", Dir, N, Calls, F])     of one function each call and its result
%% The same on every machine: values come from a generator of its own.
-module(random_values).
-export([main/1, small/1]).

main(["show", Dir, N, Calls, F]) ->
    code:add_patha(Dir),
    M = list_to_atom("random_" ++ N),
    [each(M, G, A, list_to_integer(Calls), fun(Args, Result) -> io:format("~0p -> ~0p~n", [Args, Result]) end)
     || {G, A} <- functions(M), atom_to_list(G) =:= F];
main([Dir, First, Last, Calls]) ->
    code:add_patha(Dir),
    [module(list_to_atom("random_" ++ integer_to_list(N)), list_to_integer(Calls))
     || N <- lists:seq(list_to_integer(First), list_to_integer(Last)),
        filelib:is_file(filename:join(Dir, "random_" ++ integer_to_list(N) ++ ".beam"))].

functions(M) -> [{F, A} || {F, A} <- lists:sort(M:module_info(exports)), F =/= module_info].

module(M, Calls) ->
    [begin
         put(digest, erlang:md5_init()),
         each(M, F, A, Calls, fun(_, Result) -> put(digest, erlang:md5_update(get(digest), term_to_binary(Result))) end),
         io:format("~s ~s/~b ~s~n", [M, F, A, binary:encode_hex(erlang:md5_final(get(digest)))])
     end || {F, A} <- functions(M)].

each(M, F, A, Calls, Then) ->
    put(state, erlang:phash2({M, F}) + 1),
    N = if A =:= 0 -> 1; A =:= 1 -> min(Calls, tuple_size(values())); true -> Calls end,
    [begin
         Args = [value(A, K) || _ <- lists:seq(1, A)],
         Then(Args, result(M, F, Args))
     end || K <- lists:seq(1, N)].

%% In its own process: messages left over end with it.
result(M, F, Args) ->
    {_, Ref} = spawn_monitor(fun() -> exit(try {ok, plain(apply(M, F, Args))}
                                           catch C:R:S -> {C, plain(R), [place(P) || P <- lists:sublist(S, 4)]} end) end),
    receive {'DOWN', Ref, _, _, R} -> R end.

place({M, F, A, Info}) when is_list(A) -> {M, F, plain(A), proplists:get_value(line, Info)};
place({M, F, A, Info}) -> {M, F, A, proplists:get_value(line, Info)}.

%% Funs and identifiers have no text that two machines share.
plain(F) when is_function(F) -> {'fun', element(2, erlang:fun_info(F, arity))};
plain(P) when is_pid(P) -> pid;
plain(R) when is_reference(R) -> ref;
plain([H | T]) -> [plain(H) | plain(T)];
plain(T) when is_tuple(T) -> list_to_tuple(plain(tuple_to_list(T)));
plain(M) when is_map(M), map_size(M) > 32 -> {map, lists:sort([{plain(K), plain(V)} || {K, V} <- maps:to_list(M)])};
plain(M) when is_map(M) -> maps:from_list([{plain(K), plain(V)} || {K, V} <- maps:to_list(M)]);
plain(X) -> X.

%% What a loop carries must not grow without end.
small(X) ->
    case weigh(X, 200) of
        Left when Left < 0 -> erlang:phash2(plain(X));
        _ -> X
    end.

weigh(_, Left) when Left < 0 -> Left;
weigh([H | T], Left) -> weigh(T, weigh(H, Left - 2));
weigh(T, Left) when is_tuple(T) -> weigh(tuple_to_list(T), Left - 1);
weigh(M, Left) when is_map(M) -> weigh(maps:to_list(M), Left - 1);
weigh(B, Left) when is_bitstring(B) -> Left - 1 - byte_size(B) div 8;
weigh(I, Left) when is_integer(I), (I > 1 bsl 1000 orelse I < -(1 bsl 1000)) -> Left - 1000;
weigh(_, Left) -> Left - 1.

%% --- values
value(1, K) -> element(K, values());
value(_, _) -> V = values(), element(random(tuple_size(V)), V).

random(N) ->
    S = (get(state) * 6364136223846793005 + 1442695040888963407) band 16#ffffffffffffffff,
    put(state, S),
    (S bsr 33) rem N + 1.

values() ->
    {0, 1, -1, 2, 3, 10, 255, 256, -256, 16#7ffffff, 1 bsl 27, 1 bsl 58, (1 bsl 59) - 1, 1 bsl 59, -(1 bsl 59), -(1 bsl 59) - 1,
     1 bsl 60, (1 bsl 63) - 1, 1 bsl 63, -(1 bsl 63), (1 bsl 64) - 1, 1 bsl 64, -(1 bsl 64), 1 bsl 100, -(1 bsl 127),
     0.0, -0.0, 1.0, -1.0, 0.5, 1.5e10, 1.0e308, 5.0e-324, 9007199254740993.0, -1.0e-10,
     a, b, ok, true, false, undefined, '',
     [], [1], [1, 2, 3], [a, b, c], [1 | 2], "abc", [[], [1], {}], [{a, 1}, {b, 2}], lists:seq(1, 20), [1.5, 2, 1 bsl 70],
     {}, {a}, {a, b}, {1, 2, 3}, {ok, 5}, {error, {a, [b]}}, {1.0, 1 bsl 65}, {{}, {}},
     <<>>, <<0>>, <<1, 2, 3>>, <<"abc">>, <<"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz">>,
     <<1:1>>, <<5:7>>, <<16#abcdef:23>>, <<"å∫𝄞"/utf8>>, <<1.5/float, 7>>, <<0:64, 255:8, 3:2>>, binary:part(<<"xxabcyy">>, 2, 3),
     #{}, #{a => 1}, #{a => 1, b => [2]}, #{1 => a, 1.0 => b}, #{{x, 1} => y, [] => z, <<"k">> => v},
     maps:from_list([{I, I * I} || I <- lists:seq(1, 40)]),
     fun erlang:abs/1, fun(X) -> X end}.
