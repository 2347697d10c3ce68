%% Supervisors: all strategies, restart types, intensity, dynamic children, shutdown order.
-module(supervisors).
-behaviour(supervisor).
-export([main/1, init/1, start_child/2, worker/2]).
-include("show.hrl").

main(_Args) ->
    process_flag(trap_exit, true),
    register(log, self()),
    [?S(strategy(S)) || S <- [one_for_one, one_for_all, rest_for_one]],
    [?S(restart_type(T, R)) || T <- [permanent, transient, temporary], R <- [normal, shutdown, crash]],
    ?S(intensity()), ?S(dynamic()), ?S(simple(20)), ?S(shutdown_order()), ?S(child_management()), ?S(start_fails()), ?S(nested()), ?S(bad_specs()), ?S(supervisor:check_childspecs([#{id => a, start => {m, f, []}}])), ?S(brutal()), ?S(auto_shutdown()).

init({Flags, Children}) -> {ok, {Flags, Children}};
init(X) -> X.

start_child(Name, Options) -> proc_lib:start_link(?MODULE, worker, [Name, Options]).

worker(Name, Options) ->
    case Options of fail -> exit(start_failed); trap -> process_flag(trap_exit, true); _ -> ok end,
    is_atom(Name) andalso register(Name, self()),
    log ! {up, Name},
    proc_lib:init_ack({ok, self()}),
    loop(Name).
loop(Name) -> receive {exit, R} -> exit(R); {'EXIT', _, R} -> log ! {down, Name, R}, exit(R); {pid, To} -> To ! {pid, self()}, loop(Name) end.

child(Name) -> child(Name, #{}).
child(Name, More) -> maps:merge(#{id => Name, start => {?MODULE, start_child, [Name, normal]}}, More).

start(Flags, Children) -> supervisor:start_link(?MODULE, {maps:merge(#{intensity => 10, period => 10}, Flags), Children}).
stop(S) -> exit(S, shutdown), receive {'EXIT', S, R} -> R after 5000 -> timeout end.
ups() -> receive {up, N} -> [N | ups()] after 0 -> [] end.
await(Name, Old) -> case whereis(Name) of P when is_pid(P), P =/= Old -> P; _ -> timer:sleep(1), await(Name, Old) end.

strategy(S) ->
    {ok, Sup} = start(#{strategy => S}, [child(a), child(b), child(c)]),
    A = ups(),
    Old = whereis(b), OldC = whereis(c),
    b ! {exit, crash},
    await(b, Old),
    case S of one_for_one -> ok; _ -> await(c, OldC) end,
    _ = supervisor:which_children(Sup),
    B = ups(),
    {A, B, [{Id, T, M} || {Id, _, T, M} <- supervisor:which_children(Sup)], supervisor:count_children(Sup), stop(Sup)}.

restart_type(Type, Reason) ->
    {ok, Sup} = start(#{}, [child(w, #{restart => Type})]),
    P = whereis(w), M = monitor(process, P),
    ups(),
    w ! {exit, Reason},
    receive {'DOWN', M, _, _, _} -> ok end,
    unlinked(Sup, P),  % it has been told
    R = [{Id, is_pid(C)} || {Id, C, _, _} <- supervisor:which_children(Sup)],
    U = ups(),
    {R, U, stop(Sup)}.

unlinked(Sup, P) ->
    case process_info(Sup, links) of {links, L} -> lists:member(P, L) andalso begin timer:sleep(1), unlinked(Sup, P) end; undefined -> ok end.

intensity() ->
    {ok, Sup} = start(#{intensity => 2, period => 60}, [child(w)]),
    [begin P = await(w, undefined), M = monitor(process, P), P ! {exit, crash}, receive {'DOWN', M, _, _, _} -> ok end end || _ <- [1, 2, 3]],
    R = receive {'EXIT', Sup, X} -> X after 5000 -> timeout end,
    {R, ups()}.

dynamic() ->
    {ok, Sup} = start(#{}, []),
    {ok, _} = supervisor:start_child(Sup, child(d1)), {ok, _} = supervisor:start_child(Sup, child(d2)),
    {error, {already_started, _}} = supervisor:start_child(Sup, child(d1)),
    A = [Id || {Id, _, _, _} <- supervisor:which_children(Sup)],
    B = {supervisor:terminate_child(Sup, d1), supervisor:delete_child(Sup, d1), supervisor:delete_child(Sup, d2), supervisor:terminate_child(Sup, nope), supervisor:restart_child(Sup, d2)},
    supervisor:terminate_child(Sup, d2), {ok, _} = supervisor:restart_child(Sup, d2),
    {A, B, [Id || {Id, _, _, _} <- supervisor:which_children(Sup)], ups(), stop(Sup)}.

simple(N) ->
    {ok, Sup} = start(#{strategy => simple_one_for_one}, [#{id => w, start => {?MODULE, start_child, []}}]),
    Pids = [element(2, supervisor:start_child(Sup, [{w, I}, normal])) || I <- lists:seq(1, N)],
    ok = supervisor:terminate_child(Sup, hd(Pids)),
    C = supervisor:count_children(Sup),
    R = stop(Sup),
    {C, R, lists:any(fun is_process_alive/1, Pids), length(ups())}.

shutdown_order() ->
    {ok, Sup} = start(#{}, [child(N, #{start => {?MODULE, start_child, [N, trap]}}) || N <- [x, y, z]]),
    stop(Sup),
    {ups(), downs()}.
downs() -> receive {down, N, R} -> [{N, R} | downs()] after 0 -> [] end.

child_management() ->
    {ok, Sup} = start(#{}, [child(m, #{significant => false})]),
    {ok, Spec} = supervisor:get_childspec(Sup, m),
    stop(Sup), ups(),
    {lists:sort(maps:keys(Spec)), maps:get(restart, Spec), maps:get(type, Spec)}.

start_fails() ->
    case start(#{}, [child(good), child(bad, #{start => {?MODULE, start_child, [bad, fail]}})]) of
        {error, {shutdown, {failed_to_start_child, bad, R}}} -> receive {'EXIT', _, _} -> ok after 1000 -> no_exit end, {failed, R, ups(), whereis(good)};
        X -> X
    end.

nested() ->
    Inner = #{id => inner, type => supervisor, start => {supervisor, start_link, [?MODULE, {#{}, [child(leaf)]}]}},
    {ok, Sup} = start(#{}, [Inner]),
    Old = whereis(leaf),
    {inner, P, supervisor, _} = hd(supervisor:which_children(Sup)),
    exit(P, kill),
    New = await(leaf, Old),
    {is_pid(New), Old =/= New, stop(Sup), whereis(leaf), ups()}.

bad_specs() -> {flush_exit(start(#{strategy => nonsense}, [])), flush_exit(start(#{}, [#{id => a}])), flush_exit(start(#{}, [child(a), child(a)])), flush_exit(supervisor:start_link(?MODULE, ignore)), supervisor:check_childspecs([#{id => a, start => x}])}.
flush_exit(R) -> receive {'EXIT', _, _} -> ok after 50 -> ok end, R.

brutal() ->
    {ok, Sup} = start(#{}, [child(stubborn, #{start => {?MODULE, start_child, [stubborn, trap]}, shutdown => brutal_kill})]),
    M = monitor(process, stubborn), stop(Sup), ups(),
    receive {'DOWN', M, _, _, R} -> R end.

auto_shutdown() ->
    {ok, Sup} = start(#{auto_shutdown => any_significant}, [child(s, #{restart => transient, significant => true})]),
    ups(), s ! {exit, normal},
    receive {'EXIT', Sup, R} -> R after 5000 -> timeout end.
