%% proc_lib, gen_event, gen_fsm-free classics: start protocols, ancestors, event managers, pools.
-module(otp_processes).
-export([main/1, started/1, init/1, handle_event/2, handle_call/2, handle_info/2, terminate/2]).
-include("show.hrl").

main(_Args) ->
    process_flag(trap_exit, true),
    ?S(proc_lib:start_link(?MODULE, started, [ok])), ?S(proc_lib:start(?MODULE, started, [fail])), ?S(proc_lib:start(?MODULE, started, [crash])), ?S(proc_lib:start(?MODULE, started, [slow], 20)), ?S(spawned()), ?S(ancestors()), ?S(initial()),
    ?S(events()), ?S(translate()), ?S(proc_lib:stop(spawn(fun() -> receive x -> ok end end), normal, 10)), ?S(pg_like()).

started(ok) -> proc_lib:init_ack({ok, yes}), receive stop -> ok after 100 -> ok end;
started(fail) -> proc_lib:init_ack({error, no});
started(crash) -> exit(crashed);
started(slow) -> receive never -> ok end.

spawned() ->
    P = proc_lib:spawn_link(fun() -> exit(done) end),
    A = receive {'EXIT', P, R} -> R end,
    Q = proc_lib:spawn(fun() -> error(boom) end), M = monitor(process, Q),
    {A, receive {'DOWN', M, _, _, {boom, _}} -> boom; {'DOWN', M, _, _, noproc} -> boom end}.

ancestors() ->
    Self = self(),
    proc_lib:spawn(fun() -> Outer = self(), proc_lib:spawn(fun() -> Self ! {anc, [A =:= Outer orelse A =:= Self || A <- get('$ancestors')]} end) end),
    receive {anc, L} -> L end.

initial() -> P = proc_lib:spawn(?MODULE, started, [slow]), until_waiting(P), R = {proc_lib:initial_call(P), proc_lib:translate_initial_call(P)}, exit(P, kill), R.
until_waiting(P) -> case process_info(P, status) of {status, waiting} -> ok; _ -> erlang:yield(), until_waiting(P) end.
translate() -> proc_lib:translate_initial_call(self()) =/= x.

init(Args) -> {ok, Args}.
handle_event({add, X}, L) -> {ok, [X | L]};
handle_event(remove, _) -> remove_handler;
handle_event(crash, _) -> error(handler_crash).
handle_call(get, L) -> {ok, lists:reverse(L), L}.
handle_info(X, L) -> {ok, [{info, X} | L]}.
terminate(R, L) -> is_list(L) andalso self() ! {gone, R}, {terminated, length(L)}.

events() ->
    {ok, E} = gen_event:start_link(),
    ok = gen_event:add_handler(E, ?MODULE, []), ok = gen_event:add_handler(E, {?MODULE, second}, [start]),
    gen_event:notify(E, {add, 1}), gen_event:sync_notify(E, {add, 2}), E ! hello,
    A = {gen_event:call(E, ?MODULE, get), gen_event:call(E, {?MODULE, second}, get), gen_event:which_handlers(E), gen_event:call(E, nope, get)},
    B = gen_event:delete_handler(E, {?MODULE, second}, bye),
    gen_event:sync_notify(E, crash),
    {A, B, gen_event:which_handlers(E), gen_event:stop(E)}.

%% Groups by hand: a registry process that watches its members.
pg_like() ->
    R = spawn_link(fun() -> registry(#{}) end),
    Members = [spawn(fun() -> R ! {join, self()}, receive {mcast, From, X} -> From ! {got, X} end end) || _ <- lists:seq(1, 10)],
    wait_size(R, 10),
    exit(hd(Members), kill),
    wait_size(R, 9),
    R ! {mcast, self(), hi},
    G = [receive {got, X} -> X end || _ <- lists:seq(1, 9)],
    wait_size(R, 0),
    G.
registry(M) ->
    receive
        {join, P} -> monitor(process, P), registry(M#{P => true});
        {'DOWN', _, process, P, _} -> registry(maps:remove(P, M));
        {size, From} -> From ! {size, map_size(M)}, registry(M);
        {mcast, From, X} -> [P ! {mcast, From, X} || P <- maps:keys(M)], registry(M)
    end.
wait_size(R, N) -> R ! {size, self()}, receive {size, N} -> ok; {size, _} -> erlang:yield(), wait_size(R, N) end.
