%% Calls of other modules' functions and funs that hot code has in line (vm/orc/orc.h): what they
%% give, the traces of their errors, and that whoever calls gets the version of the moment when the
%% module is loaded anew, deleted, purged or traced while several processes are in the middle of it.
-module(calls_across_modules).
-export([main/1]).
-include("show.hrl").
-include("calls_seen.hrl").

%% args: 3
%% args gc-stress: 1
%% args asan: 1
%% args tsan: 1
%% args seeds: 1
main([Size]) ->
    N = list_to_integer(Size),
    load(ops, 1),
    ?S(sums(0, N * 2500000, 0) > 0), ?S(folds(N * 10, lists:seq(1, 3000), 0) > 0),
    ?S(given()), ?S([trace_of(F, X) || F <- [fun outer/1, fun last/1, fun caught/1], X <- [1, 0, a, [], 1.0, 1 bsl 70]]),
    ?S(in_lists()), ?S(fun_errors()),
    ?S(reloaded()), ?S(while_running(N)), ?S(old_funs()), ?S(literals()), ?S(deleted()), ?S(traced()), ?S(counted()),
    ?S(both_ways()), ?S(many_versions(N)), ?S(waiting()), ?S(refused()).

%% --- the other module
module(Name, V) -> module(Name, V, "", "").
module(Name, V, Attributes, More) ->
    Text = lists:flatten(io_lib:format(
        "-module(~s). ~s -export([version/0, add/2, scale/1, inner/1, text/1, funs/0, back/2, kind/1, around/1]).~n"
        "version() -> ~b.~n"
        "add(X, Y) -> X + Y + ~b.~n"
        "scale(X) -> low(X) * ~b.~n"
        "low(X) -> X band 16#ffff.~n"
        "inner(X) when X > -5 -> ~b div (X - 1 + 1);~n"
        "inner([]) -> hd([]).~n"
        "text(X) -> {X, \"text of version ~b\", <<\"some bytes\">>, ~b.5}.~n"
        "kind(X) when is_integer(X) -> {integer, ~b}; kind(X) when is_float(X) -> X * 2.0; kind([H | _]) -> H.~n"
        "funs() -> {fun(X) -> X * 2 + ~b end, fun(X, S) -> S + low(X) + ~b end, fun(X) -> hd(text(X)) end}.~n"
        "around(F) -> {~b, F()}.~n"
        "back(0, S) -> S + ~b;~n"
        "back(N, S) -> calls_across_modules_2:forth(N - 1, S + 1).~n",
        [Name, Attributes | lists:duplicate(11, V)])),
    compile_text(Text ++ More).
compile_text(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Name, Beam} = compile:forms(forms(Tokens, []), [binary]),
    {Name, Beam}.
forms([], _) -> [];
forms([{dot, _} = D | T], Form) ->
    {ok, F} = erl_parse:parse_form(lists:reverse(Form, [D])),
    [F | forms(T, [])];
forms([Token | T], Form) -> forms(T, [Token | Form]).

load(Name, V) -> load(module(Name, V)).
load({Name, Beam}) ->
    await_unused(Name),
    {module, Name} = erlang:load_module(Name, Beam),
    ok.
%% The old version goes when nobody is in it.
await_unused(Name) ->
    case code:soft_purge(Name) of
        true -> ok;
        false -> erlang:yield(), await_unused(Name)
    end.

%% --- what they give
sums(N, N, S) -> S;
sums(K, N, S) -> sums(K + 1, N, ops:add(S band 16#ffffff, ops:scale(K))).
folds(0, _, S) -> S;
folds(N, L, S) ->
    {F, G, _} = ops:funs(),
    folds(N - 1, L, (S + lists:foldl(G, 0, lists:map(F, L))) band 16#ffffffff).

given() -> [{ops:add(A, A), shape(ops:kind(A)), ops:text(A), ops:scale(A)} || A <- [1, -1, 1 bsl 59, -(1 bsl 59), 1 bsl 64]].
shape(X) -> X.
outer(X) ->
    Y = ops:inner(X),
    {Y, ops:inner(ops:add(X, 1))}.
last(X) -> ops:inner(X).
caught(X) ->
    A = (catch ops:inner(X)),
    B = try ops:inner(X) of V -> {is, V} catch C:E -> {C, E} after ops:version() end,
    {case A of {'EXIT', {R, T}} -> {R, frames(T)}; _ -> A end, B}.
trace_of(F, X) ->
    warm(F, 20),
    try F(X) catch C:E:T -> {C, E, frames(T)} end.
warm(_, 0) -> ok;
warm(F, N) -> F(7), warm(F, N - 1).
frames(T) -> [{M, F, if is_list(A) -> length(A); true -> A end, proplists:get_value(line, L)} || {M, F, A, L} <- T, M =:= ?MODULE orelse M =:= ops].

in_lists() ->
    L = lists:seq(1, 50), {F, G, _} = ops:funs(), M = maps:from_list([{K, K} || K <- L]),
    Even = fun(X) -> X band 1 =:= 0 end,
    [lists:map(F, L), lists:foldl(G, 0, L), lists:foldr(G, 0, L), lists:filter(Even, L), lists:mapfoldl(fun(X, S) -> {F(X), S + 1} end, 0, L),
     lists:all(Even, L), lists:any(Even, L), lists:partition(Even, L), lists:foreach(F, L), lists:flatmap(fun(X) -> [X, F(X)] end, [1, 2, 3]),
     maps:fold(fun(K, V, S) -> S + G(K, V) end, 0, M), maps:to_list(maps:map(fun(_, V) -> F(V) end, maps:with([1, 2, 3], M))),
     [lists:map(X, [1, 2]) || X <- [fun ops:scale/1, F, fun erlang:abs/1, fun(X) -> {X} end, F]]].

fun_errors() ->
    {F, G, H} = ops:funs(),
    [try lists:map(X, [1, a, 2]) catch C:E:T -> {C, no_fun(E), frames(T)} end || X <- [F, H, F, fun(X) -> 1 / (X - 1) end, G, atom]] ++
    [try lists:foldl(X, 0, [1, 2.0]) catch C:E:T -> {C, no_fun(E), frames(T)} end || X <- [G, F, G]].
no_fun({badarity, {_, A}}) -> {badarity, A};
no_fun(E) -> E.

%% --- loaded anew
reloaded() ->
    A = sums(0, 100000, 0),
    load(ops, 2),
    B = {sums(0, 100000, 0), ops:version(), folds(3, lists:seq(1, 1000), 0)},
    load(ops, 3),
    C = {sums(0, 100000, 0), ops:version(), folds(3, lists:seq(1, 1000), 0), erlang:check_old_code(ops)},
    D = {code:soft_purge(ops), sums(0, 100000, 0)},
    {A, B, C, D}.

%% Versions come in order, and who is asked after one was loaded has it.
while_running(N) ->
    load(ops, 10),
    Pids = [spawn_link(fun() -> runner(K, N * 3000, 10) end) || K <- lists:seq(1, 4)],
    Seen = [begin load(ops, V), list_to_tuple([ask(P) || P <- Pids]) end || V <- lists:seq(11, 22)],
    [unlink(P) || P <- Pids], [exit(P, kill) || P <- Pids],
    Seen.
runner(K, N, Last) ->
    Now = newest(K, N, Last),
    receive {version, From} -> From ! {self(), newest(K, 1000, Now)} after 0 -> ok end,
    runner(K, N, Now).
newest(_, 0, Last) -> Last;
newest(K, N, Last) ->
    V = ops:add(K, N) - K - N,
    true = V >= Last,
    newest(K, N - 1, V).
ask(P) -> P ! {version, self()}, receive {P, V} -> V end.

%% A fun of the old version stays one, until it is purged; who has it in its hands is known.
old_funs() ->
    load(ops, 30), {F, G, _} = ops:funs(), L = lists:seq(1, 2000),
    Holder = spawn(fun() -> {F1, _, _} = ops:funs(), hold(F1) end),
    A = {lists:sum(lists:map(F, L)), lists:foldl(G, 0, L), held(Holder)},
    load(ops, 31), {F2, G2, _} = ops:funs(),
    B = [{lists:sum(lists:map(X, L)), lists:foldl(Y, 0, L)} || {X, Y} <- [{F, G}, {F2, G2}, {F, G}]],
    C = {held(Holder), erlang:check_process_code(Holder, ops), erlang:check_process_code(self(), ops), code:soft_purge(ops)},
    M = monitor(process, Holder),
    exit(Holder, kill), receive {'DOWN', M, _, _, _} -> ok end,
    {A, B, C}.
hold(F) -> receive {give, P} -> P ! {self(), lists:sum(lists:map(F, lists:seq(1, 500)))}, hold(F) end.
held(P) -> P ! {give, self()}, receive {P, X} -> X end.

%% Literals of a version that is purged while hot code had them.
literals() ->
    load(ops, 40), load(compile_text("-module(user_of_ops). -export([all/2]). all(0, L) -> L; all(N, L) -> all(N - 1, [ops:text(N band 7) | L]).")),
    Self = self(),
    P = spawn_link(fun() -> L = user_of_ops:all(3000, []), Self ! ready, receive go -> Self ! {self(), erlang:phash2(L), hd(L)} end end),
    Mine = user_of_ops:all(20000, []),
    receive ready -> ok end,
    load(ops, 41), await_unused(ops), erlang:garbage_collect(),
    P ! go,
    Its = receive {P, H, X} -> {H, X} end,
    {erlang:phash2(Mine), hd(Mine), Its, hd(user_of_ops:all(1, [])), lists:usort([element(2, T) || T <- user_of_ops:all(5000, [])])}.

deleted() ->
    load(ops, 50),
    A = sums(0, 50000, 0),
    await_unused(ops),
    true = code:delete(ops),
    B = try sums(0, 5, 0) catch C:E:T -> {C, E, [{M, F} || {M, F, _, _} <- T, M =:= ops orelse M =:= ?MODULE]} end,
    await_unused(ops),
    D = try sums(0, 5, 0) catch C1:E1 -> {C1, E1} end,
    load(ops, 51),
    {A, B, D, sums(0, 50000, 0)}.

%% --- traced: every call is seen
traced() ->
    load(ops, 260),
    _ = sums(0, 200000, 0),
    Self = self(),
    Tracer = spawn_link(fun() -> collect(Self, []) end),
    erlang:trace(Self, true, [call, {tracer, Tracer}]),
    1 = erlang:trace_pattern({ops, low, 1}, [{'_', [], [{return_trace}]}], [local]),
    A = sums(0, 3, 0),
    erlang:trace_pattern({ops, low, 1}, false, [local]),
    B = sums(0, 3, 0),
    1 = erlang:trace_pattern({ops, add, 2}, true, [global]),
    C = sums(0, 3, 0),
    1 = erlang:trace_pattern({ops, add, 2}, false, [global]),
    1 = erlang:trace_pattern({ops, scale, 1}, true, [local]),
    1 = erlang:trace_pattern({?MODULE, sums, 3}, true, [local]),
    D = sums(0, 3, 0),
    erlang:trace_pattern({ops, '_', '_'}, false, [local]),
    erlang:trace_pattern({?MODULE, '_', '_'}, false, [local]),
    E = sums(0, 3, 0),
    erlang:trace(Self, false, [all]),
    Delivered = erlang:trace_delivered(Self),
    receive {trace_delivered, Self, Delivered} -> ok end,
    Tracer ! give,
    {A, B, C, D, E, receive {seen, L} -> L end}.
counted() ->
    _ = sums(0, 200000, 0),
    [begin
         1 = erlang:trace_pattern({ops, F, N}, true, [call_count]),
         _ = sums(0, 700, 0),
         R = erlang:trace_info({ops, F, N}, call_count),
         1 = erlang:trace_pattern({ops, F, N}, false, [call_count]),
         _ = sums(0, 20000, 0),
         R
     end || {F, N} <- [{add, 2}, {low, 1}, {scale, 1}]].

%% --- two modules that call one another
both_ways() ->
    load(ops, 70),
    load(compile_text("-module(calls_across_modules_2). -export([forth/2]). forth(0, S) -> S; forth(N, S) -> ops:back(N - 1, S + 2).")),
    A = ops:back(300001, 0),
    load(ops, 71),
    B = ops:back(300000, 0),
    load(compile_text("-module(calls_across_modules_2). -export([forth/2]). forth(0, S) -> S; forth(N, S) -> ops:back(N - 1, S + 3).")),
    C = [ops:back(N, 0) || N <- [0, 1, 2, 3, 200000]],
    [code:purge(M) || M <- [ops, calls_across_modules_2]],
    {A, B, C}.

%% --- many versions while processes map and fold
many_versions(N) ->
    load(ops, 100),
    Self = self(),
    Pids = [spawn_link(fun() -> mapper(Self, N, 100) end) || _ <- lists:seq(1, 3)],
    [load(ops, V) || V <- lists:seq(101, 125)],
    [P ! stop || P <- Pids],
    list_to_tuple([receive {P, V} -> V end || P <- Pids]).
mapper(To, N, Last) ->
    V = lists:max([mapped() || _ <- lists:seq(1, N)]),
    true = V >= Last,
    receive stop -> To ! {self(), mapped()} after 0 -> mapper(To, N, V) end.
%% Who waits below a function that is in line elsewhere is in its code all the same.
waiting() ->
    load(ops, 200),
    Self = self(),
    Done = fun() -> ok end,
    P = spawn_link(fun() -> Self ! ready, Self ! {self(), arounds(100000, Done, fun() -> Self ! in, receive go -> gone end end)}, receive stop -> ok end end),
    receive in -> ok end,
    load(ops, 201),
    A = {erlang:check_process_code(P, ops), code:soft_purge(ops), erlang:check_old_code(ops)},
    P ! go,
    B = receive {P, X} -> X end,
    C = {erlang:check_process_code(P, ops), code:soft_purge(ops), erlang:check_old_code(ops), arounds(1000, Done, Done)},
    Q = spawn(fun() -> arounds(100000, Done, fun() -> Self ! in, receive go -> gone end end) end),
    M = monitor(process, Q),
    receive in -> ok end,
    load(ops, 202),
    D = {code:purge(ops), receive {'DOWN', M, _, _, Why} -> Why end, arounds(1000, Done, Done)},
    unlink(P), P ! stop,
    receive ready -> ok end,
    {A, B, C, D}.
arounds(0, _, Last) -> ops:around(Last);
arounds(N, F, Last) -> {_, ok} = ops:around(F), arounds(N - 1, F, Last).

%% A version that refuses to be loaded: nothing changes.
refused() ->
    load(ops, 210),
    A = sums(0, 100000, 0),
    await_unused(ops),
    B = erlang:load_module(ops, element(2, module(ops, 211, "-on_load(start/0).", "start() -> no."))),
    {A, element(1, B), sums(0, 100000, 0) =:= A, ops:version()}.

%% The version that its fun is of. Who has a fun in its hands does not keep its code from being purged.
mapped() ->
    {F, _, _} = ops:funs(),
    L = lists:seq(1, 200),
    try lists:usort(lists:zipwith(fun(X, Y) -> Y - 2 * X end, L, lists:map(F, L))) of
        [V] -> V
    catch
        error:{badfun, F} -> mapped()
    end.
