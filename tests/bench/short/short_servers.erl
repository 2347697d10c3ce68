%% A supervisor's worth of gen_servers, called in turn: a service that starts, does something and stops.
-module(short_servers).
-behaviour(gen_server).
-export([run/0, init/1, handle_call/3, handle_cast/2]).

run() ->
    Servers = [begin {ok, P} = gen_server:start_link(?MODULE, N, []), P end || N <- lists:seq(1, 20)],
    Sum = lists:sum([gen_server:call(P, {add, N}) || N <- lists:seq(1, 4_000), P <- Servers]),
    [ok = gen_server:stop(P) || P <- Servers],
    Sum.

init(N) -> {ok, N}.
handle_call({add, K}, _, N) -> {reply, N + K, (N + K) band 16#ffff}.
handle_cast(_, N) -> {noreply, N}.
