%% deadlock.erl, mended.
-module(deadlock_mended).
-behaviour(gen_server).
-export([main/1, init/1, handle_call/3, handle_cast/2]).

main(_) ->
    {ok, A} = gen_server:start(?MODULE, 1, []),
    {ok, B} = gen_server:start(?MODULE, 2, []),
    Clients = [spawn_monitor(fun() -> 3 = gen_server:call(A, {sum_with, B}, infinity) end),
               spawn_monitor(fun() ->
                                     timer:sleep(5),
                                     3 = gen_server:call(A, {sum_with, B}, infinity)
                             end)],
    [receive {'DOWN', Ref, process, Pid, normal} -> ok end || {Pid, Ref} <- Clients],
    [gen_server:stop(S) || S <- [A, B]],
    ok.

init(N) -> {ok, N}.
handle_call(value, _, N) -> {reply, N, N};
handle_call({sum_with, Other}, _, N) -> {reply, N + gen_server:call(Other, value, infinity), N}.
handle_cast(_, N) -> {noreply, N}.
