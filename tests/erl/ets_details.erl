%% What ets functions return and raise, argument by argument, with the cause that error_info gives.
-module(ets_details).
-export([main/1]).

main(_Args) ->
  Fill = fun(T) -> ets:insert(T, [{a,1,x},{b,2.5,3},{c,1,2,3},{1,one,5},{d,1 bsl 70,-5}]), T end,
  S = Fill(ets:new(s,[set,public])), B=Fill(ets:new(b,[bag,public])), D=Fill(ets:new(d,[duplicate_bag,public])), O=Fill(ets:new(o,[ordered_set,public])),
  [e(S,F,A) || {F,A} <- [
    {update_counter,[a,1]},{update_counter,[a,{2,5}]},{update_counter,[a,{1,5}]},{update_counter,[a,{9,5}]},{update_counter,[a,{0,5}]},{update_counter,[a,{-1,5}]},{update_counter,[a,{3,5}]},{update_counter,[b,{2,5}]},{update_counter,[zz,{2,5}]},{update_counter,[zz,{2,5},{q}]},{update_counter,[zz,{2,5},{q,1}]},{lookup,[zz]},{update_counter,[yy,[{2,5},{3,-1},{2,1}],{q,1,2,3}]},{lookup,[yy]},{update_counter,[yy,[]]},{update_counter,[nokey,[]]},{update_counter,[nokey,[],{q,1}]},{update_counter,[a,{2,5,10,0}]},{update_counter,[a,{2,5,10,0}]},{update_counter,[a,{2,-5,-3,100}]},{update_counter,[a,{2,-5,-3,0}]},{update_counter,[d,{2,1 bsl 80}]},{update_counter,[d,{2,1 bsl 80, 5, 7}]},{update_counter,[d,{2,0, -5, 7}]},{update_counter,[d,foo]},{update_counter,[d,{2,foo}]},{update_counter,[d,{2}]},{update_counter,[d,[{2,1}|a]]},{update_counter,[d,[{2,1},{3,foo}]]},{update_counter,[d,[{2,1},{1,1}]]},{update_counter,[d,[{2,1},{7,1}]]},{lookup,[d]},{update_counter,[zzz,{2,1},foo]},{update_counter,[d,{2,1},{}]},{update_counter,[d,{2,1},foo]},{update_counter,[zzz,{5,1},{a,1}]},{update_counter,[zzz,{1,1},{a,1}]},
    {update_counter,[d,{1 bsl 70,1}]},{update_counter,[d,{foo,1}]},{update_counter,[d,{2,1.0}]},{update_counter,[d,{2,1,1.0,1}]},
    {update_element,[a,{2,foo}]},{update_element,[a,{1,foo}]},{update_element,[a,{9,foo}]},{update_element,[a,{0,foo}]},{update_element,[nokey,{2,foo}]},{update_element,[nokey,{1,foo}]},{update_element,[nokey,{99,foo}]},{update_element,[nokey,{0,foo}]},{update_element,[a,[{2,foo},{3,"str"}]]},{update_element,[a,[]]},{update_element,[nokey,[]]},{update_element,[a,[{2,bar}|c]]},{update_element,[a,foo]},{update_element,[a,{2}]},{update_element,[a,[{2,q},{9,e}]]},{update_element,[a,[{2,q},{2,r}]]},{lookup,[a]},
    {lookup_element,[a,1]},{lookup_element,[a,0]},{lookup_element,[a,4]},{lookup_element,[a,foo]},{lookup_element,[nokey,1]},{lookup_element,[nokey,0]},{lookup_element,[nokey,foo]},{lookup_element,[a,1 bsl 70]},
    {insert,[[]]},{insert,[[{a}|b]]},{insert,[{}]},{insert,[[{}]]},{insert_new,[[]]},{insert_new,[{a,1}]},{insert_new,[[{z,1},{a,1}]]},{insert_new,[[{z9,1},{z9,2}]]},{lookup,[z9]},{insert,[foo]},{insert_new,[foo]},
    {delete_object,[{a}]},{delete_object,[foo]},{delete_object,[{}]},{take,[zz]},{take,[zz]},{delete,[nokey]},{member,[a]},
    {select,[[]]},{select,[[{'_',[],[]}],1]},{select,[[{'_',[],['$_']}],0]},{select,[[{'_',[],['$_']}],-1]},{select,[[{'_',[],['$_']}],a]},{select,[[{'_',[],['$_']}],1 bsl 70]},{match,['_',0]},{match,[a]},{match,[{a,'$1'},0]},
    {match_object,[{a,'_'},0]},{select_count,[[{'_',[],[true]}]]},{select_count,[[{'_',[],[false]}]]},{select_count,[[{'_',[],[1]}]]},{select_count,[foo]},{select_replace,[foo]},{select_delete,[foo]},{slot,[foo]},
    {rename,[foo]},{rename,[1]},{setopts,[foo]},{setopts,[[]]},{setopts,[{heir,none}]},{setopts,[[{heir,none}]]},{setopts,[[{heir,none},{heir,none}]]},{setopts,[{heir,foo,1}]},{setopts,[{heir,self(),1}]},{info,[heir]},{setopts,[[{protection,private}]]},{setopts,[{protection,public}]},{setopts,[{heir,none,1}]},{setopts,[[{heir,self(),1}|z]]},{give_away,[self(),1]},{give_away,[foo,1]},{safe_fixtable,[foo]},{lookup,[1.0]},{lookup,[1]}]],
  io:format("---- bag~n"),
  [e(B,F,A) || {F,A} <- [{update_counter,[a,{2,1}]},{update_counter,[a,{2,1},{a,1}]},{update_element,[a,{2,1}]},{select_replace,[[{{'$1'},[],[{{'$1'}}]}]]},{lookup_element,[a,1]},{insert_new,[{a,5}]},{insert_new,[[{q,5},{q,6}]]},{insert_new,[[{r,5},{a,6}]]},{lookup,[q]},{lookup_element,[q,2]},{lookup_element,[q,3]},{insert,[[{q,5},{q,7},{q,6}]]},{lookup,[q]},{delete_object,[{q,7}]},{insert,[{q,7}]},{insert,[{q,5.0}]},{lookup,[q]},{take,[q]}]],
  [e(D,F,A) || {F,A} <- [{update_counter,[a,{2,1}]},{update_element,[a,{2,1}]},{select_replace,[[{{'$1'},[],[{{'$1'}}]}]]},{insert,[{a,1,x}]},{lookup,[a]},{insert,[[{q,5},{q,7},{q,5},{q,6}]]},{delete_object,[{q,5}]},{lookup,[q]}, {select,[[{{q,'$1'},[],['$1']}]]},{match_object,[{q,'_'}]},{select,[[{{q,'$1'},[],['$1']}],2]}]],
  io:format("---- oset~n"),
  [e(O,F,A) || {F,A} <- [{lookup,[1.0]},{lookup,[1]},{match,[{1.0,'$1','_'}]},{match,[{1,'$1','_'}]},{insert,[{1.0,two,5}]},{lookup,[1]},{insert_new,[{1,5}]},{update_element,[1,{2,z}]},{update_counter,[1,{3,1}]},{lookup,[1]},{member,[1]},{delete_object,[{1,z,6}]},{lookup,[1]},{delete_object,[{1.0,z,6}]},{lookup,[1]},{update_counter,[a,1]},{select_replace,[[{{'$1'},[],[{{'$1'}}]}]]}]],
  io:format("---- replace~n"),
  [e(S,select_replace,[M]) || M <- [
    [{{'$1','$2'},[],[{{'$1',{'+','$2',1}}}]}],
    [{{'$1','$2'},[],[{{'$2','$1'}}]}],
    [{{'$1','$2'},[],['$_']}],
    [{{'$1','$2'},[],[{{{element,1,'$_'},1}}]}],
    [{{'$1','$2'},[],[{{{element,2,'$_'},1}}]}],
    [{'$1',[],[{{{element,1,'$_'},1}}]}],
    [{'$1',[],[{{{element,1,'$1'},1}}]}],
    [{'_',[],[{{{element,1,'$_'},1}}]}],
    [{{a,'$2'},[],[{{a,1}}]}],
    [{{a,'$2'},[],[{const,{a,1}}]}],
    [{{a,'$2'},[],[{{{const,a},1}}]}],
    [{{{x,'$1'},'$2'},[],[{{{{x,'$1'}},1}}]}],
    [{{{x,y},'$2'},[],[{{{{x,y}},1}}]}],
    [{{{x,y},'$2'},[],[{{{const,{x,y}},1}}]}],
    [{{[x],'$2'},[],[{{[x],1}}]}],
    [{{["x"|'$1'],'$2'},[],[{{["x"|'$1'],1}}]}],
    [{{"x",'$2'},[],[true]}],
    [{{#{a=>1},'$2'},[],[{{#{a=>1},1}}]}],
    [{{'$1','$1'},[],[{{'$1'}}]}],
    [{{a,'$2'},[],['$2',{{a,'$2'}}]}],
    [{{'$1'},[],[{{'$1',1}}]},{{'$1','_'},[],[{{'$1',1}}]}],
    [{{'$1','$2'},[false],[1]}]
   ]],
  io:format("---- new~n"),
  [t(io_lib:format("~0p",[mask(A)]), fun() -> apply(ets,new,A), ok end) || A <- [[a,[named_table]],[a,[named_table]],[b,[{keypos,0}]],[b,[{keypos,-1}]],[b,[{keypos,1 bsl 60}]],[b,[{heir,none}]],[b,[{heir,self(),1}]],[b,[{heir,foo}]],[b,[compressed,{read_concurrency,true},{write_concurrency,auto},{decentralized_counters,true}]],[b,[{write_concurrency,foo}]],[b,[private|foo]],[b,foo],[1,[]],[b,[set,bag,public,private]],[b,[{read_concurrency,auto}]],['',[]],[[],[]],[undefined,[named_table]]]],
  io:format("---- access~n"),
  Me = self(),
  P = spawn(fun() -> ets:new(priv, [private, named_table]), ets:new(prot, [protected, named_table]), Me ! ready, receive stop -> ok end end),
  receive ready -> ok end,
  [t(io_lib:format("access ~p ~p",[Tn,Fn]), fun() -> apply(ets,Fn,[Tn|Args]) end) || Tn <- [priv,prot,nosuch], {Fn,Args} <- 
    [{lookup,[a]},{lookup_element,[a,1]},{insert,[{1}]},{insert,[1]},{insert_new,[{1}]},{delete,[]},{delete,[a]},{delete_object,[{a}]},{delete_object,[a]},{take,[a]},{update_counter,[a,1]},{update_counter,[a,1,{a,1}]},{update_element,[a,{2,1}]},{first,[]},{last,[]},{next,[a]},{prev,[a]},{slot,[0]},{match,['_']},{match,['_',1]},{match_object,['_']},{select,[[{'_',[],[true]}]]},{select,[[{'_',[],[true]}],1]},{select,[foo]},{select_reverse,[[{'_',[],[true]}]]},{select_count,[[{'_',[],[true]}]]},{select_delete,[[{'_',[],[true]}]]},{select_delete,[[{{a},[],[true]}]]},{select_replace,[[{{'$1'},[],[{{'$1'}}]}]]},{delete_all_objects,[]},{info,[size]},{rename,[foo]},{give_away,[self(),1]},{setopts,[{heir,none}]},{safe_fixtable,[true]},{whereis,[]},{member,[a]}]],
  P ! stop,
  io:format("---- order~n"),
  [order(Type) || Type <- [bag, duplicate_bag]],
  io:format("---- portions~n"),
  portions(),
  io:format("---- options~n"),
  [t(io_lib:format("~0p", [Os]), fun() -> X = ets:new(t, Os), [ets:info(X, K) || K <- [read_concurrency, write_concurrency, decentralized_counters, compressed, type, keypos, protection, named_table, size, node, heir, name]] end)
   || Os <- [[private, {read_concurrency, true}], [{decentralized_counters, true}], [ordered_set, {write_concurrency, true}, {decentralized_counters, false}], [{write_concurrency, true}, {decentralized_counters, true}], [ordered_set, {write_concurrency, auto}], [{write_concurrency, auto}, {decentralized_counters, false}], [private, {write_concurrency, auto}], [bag, compressed, {keypos, 3}, public], [{read_concurrency, foo}]]
             ++ [[{write_concurrency, {debug_hash_fixed_number_of_locks, N}}] || N <- [0, 1, 65, 2049, 32769, a]]
             ++ [[{write_concurrency, {debug_hash_fixed_number_of_locks, 64}} | O] || O <- [[private], [ordered_set], [{write_concurrency, true}], [{decentralized_counters, false}]]]],
  t("keys of info", fun() -> [K || {K, _} <- ets:info(ets:new(t, []))] end),
  io:format("---- names~n"),
  N = ets:new(n1, [named_table]), N2 = ets:new(n2, [named_table]), U = ets:new(n1, []),
  [t(io_lib:format("rename ~0p ~0p", [mask(X), Y]), fun() -> ets:rename(X, Y) end) || {X, Y} <- [{N, n2}, {N, n1}, {N, n3}, {U, n3}, {n3, 1}, {nosuch, n4}]],
  t("whereis", fun() -> {ets:whereis(n3), ets:whereis(n1), ets:whereis(n3) =:= ets:info(n3, id), ets:info(ets:whereis(n3), name), ets:info(U, name)} end),
  t("whereis", fun() -> ets:whereis(1) end),
  t("delete", fun() -> W = ets:whereis(N2), ets:delete(N2), {ets:info(W), ets:info(N2), ets:info(W, size)} end),
  t("all", fun() -> {lists:member(n3, ets:all()), lists:member(U, ets:all()), lists:member(N2, ets:all())} end),
  io:format("---- fixed~n"),
  fixed(),
  ok.

order(Type) ->
    T = ets:new(b, [Type]),
    Show = fun(What) -> io:format("~p ~p ~0p~n", [Type, What, [ets:lookup(T, K) || K <- [a, b, c, d, e]]]) end,
    [ets:insert(T, {a, I}) || I <- [1, 2, 3]], Show(singles),
    ets:insert(T, [{a, 4}, {a, 5}, {a, 6}]), Show(list),
    ets:insert(T, [{b, 4}, {b, 5}, {b, 6}]), ets:insert(T, {b, 1}), ets:insert(T, {b, 5}), Show(new_list),
    ets:insert(T, [{b, 11}, {b, 12}, {c, 4}, {c, 5}]), Show(mixed),
    ets:insert_new(T, [{d, 1}, {d, 2}, {d, 3}]), ets:insert_new(T, [{e, 1}, {d, 2}]), Show(insert_new),
    ets:delete_object(T, {b, 5}), Show(delete_object),
    [ets:insert(T, {e, I}) || I <- lists:seq(1, 12)],
    io:format("~0p~n~0p~n~0p~n", [ets:select(T, [{{e, '$1'}, [], ['$1']}]), ets:match(T, {e, '$1'}), ets:match_object(T, {e, '_'})]),
    chunks(ets:select(T, [{{e, '$1'}, [], ['$1']}], 5)),
    io:format("~0p~n", [ets:take(T, e)]).

chunks('$end_of_table') -> io:format("end~n");
chunks({L, C}) -> io:format("~w ", [L]), chunks(ets:select(C)).

portions() ->
    O = ets:new(q, [ordered_set]),
    ets:insert(O, [{I, I} || I <- lists:seq(1, 10)]),
    All = [{'_', [], ['$_']}],
    t("forth", fun() -> {_, C} = ets:select(O, All, 3), {C, ets:select(C)} end),
    t("back", fun() -> {_, C} = ets:select_reverse(O, All, 3), {C, ets:select_reverse(C), ets:select(C)} end),
    t("exact", fun() -> {L, C} = ets:select(O, All, 10), {L, ets:select(C)} end),
    t("none", fun() -> ets:select(O, [{{'_', '_', '_'}, [], ['$_']}], 10) end),
    t("key", fun() -> ets:select(O, [{{3, '_'}, [], ['$_']}], 10) end),
    t("keys", fun() -> ets:select(O, [{{7, '_'}, [], ['$_']}, {{3, '_'}, [], ['$_']}, {{9, '_'}, [], ['$_']}]) end),
    t("keys", fun() -> {A, C} = ets:select(O, [{{7, '_'}, [], ['$_']}, {{3, '_'}, [], ['$_']}, {{9, '_'}, [], ['$_']}], 2), {A, ets:select(C)} end),
    t("keys", fun() -> ets:select_reverse(O, [{{7, '_'}, [], ['$_']}, {{3, '_'}, [], ['$_']}, {{9, '_'}, [], ['$_']}]) end),
    t("float key", fun() -> {ets:select(O, [{{3.0, '_'}, [], ['$_']}]), ets:lookup(O, 3.0)} end),
    t("deleted", fun() -> {_, C} = ets:select(O, All, 4), ets:delete(O, 4), ets:delete(O, 5), element(1, ets:select(C)) end),
    P = ets:new(p, [ordered_set]),
    ets:insert(P, [{{A, B}, x} || A <- [a, b, c], B <- [1, 2, 3]] ++ [{b, y}, {{b}, y}, {{b, 1, 1}, y}, {[b, 1], z}, {[b, 2], z}, {[c], z}]),
    t("prefix", fun() -> {ets:select(P, [{{{b, '$1'}, '_'}, [], ['$1']}]), ets:select_reverse(P, [{{{b, '$1'}, '_'}, [], ['$1']}])} end),
    t("prefix", fun() -> {ets:match(P, {[b | '$1'], '_'}), ets:match(P, {{'$1', 2}, '_'}), ets:select_count(P, [{{{c, '_'}, '_'}, [], [true]}])} end),
    t("delete prefix", fun() -> {ets:select_delete(P, [{{{a, '_'}, '_'}, [], [true]}]), ets:first(P), ets:info(P, size)} end),
    S = ets:new(s, [set]),
    ets:insert(S, [{I, I} || I <- lists:seq(1, 1000)]),
    t("set", fun() -> Sum = collect(ets:select(S, [{{'$1', '_'}, [], ['$1']}], 7), 0), {Sum, ets:info(S, size)} end),
    t("set fixed", fun() -> ets:safe_fixtable(S, true), R = drain(S, ets:match_object(S, '_', 10), 0), ets:safe_fixtable(S, false), {R, ets:info(S, size), ets:tab2list(S)} end),
    [t("no continuation", fun() -> ets:select(C) end) || C <- [foo, {}, {1, 2, 3}, {S, 0, 1, make_ref(), [], 0}, {O, 0, 1, make_ref(), [], 0}, {S, -2, 1, ets:match_spec_compile(All), [], 0}, '$end_of_table']],
    t("repaired", fun() -> {_, C} = ets:select(O, All, 2), C2 = binary_to_term(term_to_binary(setelement(1, C, 0))), element(1, ets:select(ets:repair_continuation(setelement(1, C2, O), All))) end),
    t("empty", fun() -> {ets:select(S, []), ets:select(S, [], 3), ets:select_reverse(O, []), ets:select_count(S, []), ets:select_delete(S, []), ets:select_replace(S, [])} end).

collect('$end_of_table', Sum) -> Sum;
collect({L, C}, Sum) -> collect(ets:select(C), Sum + lists:sum(L)).

drain(_, '$end_of_table', N) -> N;
drain(T, {L, C}, N) -> [ets:delete(T, K) || {K, _} <- L], drain(T, ets:match_object(C), N + length(L)).

fixed() ->
    S = ets:new(s, [set]), ets:insert(S, [{I, I} || I <- lists:seq(1, 100)]),
    t("not fixed", fun() -> {ets:info(S, fixed), ets:info(S, safe_fixed), ets:info(S, safe_fixed_monotonic_time)} end),
    ets:safe_fixtable(S, true), ets:safe_fixtable(S, true),
    t("fixed", fun() -> {_, L} = ets:info(S, safe_fixed), {T, L} = ets:info(S, safe_fixed_monotonic_time), {ets:info(S, fixed), L, is_integer(T)} end),
    t("walk", fun() -> walk(S, ets:first(S), 0) end),
    t("revived", fun() -> ets:insert(S, {5, again}), {ets:lookup(S, 5), ets:info(S, size), ets:first(S)} end),
    ets:safe_fixtable(S, false), ets:safe_fixtable(S, false), ets:safe_fixtable(S, false),
    t("gone", fun() -> ets:next(S, 6) end),
    [begin  % a counter that fails has put its default in, and taken it out again
         F = ets:new(f, [Type]), ets:safe_fixtable(F, true),
         [e(F, G, A) || {G, A} <- [{update_counter, [1.0, 1, {1, x}]}, {next, [1.0]}, {info, [size]}, {lookup, [1.0]},
                                   {update_counter, [1.0, 1, {1, 7}]}, {update_counter, [1.0, {2, 1}, {1, 7}]}, {info, [size]},
                                   {delete, [1.0]}, {next, [1.0]}]]
     end || Type <- [set, ordered_set]],
    Me = self(),
    P = spawn(fun() -> ets:safe_fixtable(S, true), Me ! go, receive stop -> ok end end),
    receive go -> ok end,
    M = monitor(process, P), P ! stop, receive {'DOWN', M, _, _, _} -> ok end,
    t("fixer died", fun Wait() -> ets:info(S, fixed) andalso begin timer:sleep(5), Wait() end end).

walk(_, '$end_of_table', N) -> N;
walk(T, K, N) -> ets:delete(T, K), walk(T, ets:next(T, K), N + 1).

e(T, F, A) -> t(io_lib:format("~p ~0p", [F, mask(A)]), fun() -> apply(ets, F, [T | A]) end).

%% Prints the value or the exception with its cause, references and pids masked.
t(Name, F) ->
    R = try F()
        catch C:E:St ->
                Cause = case St of
                            [{_, _, _, L} | _] -> maps:get(cause, proplists:get_value(error_info, L, #{}), none);
                            _ -> none
                        end,
                {C, E, Cause}
        end,
    io:format("~ts => ~0p~n", [Name, mask(R)]).

mask(T) when is_reference(T) -> reference;
mask(T) when is_pid(T) -> pid;
mask([H | T]) -> [mask(H) | mask(T)];
mask(T) when is_tuple(T) -> list_to_tuple(mask(tuple_to_list(T)));
mask(T) when is_map(T) -> maps:from_list(mask(maps:to_list(T)));
mask(T) -> T.
