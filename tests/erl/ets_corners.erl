%% Corners of tables that random sequences (tests/models) found.
-module(ets_corners).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    [?S({Table, To, cause(fun() -> ets:give_away(table(Table), to(To), x) end)}) || Table <- [own, of_another, private, deleted, named], To <- [myself, another, dead, no_pid]],
    ?S(heirs()),
    [?S({Head, Body, show:quiet(fun() -> ets:select_replace(ets:new(t, [{keypos, 3}]), [{Head, [], [Body]}]) end)}) || Head <- ['_', '$1', {}, {a}, {'_', '_'}, {'_', '_', '_'}, no_head], Body <- ['$_', '$1', {{a}}, {const, {a}}, {const, {a, b, c}}]],
    [?S({Type, P, found(Type, P)}) || Type <- [set, ordered_set, bag, duplicate_bag], P <- key_patterns(), Type =:= ordered_set orelse not is_map(P)],
    [?S({Type, P, B, replaced(Type, P, B)}) || Type <- [set, ordered_set], {P, B} <- replacements(), Type =:= ordered_set orelse not is_map(P)].

%% An heir that ends later is still told; one that has ended already is none.
heirs() ->
    P = to(another),
    Tables = [ets:new(t, [{heir, P, x}]), begin T = ets:new(t, []), ets:setopts(T, {heir, P, x}), T end],
    R = monitor(process, P), P ! stop, receive {'DOWN', R, _, _, _} -> ok end,
    Later = [{ets:info(T, heir) =:= P, proplists:get_value(heir, ets:info(T)) =:= P} || T <- Tables],
    [ets:setopts(T, {heir, P, x}) || T <- Tables],
    {Later, [ets:info(T, heir) || T <- [ets:new(t, [{heir, P, x}]) | Tables]]}.

%% A map in a pattern matches all maps that have its pairs. Not in a key without variables: that is looked up (in a hash table
%% together with whatever else lies in its bucket).
key_patterns() ->
    [#{}, #{1 => a}, #{1 => '_'}, #{1 => '$1'}, #{'_' => a}, #{'$1' => a}, [#{}], [#{1 => a}], {#{}, x}, {#{1 => a}, x}, {#{1 => a}, '_'}, {#{1 => '_'}, x},
     {#{}, '$1'}, [1, #{} | t], [1, #{} | '_'], #{1 => #{}}, #{1 => #{1 => '_'}}].
with_maps(Type) ->
    T = ets:new(t, [Type]),
    Keys = [#{}, #{1 => a}, #{1 => a, 2 => b}, #{2 => b}, [#{1 => a}], {#{1 => a}, x}, {#{1 => a, 2 => b}, x}, {#{}, x}, #{1.0 => a}, [1, #{1 => a} | t], #{1 => #{1 => a}}],
    ets:insert(T, [{K, v} || K <- Keys]), T.
found(Type, P) ->
    T = with_maps(Type),
    All = [{{P, '_'}, [], ['$_']}],
    Keys = [K || {K, _} <- ets:select(T, All)],
    Two = ets:select(T, [{{none, '_'}, [], ['$_']} | All]),
    {lists:sort(Keys), length(Two), length(ets:match(T, {P, '_'})), ets:select_count(T, [{{P, '_'}, [], [true]}]), ets:select_delete(T, [{{P, '_'}, [], [true]}]), ets:info(T, size)}.
replacements() ->
    [{K, B} || K <- [#{}, #{1 => a}, {#{1 => a}, x}, #{1 => '$1'}, {#{1 => '_'}, x}], B <- [{const, K}, K, {K}, '$_']].
replaced(Type, P, B) ->
    T = with_maps(Type),
    Body = case B of '$_' -> B; _ -> {{B, new}} end,
    N = try ets:select_replace(T, [{{P, '_'}, [], [Body]}]) catch error:badarg -> badarg end,
    {N, lists:sort([K || {K, new} <- ets:tab2list(T)])}.

%% The cause that a failure notes.
cause(F) -> try F() catch error:Reason:Stack -> {_, _, _, Info} = hd(Stack), {Reason, maps:get(cause, proplists:get_value(error_info, Info), none)} end.

table(own) -> ets:new(t, [private]);
table(of_another) -> of_another([public]);
table(private) -> of_another([private]);
table(deleted) -> T = ets:new(t, []), ets:delete(T), T;
table(named) -> no_such_table.
of_another(Options) -> Me = self(), spawn(fun() -> Me ! {table, ets:new(t, Options)}, receive stop -> ok end end), receive {table, T} -> T end.

to(myself) -> self();
to(another) -> spawn(fun() -> receive stop -> ok end end);
to(dead) -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> P end;
to(no_pid) -> no_pid.
