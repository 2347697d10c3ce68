%% gen_server:call by 8 client(s).
-module(gen_server_8).
-behaviour(gen_server).
-export([run/0, operations/0, init/1, handle_call/3, handle_cast/2]).

-define(CALLS, 80_000).

operations() -> {?CALLS, "ns/call"}.

run() ->
    {ok, Server} = gen_server:start_link(?MODULE, 0, []),
    Clients = [spawn_monitor(fun() -> call(?CALLS div 8, Server) end) || _ <- lists:seq(1, 8)],
    [receive {'DOWN', R, process, P, normal} -> ok end || {P, R} <- Clients],
    Count = gen_server:call(Server, get),
    gen_server:stop(Server),
    Count.

call(0, _) -> ok;
call(N, Server) -> _ = gen_server:call(Server, add), call(N - 1, Server).

init(N) -> {ok, N}.
handle_call(add, _, N) -> {reply, N + 1, N + 1};
handle_call(get, _, N) -> {reply, N, N}.
handle_cast(_, N) -> {noreply, N}.
