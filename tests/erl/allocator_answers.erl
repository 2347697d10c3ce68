%% What OTP's tools ask of allocators: the shape of each answer, and that it agrees with erlang:memory/0.
-module(allocator_answers).
-export([main/1]).

main(_) ->
    Kinds = erlang:system_info(alloc_util_allocators),
    io:format("~p~n", [Kinds]),
    {_, _, Named, Settings} = erlang:system_info(allocator),
    io:format("~p~n", [{Kinds -- Named, [K || K <- Kinds, not lists:keymember(e, 1, proplists:get_value(K, Settings))]}]),
    [io:format("~p: ~p~n   ~p~n", [K, shape(erlang:system_info({allocator, K})), shape(erlang:system_info({allocator_sizes, K}))]) || K <- Kinds],
    [io:format("~p: ~p~n", [K, beside(catch erlang:system_info({Item, K}))]) || K <- [sys_alloc, mseg_alloc, erts_mmap, test_alloc], Item <- [allocator, allocator_sizes]],
    [io:format("~p: ~p~n", [I, refused(fun() -> erlang:system_info(I) end)])
     || K <- [foo, [foo], [eheap_alloc, foo], [], [eheap_alloc | x], "a"], I <- [{allocator, K}, {allocator_sizes, K}]],
    io:format("~p~n", [[K || {K, [_ | _]} <- erlang:system_info({allocator, [eheap_alloc, ets_alloc]})]]),
    [io:format("~p~n", [refused(fun() -> erts_internal:F(A) end)])
     || F <- [gather_alloc_histograms, gather_carrier_info], A <- [{foo, 0, 14, 512, make_ref()}]],
    agrees(Kinds).

%% Names in the first instance's answer.
shape([{instance, 0, L} | _]) -> [names(X) || X <- L, element(1, X) =/= fix_types].
names({K, L}) when K =:= mbcs; K =:= sbcs; K =:= calls -> {K, [{element(1, X), tuple_size(X)} || X <- L]};
names(T) -> element(1, T).

beside([{_, 0, [{options, _} | _] = L} | _]) -> {options, [element(1, X) || X <- L]};
beside([{instance, 0, L} | _]) -> [case X of {memkind, M} -> [{K, [{element(1, Y), tuple_size(Y)} || Y <- V]} || {K, V} <- M, K =/= name]; _ -> element(1, X) end || X <- L];
beside([{M, L} | _]) -> {M, [element(1, X) || X <- L]};
beside(Other) -> Other.

refused(F) -> try F() of _ -> answered catch error:R -> R end.

%% With much of each kind: what lies in blocks is what memory/0 says, and carriers hold all blocks.
agrees(Kinds) ->
    Table = ets:new(t, [public]),
    [ets:insert(Table, {N, lists:duplicate(100, N)}) || N <- lists:seq(1, 5000)],
    Binaries = [binary:copy(<<N>>, 100000) || N <- lists:seq(1, 200)],
    P = spawn(fun() -> L = lists:seq(1, 1000000), receive stop -> length(L) end end),
    timer:sleep(300),
    Memory = erlang:memory(),
    Sizes = [{K, sizes(K)} || K <- Kinds],
    [io:format("~p: ~p~n", [A, near(proplists:get_value(M, Memory), element(1, proplists:get_value(A, Sizes)))])
     || {M, A} <- [{processes, eheap_alloc}, {binary, binary_alloc}, {ets, ets_alloc}]],
    io:format("total: ~p~n", [near(proplists:get_value(total, Memory), lists:sum([B || {_, {B, _}} <- Sizes]))]),
    io:format("~p~n", [[K || {K, {B, C}} <- Sizes, C < B]]),
    true = 200 =:= length(Binaries),
    P ! stop.

%% Newer releases count more than the blocks of eheap_alloc as memory of processes.
near(A, B) when A < 2 * B, B < 2 * A -> true;
near(A, B) -> {A, B}.

sizes(K) ->
    All = [X || {instance, _, L} <- erlang:system_info({allocator, K}), {C, X} <- L, lists:member(C, [mbcs, sbcs, mbcs_pool])],
    {lists:sum([block_size(S) || X <- All, {_, P} <- proplists:get_value(blocks, X), S <- P, element(1, S) =:= size]),
     lists:sum([element(2, lists:keyfind(carriers_size, 1, X)) || X <- All])}.
block_size(S) -> element(2, S).
