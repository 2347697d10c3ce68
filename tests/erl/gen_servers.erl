%% gen_server: calls, casts, infos, timeouts, continue, stop, crashes, names, late replies, sys.
-ifndef(OLD_COMPILER).
-module(gen_servers).
-endif.
-behaviour(gen_server).
-export([main/1, init/1, handle_call/3, handle_cast/2, handle_info/2, handle_continue/2, terminate/2, code_change/3]).
-include("show.hrl").

main(_Args) ->
    {ok, S} = gen_server:start(?MODULE, [10], []),
    ?S(gen_server:call(S, get)), ?S(gen_server:call(S, {add, 5})), ?S(gen_server:cast(S, {add, 7})), ?S(gen_server:call(S, get)), ?S(S ! {add, 1}), ?S(gen_server:call(S, get)),
    ?S(gen_server:call(S, later)), ?S(gen_server:call(S, never, 20)), ?S(gen_server:call(S, continue)), ?S(gen_server:call(S, get)), ?S(gen_server:call(S, timeout)), ?S(begin timer:sleep(300), gen_server:call(S, get) end),
    ?S(sys:get_state(S)), ?S(sys:replace_state(S, fun(N) -> N + 1000 end)), ?S(sys:suspend(S)), ?S(catch gen_server:call(S, get, 20) =:= x), ?S(sys:resume(S)), ?S(gen_server:call(S, get)),
    ?S(element(1, sys:get_status(S))), ?S(many_calls(S, 1000)), ?S(parallel(S, 50, 20)), ?S(gen_server:stop(S)), ?S(is_process_alive(S)), ?S(reason(fun() -> gen_server:call(S, get) end)),
    ?S(named()), ?S(already_started()), ?S(init_fails(stop)), ?S(init_fails(ignore)), ?S(init_fails(crash)), ?S(init_fails(bad)), ?S(crash(error)), ?S(crash(exit)), ?S(crash(bad_return)), ?S(crash(stop)), ?S(crash(stop_reply)), ?S(call_crash()),
    ?S(linked_crash()), ?S(terminates()), ?S(multi()), ?S(send_request()), ?S(gen_server:call(no_such_server, x)), ?S(gen_server:start({local, 1}, ?MODULE, [1], [])), ?S(enter_loop()), ?S(hibernating()), ?S(abcast()), ?S(gen_server:stop(no_such_server)).

init([stop]) -> {stop, no_thanks};
init([ignore]) -> ignore;
init([crash]) -> error(init_crashed);
init([bad]) -> bad_value;
init([trap, To]) -> process_flag(trap_exit, true), {ok, {trap, To}};
init([N]) -> {ok, N}.

handle_call(get, _, N) -> {reply, N, N};
handle_call({add, M}, _, N) -> {reply, ok, N + M};
handle_call(later, From, N) -> Self = self(), spawn(fun() -> gen_server:reply(From, {late, N}), Self ! {add, 100} end), {noreply, N};
handle_call(never, _, N) -> {noreply, N};
handle_call(continue, From, N) -> {noreply, N, {continue, {reply, From}}};
handle_call(timeout, _, N) -> {reply, soon, N, 5};
handle_call(hibernate, _, N) -> {reply, sleeping, N, hibernate};
handle_call(error, _, _) -> error(server_error);
handle_call(exit, _, _) -> exit(server_exit);
handle_call(bad_return, _, _) -> nonsense;
handle_call(stop, _, N) -> {stop, requested, N};
handle_call(stop_reply, _, N) -> {stop, requested, bye, N}.

handle_cast({add, M}, N) -> {noreply, N + M};
handle_cast(stop, N) -> {stop, normal, N};
handle_cast({tell, To}, N) -> To ! {told, N}, {noreply, N}.

handle_info({add, M}, N) -> {noreply, N + M};
handle_info(timeout, N) -> {noreply, N + 10000};
handle_info({'EXIT', _, R}, S) -> {stop, {linked, R}, S};
handle_info(_, N) -> {noreply, N}.

handle_continue({reply, From}, N) -> gen_server:reply(From, continued), {noreply, N * 2}.

terminate(R, {trap, To}) -> To ! {terminated, R};
terminate(_, _) -> ok.

code_change(_, S, _) -> {ok, S}.

reason(F) -> try F() catch C:R -> {C, case R of {Why, {gen_server, call, _}} -> {Why, call}; _ -> R end} end.

many_calls(S, N) -> [gen_server:call(S, {add, 1}) || _ <- lists:seq(1, N)], gen_server:call(S, get).

parallel(S, Clients, Each) ->
    Refs = [element(2, spawn_monitor(fun() -> [gen_server:call(S, {add, 1}) || _ <- lists:seq(1, Each)] end)) || _ <- lists:seq(1, Clients)],
    [receive {'DOWN', R, _, _, normal} -> ok end || R <- Refs],
    gen_server:call(S, get).

named() ->
    {ok, P} = gen_server:start({local, a_server}, ?MODULE, [1], []),
    R = {gen_server:call(a_server, get), whereis(a_server) =:= P, gen_server:call({a_server, node()}, get)},
    gen_server:cast(a_server, stop),
    M = monitor(process, P), receive {'DOWN', M, _, _, _} -> {R, whereis(a_server)} end.

already_started() ->
    {ok, P} = gen_server:start({local, dup}, ?MODULE, [1], []),
    {error, {already_started, Q}} = gen_server:start({local, dup}, ?MODULE, [2], []),
    gen_server:stop(P), P =:= Q.

init_fails(How) -> case gen_server:start(?MODULE, [How], []) of {error, {R, S}} when is_list(S) -> {error, R}; X -> X end.

crash(How) ->
    {ok, P} = gen_server:start(?MODULE, [1], []), M = monitor(process, P),
    A = reason(fun() -> gen_server:call(P, How) end),
    B = receive {'DOWN', M, _, _, {R, S}} when is_list(S) -> R; {'DOWN', M, _, _, R} -> R end,
    {short(A), B}.
short({exit, {{R, S}, {gen_server, call, _}}}) when is_list(S) -> {exit, R};
short({exit, {{R, S}, call}}) when is_list(S) -> {exit, R};
short(X) -> X.

call_crash() -> {ok, P} = gen_server:start(?MODULE, [1], []), M = monitor(process, P), P ! {'EXIT', x, poisoned}, receive {'DOWN', M, _, _, R} -> R end.

linked_crash() ->
    process_flag(trap_exit, true),
    {ok, P} = gen_server:start_link(?MODULE, [1], []),
    catch gen_server:call(P, exit),
    R = receive {'EXIT', P, X} -> X after 5000 -> timeout end,
    process_flag(trap_exit, false),
    R.

terminates() ->
    {ok, P} = gen_server:start(?MODULE, [trap, self()], []), gen_server:stop(P, shutdown, 5000),
    A = receive {terminated, R} -> R after 5000 -> timeout end,
    {ok, Q} = gen_server:start(?MODULE, [trap, self()], []), exit(Q, shutdown),
    B = receive {terminated, R2} -> R2 after 5000 -> timeout end,
    {A, B}.

multi() -> {ok, P} = gen_server:start({local, multi}, ?MODULE, [3], []), R = gen_server:multi_call([node()], multi, get), gen_server:stop(P), {[{node() =:= N, V} || {N, V} <- element(1, R)], element(2, R)}.
send_request() ->
    {ok, P} = gen_server:start(?MODULE, [4], []),
    A = gen_server:send_request(P, get), B = gen_server:send_request(P, never),
    {gen_server:wait_response(A, 5000), gen_server:wait_response(B, 10), gen_server:receive_response(gen_server:send_request(P, {add, 1}), 5000), gen_server:check_response(x, A)}.
enter_loop() -> {_, M} = spawn_monitor(fun() -> put('$ancestors', []), put('$initial_call', {?MODULE, init, 1}), gen_server:enter_loop(?MODULE, [], 77) end), receive {'DOWN', M, process, _, R} -> R end.
hibernating() -> {ok, P} = gen_server:start(?MODULE, [5], [{hibernate_after, 5}]), A = gen_server:call(P, hibernate), timer:sleep(20), {A, gen_server:call(P, get), gen_server:stop(P)}.
abcast() -> {ok, P} = gen_server:start({local, ab}, ?MODULE, [6], []), gen_server:abcast(ab, {tell, self()}), R = receive {told, N} -> N after 5000 -> timeout end, gen_server:stop(P), R.
