%% explore: crash
%% The same through a server: what is got by one call and put by another may be old by then.
-module(server_lost_update).
-behaviour(gen_server).
-export([main/1, init/1, handle_call/3, handle_cast/2]).

main(_) ->
    {ok, Server} = gen_server:start(?MODULE, 0, []),
    Clients = [spawn_monitor(fun() -> timer:sleep(N), add(Server, N) end) || N <- [1, 10]],
    [receive {'DOWN', Ref, process, Pid, normal} -> ok end || {Pid, Ref} <- Clients],
    11 = gen_server:call(Server, get),
    gen_server:stop(Server).

add(Server, N) ->
    Old = gen_server:call(Server, get),
    ok = gen_server:call(Server, {put, Old + N}).

init(N) -> {ok, N}.
handle_call(get, _, N) -> {reply, N, N};
handle_call({put, N}, _, _) -> {reply, ok, N};
handle_call({add, M}, _, N) -> {reply, ok, N + M}.
handle_cast(_, N) -> {noreply, N}.
