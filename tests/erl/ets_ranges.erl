%% Searches of ordered tables whose guards bound the key, against the same with the key hidden in the object; objects put
%% over others in place; keys that are there already.
-module(ets_ranges).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    T = table(keys()), Hidden = table([{hidden, K} || K <- keys()]),
    [?S(bounded(T, Hidden, Guards)) || Guards <- guards()],
    ?S(portions(T)), ?S(deleted()), ?S(elsewhere()), ?S(whole_object()),
    [?S({Type, replaced(Type)}) || Type <- [set, ordered_set, bag, duplicate_bag]],
    [?S({Type, O, put_in_place(Type, O)}) || Type <- [set, ordered_set], O <- objects()],
    ?S(fixed(set)), ?S(fixed(bag)), ?S(looked_at_while_written()), ?S(many_variables()), ?S(heads()).

keys() ->
    [-3.5, -3, 0, 1, 1.5, 2, 2.0, 3, 7, 100, 100.5, 1 bsl 70, a, b, z, {}, {1}, {1, 2}, {2, 1}, #{}, #{1 => 2}, [], [1], [1, 2], [2 | x], "abc", <<>>, <<"a">>, <<"b">>, <<1:3>>].
table(Keys) ->
    T = ets:new(t, [ordered_set, public]),
    [ets:insert(T, {K, N}) || {K, N} <- lists:zip(Keys, lists:seq(1, length(Keys)))], T.

guards() ->
    Limits = [0, 2, 2.0, 1 bsl 70, b, {const, {1}}, {const, [1]}, [], <<"a">>, {const, '$1'}, {{1, 2}}],
    One = [[{Op, '$1', L}] || Op <- operators(), L <- Limits] ++ [[{Op, L, '$1'}] || Op <- operators(), L <- [2, b, <<"a">>]],
    Two = [[{O1, '$1', 1}, {O2, '$1', 100}] || O1 <- ['>', '>=', '=:='], O2 <- ['<', '=<', '==', '/=']],
    One ++ Two ++
        [[{'andalso', {'>', '$1', 1}, {'<', '$1', b}}], [{'and', {'>', '$1', 1}, {'<', 5, '$1'}, {'<', '$1', b}}], [{'orelse', {'>', '$1', b}, {'<', '$1', 1}}],
         [{'or', {'>', '$1', b}, {'<', '$1', 1}}], [{'not', {'>', '$1', 2}}], [{'andalso', {'>', '$1', 1}, {'orelse', {'<', '$1', b}, {'==', '$1', []}}}],
         [{'>', '$1', 100}, {'<', '$1', 1}], [{'>', '$1', 2}, {'>', '$1', 7}, {'>=', '$1', 7}, {'>=', '$1', 3}], [{'<', '$1', 2}, {'=<', '$1', 2}],
         [{'>', '$1', 2}, {'>', '$2', 5}], [{'>', '$2', 5}], [{is_atom, '$1'}, {'>', '$1', a}], [{'>', '$1', '$1'}], [{'>', '$1', '$2'}], [{'>', {'+', '$1', 0}, 2}],
         [{'>', '$1', {'+', 1, 1}}], [{'>', {hd, '$1'}, 0}], [{'andalso', {'>', '$1', 1}, x}], [{'and', {'>', '$1', 1}}], [{'>', '$1', '$_'}], [{'>', '$1', '$$'}],
         [{'>', '$1', #{}}], [{'>', '$1', '_'}], [{'=:=', '$1', 2}], [{'==', '$1', 2}], [{'=:=', '$1', 2.0}], [true, {'>', '$1', 2}], [false, {'>', '$1', 2}]].
operators() -> ['>', '>=', '<', '=<', '==', '/=', '=:=', '=/='].

bounded(T, Hidden, Guards) ->
    Spec = [{{'$1', '$2'}, Guards, ['$2']}], Whole = [{{{hidden, '$1'}, '$2'}, Guards, ['$2']}],
    Found = ets:select(T, Spec), Found = ets:select(Hidden, Whole), Back = ets:select_reverse(T, Spec),
    Found = lists:reverse(Back), Count = length(Found), Count = ets:select_count(T, [{{'$1', '$2'}, Guards, [true]}]),
    [Found = all(ets:select(T, Spec, N)) || N <- [1, 2, 100]], [Back = all(ets:select_reverse(T, Spec, N)) || N <- [1, 3]],
    {Guards, Found}.
all('$end_of_table') -> [];
all({Some, C}) -> Some ++ all(ets:select(C)).

%% Objects that come and go between two portions.
portions(T0) ->
    T = table([K || {K, _} <- ets:tab2list(T0), is_number(K)]),
    Spec = [{{'$1', '_'}, [{'>', '$1', 0}, {'<', '$1', 1000}], ['$1']}],
    {A, C} = ets:select(T, Spec, 2), ets:insert(T, [{0.5, x}, {2.5, x}, {50, x}, {2000, x}]), ets:delete(T, 3), B = all(ets:select(C)),
    {D, E} = ets:select_reverse(T, Spec, 2), ets:delete(T, 50), ets:insert(T, {40, x}), {A, B, D, all(ets:select(E)), show:quiet(fun() -> ets:select(setelement(2, C, -10)) end)}.

deleted() ->
    T = table(lists:seq(1, 5000)),
    N = ets:select_delete(T, [{{'$1', '_'}, [{'>', '$1', 100}, {'=<', '$1', 4000}], [true]}]),
    R = ets:select_replace(T, [{{'$1', '$2'}, [{'>', 50, '$1'}], [{{'$1', {{'$2', new}}}}]}]),
    {N, R, ets:info(T, size), [K || {K, {_, new}} <- ets:tab2list(T)] =:= lists:seq(1, 49), ets:next(T, 100), ets:prev(T, 4001)}.

%% The key is the second element; a variable that stands elsewhere, or twice.
elsewhere() ->
    T = ets:new(t, [ordered_set, {keypos, 2}]), [ets:insert(T, {X rem 7, X, X rem 3}) || X <- lists:seq(1, 60)],
    [ets:select(T, [{P, [{'>', '$1', 4}, {'<', '$1', 20}], ['$$']}]) || P <- [{'$1', '$2', '_'}, {'_', '$1', '$3'}, {'$1', '$1', '_'}, {'$3', '$1', '$3'}, {'$1', '_', '_'}, {'_', 5, '$1'}, {0, '$1', 1}]].
whole_object() ->
    T = table([1, 2, 3]),
    {ets:select(T, [{'$1', [{'>', '$1', {const, {2, 0}}}], ['$1']}]), ets:select(T, [{'$1', [{'>', '$1', 0}], ['$1']}]),
     ets:select(T, [{{'$1', '_'}, [{'>', '$1', 2}], [a]}, {{'$1', '_'}, [{'<', '$1', 2}], [b]}]),
     show:quiet(fun() -> ets:select(T, [{{'$1', '_'}, [{'>', '$9', 2}], [a]}]) end), show:quiet(fun() -> ets:select(T, [{{'_', '_'}, [{'>', '$1', 2}], [a]}]) end)}.

replaced(Type) ->
    T = ets:new(t, [Type]), B = binary:copy(<<"0123456789">>, 20),
    All = [{k, 1}, {k, 2}, {k, a}, {k, 1.0}, {k, 2.0}, {k, "abc"}, {k, "abd"}, {k, B}, {k, {B, B}}, {k, 1}, {k, self}, {k, #{a => B}}, {k, 1, 2}, {k, list_to_tuple(lists:seq(1, 100))}, {k, 3}],
    Seen = [begin true = ets:insert(T, O), [L || {k, L} <- ets:lookup(T, k)] end || O <- All],
    New = [ets:insert_new(T, {K, x}) || K <- [k, l, l, 1, 1.0, B, B]],
    {Seen, New, lists:sort([K || {K, x} <- ets:tab2list(T)]), ets:info(T, size)}.

objects() ->
    B = binary:copy(<<"0123456789">>, 20), [{1}, {1, a}, {1.0, a}, {1, 1.5}, {1.0, 2.5}, {1, [x, y]}, {1, B}, {1, {B, [B]}}, {1, <<"short">>}, {1, <<"other">>}, {1, #{x => 1}}, {1, list_to_tuple(lists:seq(1, 70))}].
put_in_place(Type, O) ->
    [begin T = ets:new(t, [Type]), ets:insert(T, Was), ets:insert(T, {2, other}), A = ets:insert(T, O), N = ets:insert_new(T, O), {A, N, lists:sort(ets:tab2list(T)), ets:info(T, size)} end || Was <- objects()].

%% What was deleted while the table is fixed is not there.
fixed(Type) ->
    T = ets:new(t, [Type]), ets:insert(T, [{X, X} || X <- lists:seq(1, 10)]), ets:safe_fixtable(T, true),
    ets:delete(T, 5), A = ets:insert_new(T, {5, new}), B = ets:insert_new(T, {5, newer}), C = ets:insert(T, {5, newest}), ets:delete(T, 6), ets:insert(T, {6, again}),
    D = {ets:lookup(T, 5), ets:lookup(T, 6), ets:member(T, 6), ets:info(T, size)}, ets:safe_fixtable(T, false), {A, B, C, D, ets:lookup(T, 5), lists:sort(ets:tab2list(T))}.

%% Readers see one object or the other, never a mixture.
looked_at_while_written() ->
    [begin
         T = ets:new(t, [Type, public]), ets:insert(T, {k, 0, 0, "0"}), S = self(),
         W = spawn_link(fun() -> [ets:insert(T, {k, X, X, integer_to_list(X rem 10)}) || X <- lists:seq(1, 20000)], S ! written end),
         R = [begin [{k, A, A, [D]}] = ets:lookup(T, k), D = A rem 10 + $0, [{k, B, B, _}] = ets:match_object(T, {k, '_', '_', '_'}), true = B >= A, ok end || _ <- lists:seq(1, 5000)],
         receive written -> ok end, unlink(W), {Type, length(R), ets:lookup(T, k)}
     end || Type <- [set, ordered_set]].

many_variables() ->
    N = 300, T = ets:new(t, []), ets:insert(T, list_to_tuple(lists:seq(1, N))),
    Head = list_to_tuple([list_to_atom("$" ++ integer_to_list(N - X)) || X <- lists:seq(1, N)]),
    [L] = ets:match(T, Head), {L =:= lists:seq(N, 1, -1), ets:select(T, [{Head, [{'==', '$0', N}, {'<', '$299', '$298'}], ['$299', {{'$0', '$150'}}]}])}.

heads() ->
    T = ets:new(t, []), ets:insert(T, [{1, {a, [b, 2]}, c}, {2, {a, [b, 3]}, b}, {3, [x | y], <<"bin">>}, {4, #{k => v, l => 5}, 1.5}, {5, a}, {6, 6, 6}]),
    [{H, lists:sort(ets:match(T, H))} || H <- [{'$1', {a, [b, '$2']}, '$3'}, {'$1', {'$3', ['$2', '_']}, '$2'}, {'_', ['$1' | '$2'], <<"bin">>}, {'$1', '_', 1.5}, {'$1', #{k => '$2'}, '_'}, {'$1', '$1', '$1'},
        {'$2', '$1', '$2'}, {'$1', '$2'}, {'$1'}, {'_', {a, '$9'}, '_'}, '$1', '_', {5, '$1'}, {'$1', {a, [b | '$1']}, '_'}, {'$1', '_', c}, {'$1', '$2', 'b'}, {4, #{l => 5}, '$1'}, {'$1', #{}, '$2'}, {'$1', #{none => '_'}, '_'}]].
