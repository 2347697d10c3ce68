%% Maps as records and as tables: small ones updated, large ones grown, folded, merged.
-module(maps_update).
-export([run/0]).

run() ->
    Small = small(400_000, #{a => 0, b => 0, c => 0, kind => point, name => <<"p">>}),
    Large = grow(60_000, 1, #{}),
    {Small, map_size(Large), maps:fold(fun(_, V, S) -> S + V end, 0, Large),
     map_size(maps:merge(Large, grow(2000, 77, #{})))}.

small(0, M) -> M;
small(N, #{a := A, b := B} = M) when A =< B -> small(N - 1, M#{a := A + 1});
small(N, #{b := B, c := C} = M) -> small(N - 1, M#{b := B + 1, c := C + N}).

grow(0, _, M) -> M;
grow(N, X, M) ->
    Key = X rem 20_011,
    Old = maps:get(Key, M, 0),
    grow(N - 1, (X * 1103515245 + 12345) band 16#7fffffff, M#{Key => Old + 1}).
