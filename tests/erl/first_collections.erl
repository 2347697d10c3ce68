%% Collections that a program asks for count, however small the heap; the first one is given up for
%% a major one, for there is nothing old.
%% skip gc-stress: there it collects all the time
-module(first_collections).
-export([main/1]).
-include("show.hrl").

main(_) ->
    P = start(),
    [?S(by_itself(P)) || _ <- [1, 2, 3]],
    [?S(by_another(P, minor)) || _ <- [1, 2]],
    ?S(by_another(P, major)), ?S(by_itself(P)), ?S(by_another(P, minor)),
    Q = start(),
    ?S(by_another(Q, minor)), ?S(by_another(Q, minor)), ?S(by_itself(Q)).

start() ->
    Me = self(),
    P = spawn(fun() -> Me ! self(), loop() end),
    receive P -> ok end,
    1 = erlang:trace(P, true, [garbage_collection]),
    P.
loop() ->
    receive {minor, From} -> garbage_collect(self(), [{type, minor}]), From ! self(), loop() end.

by_itself(P) ->
    P ! {minor, self()},
    receive P -> ok end,
    state(P).
by_another(P, Type) ->
    true = garbage_collect(P, [{type, Type}]),
    state(P).
state(P) ->
    {garbage_collection, L} = process_info(P, garbage_collection),
    Ref = erlang:trace_delivered(P),
    receive {trace_delivered, P, Ref} -> ok end,
    {proplists:get_value(minor_gcs, L), told()}.
told() ->
    receive {trace, _, Tag, _} -> [Tag | told()] after 0 -> [] end.
