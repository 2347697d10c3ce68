%% What is done to large tables gives others their turn: putting a long list in, deleting, clearing,
%% and the end of a process that owns, has fixed, has started, knows or was sent much. And what others see meanwhile.
%% args: 100000
%% args gc-stress: 60
%% args seeds: 20000
%% args asan: 50000
%% args tsan: 50000
-module(long_tables).
-export([main/1]).

main([Arg]) ->
    N = list_to_integer(Arg),
    process_flag(trap_exit, true),
    [io:format("~s ~p~n", [Name, traced(N, Prepare, Do)]) || {Name, Prepare, Do} <- calls(N)],
    [io:format("end: ~s ~p~n", [Name, ending(N, Own)]) || {Name, Own} <- belongings(N)],
    %% BEAM frees messages in one go.
    io:format("end: messages ~p~n", [element(1, ending(N, fun() -> [self() ! {message, I} || I <- lists:seq(1, N)], ets:new(owned, [named_table, public]) end))]),
    io:format("killed ~p~n", [[killed(N, Type) || Type <- [set, ordered_set, duplicate_bag]]]),
    io:format("deleted meanwhile ~p~n", [deleted(N)]),
    io:format("renamed meanwhile ~p~n", [renamed(N)]),
    io:format("deletes own ~p~n", [[searched(N, Type, Fixes) || Type <- [set, ordered_set, bag], Fixes <- [0, 1]]]),
    io:format("fixed by two ~p~n", [fixed_by_two(N)]),
    io:format("reason ~p~n", [reason(N)]).

pairs(N) -> [{I, x} || I <- lists:seq(1, N)].
table(Type, N) ->
    T = ets:new(t, [Type, public]),
    fill(T, N),
    T.
fill(_, 0) -> ok;
fill(T, N) -> ets:insert(T, {N, x}), fill(T, N - 1).
fixed(Type, N) ->
    T = table(Type, N),
    ets:safe_fixtable(T, true),
    T.

calls(N) ->
    New = fun(Type) -> fun() -> {ets:new(t, [Type]), pairs(N)} end end,
    Insert = fun({T, L}) -> {ets:insert(T, L), ets:info(T, size)} end,
    InsertNew = fun({T, L}) -> {ets:insert_new(T, L), ets:insert_new(T, L ++ [{0, y}]), ets:info(T, size)} end,
    Delete = fun(T) -> {ets:delete(T), ets:info(T)} end,
    Clear = fun(T) -> {ets:delete_all_objects(T), ets:info(T, size), ets:first(T)} end,
    Select = fun(T) -> {ets:select_delete(T, [{{'$1', '_'}, [{'=/=', '$1', 7}], [true]}]), ets:tab2list(T), ets:info(T, fixed)} end,
    [{"insert set", New(set), Insert},
     {"insert ordered", New(ordered_set), Insert},
     {"insert bag", New(bag), Insert},
     {"insert_new", New(set), InsertNew},
     {"insert bad", New(set), fun({T, L}) -> {catch_class(fun() -> ets:insert(T, L ++ [{}]) end), ets:info(T, size)} end},
     {"insert improper", New(set), fun({T, L}) -> {catch_class(fun() -> ets:insert(T, L ++ x) end), ets:info(T, size)} end},
     {"delete set", fun() -> table(set, N) end, Delete},
     {"delete ordered", fun() -> table(ordered_set, N) end, Delete},
     {"clear set", fun() -> table(set, N) end, Clear},
     {"clear ordered", fun() -> table(ordered_set, N) end, Clear},
     {"select_delete", fun() -> table(set, N) end, Select},
     {"match_spec_run", fun() -> {pairs(N), ets:match_spec_compile([{{'$1', '_'}, [{'<', '$1', 4}], ['$1']}])} end,
      fun({L, C}) -> {ets:match_spec_run(L, C), catch_class(fun() -> ets:match_spec_run(L ++ x, C) end)} end},
     {"common prefix", fun() -> B = binary:copy(<<"abcdefgh">>, 20 * N), [B, <<B/binary, 1>>, B] end,
      fun(L) -> binary:longest_common_prefix(L) =:= byte_size(hd(L)) end},
     {"common suffix", fun() -> B = binary:copy(<<"abcdefgh">>, 20 * N), [<<0, B/binary>>, <<B/binary>>, <<1, B/binary>>] end,
      fun(L) -> binary:longest_common_suffix(L) =:= byte_size(hd(tl(L))) end}].

catch_class(F) -> try F() catch C:R -> {C, R} end.

%% The result, and whether it was scheduled out at least twice on the way.
traced(N, Prepare, Do) ->
    Me = self(),
    P = spawn_link(fun() -> D = Prepare(), Me ! {self(), ready}, receive go -> ok end, Me ! {self(), Do(D)} end),
    receive {P, ready} -> ok end,
    erlang:trace(P, true, [running]),
    P ! go,
    Result = receive {P, R} -> R end,
    receive {'EXIT', P, normal} -> ok end,
    {Result, outs(P, out, N)}.

outs(P, Tag, N) ->
    D = erlang:trace_delivered(P),
    receive {trace_delivered, P, D} -> ok end,
    Outs = length([x || {trace, _, T, _} <- traces(P), T =:= Tag]),
    N < 50000 orelse Outs >= 2.
traces(P) -> receive {trace, P, _, _} = T -> [T | traces(P)] after 0 -> [] end.

belongings(N) ->
    Table = fun(Type) -> fun() -> ets:new(owned, [Type, named_table, public]), fill(owned, N) end end,
    [{"set", Table(set)}, {"ordered_set", Table(ordered_set)}, {"bag", Table(bag)},
     {"many tables", fun() -> [ets:new(t, []) || _ <- lists:seq(1, N div 20)], ets:new(owned, [named_table, public]) end},
     {"fixed", fun() -> (Table(set))(), ets:safe_fixtable(owned, true), ets:select_delete(owned, [{'_', [], [true]}]) end},
     {"timers", fun() -> [erlang:start_timer(10000000, self(), x) || _ <- lists:seq(1, N)], ets:new(owned, [named_table, public]) end},
     {"monitors", fun() -> Q = spawn(fun() -> receive never -> ok end end), [monitor(process, Q) || _ <- lists:seq(1, N)], ets:new(owned, [named_table, public]) end}].

%% Who has seen 'DOWN' finds nothing of it any more, and its end was in turns with others.
ending(N, Own) ->
    Me = self(),
    {P, M} = spawn_monitor(fun() -> Own(), Me ! ready, receive never -> ok end end),
    receive ready -> ok end,
    erlang:trace(P, true, [exiting]),
    exit(P, [over, P]),
    Seen = receive {'DOWN', M, _, P, [over, P]} -> {ets:whereis(owned), process_info(P), is_process_alive(P)} end,
    owned = ets:new(owned, [named_table]),
    ets:delete(owned),
    {Seen, outs(P, out_exiting, N)}.

%% Killed while it puts a list in: all of it is there, or nothing.
killed(N, Type) ->
    T = ets:new(t, [Type, public]),
    L = pairs(N),
    R = [begin
             {P, M} = spawn_monitor(fun() -> ets:insert(T, L) end),
             [erlang:yield() || _ <- lists:seq(1, Turns)],
             exit(P, kill),
             receive {'DOWN', M, _, P, _} -> ok end,
             ets:info(T, size) rem N
         end || Turns <- [0, 1, 5, 20]],
    ets:delete(T),
    R.

%% The table goes while a list is put in.
deleted(N) ->
    L = pairs(N),
    [begin
         T = ets:new(t, [public]),
         {P, M} = spawn_monitor(fun() -> exit(catch_class(fun() -> ets:insert(T, L) end)) end),
         [erlang:yield() || _ <- lists:seq(1, Turns)],
         ets:delete(T),
         receive {'DOWN', M, _, P, R} -> R =:= true orelse R =:= {error, badarg} end
     end || Turns <- [0, 1, 5, 20]].

%% The table gets another name while a list is put in: that was before, and what is deleted afterwards is
%% gone, or it fails and nothing is put in.
renamed(N) ->
    L = pairs(N),
    [begin
         first_name = ets:new(first_name, [named_table, public]),
         {P, M} = spawn_monitor(fun() -> exit(catch_class(fun() -> ets:insert(first_name, L) end)) end),
         [erlang:yield() || _ <- lists:seq(1, Turns)],
         ets:rename(first_name, second_name),
         ets:delete(second_name, 1),
         Result = receive {'DOWN', M, _, P, R} -> R end,
         Left = ets:info(second_name, size),
         ets:delete(second_name),
         lists:member({Result, Left}, [{true, N - 1}, {{error, badarg}, 0}])
     end || Turns <- [0, 1, 3, 5, 10, 20, 40]].

%% A search deletes in a table that the process itself has fixed, or has not.
searched(N, Type, Fixes) ->
    T = table(Type, N),
    [ets:safe_fixtable(T, true) || _ <- lists:seq(1, Fixes)],
    First = ets:first(T),
    Count = ets:select_delete(T, [{'_', [], [true]}]),
    Next = Fixes =:= 0 orelse Type =:= ordered_set orelse ets:next(T, First),
    [ets:safe_fixtable(T, false) || _ <- lists:seq(1, Fixes)],
    {Count =:= N, Next, ets:info(T, size), ets:info(T, fixed), ets:insert_new(T, {First, y}), ets:lookup(T, First) =:= [{First, y}]}.

%% What another has fixed keeps its place while a long search deletes it.
fixed_by_two(N) ->
    T = table(set, N),
    Me = self(),
    P = spawn_link(fun() -> ets:safe_fixtable(T, true), K = ets:first(T), Me ! {self(), fixed}, receive go -> ok end,
                            Me ! {self(), ets:next(T, K)}, ets:safe_fixtable(T, false), Me ! {self(), unfixed} end),
    receive {P, fixed} -> ok end,
    N = ets:select_delete(T, [{'_', [], [true]}]),
    P ! go,
    Next = receive {P, X} -> X end,
    receive {P, unfixed} -> ok end,
    {Next, ets:info(T, fixed), ets:info(T, size), ets:first(T), ets:insert(T, pairs(10)), ets:info(T, size)}.

%% The reason is a literal of code that is purged while the process ends.
reason(N) ->
    Forms = [{attribute, 1, module, long_tables_gone}, {attribute, 1, export, [{run, 2}]},
             {function, 1, run, 2, [{clause, 1, [{var, 1, 'F'}, {var, 1, 'P'}], [],
                [{call, 1, {var, 1, 'F'}, []}, {op, 1, '!', {var, 1, 'P'}, {atom, 1, ready}},
                 {call, 1, {remote, 1, {atom, 1, erlang}, {atom, 1, exit}}, [{string, 1, "a literal of a module"}]}]}]}],
    {ok, Module, Code} = compile:forms(Forms),
    {module, Module} = code:load_binary(Module, "long_tables_gone", Code),
    Me = self(),
    {P, M} = spawn_monitor(Module, run, [fun() -> table(set, N) end, Me]),
    receive ready -> ok end,
    code:delete(Module),
    code:purge(Module),
    receive {'DOWN', M, _, P, R} -> R =:= "a literal of a module" orelse R =:= killed end.
