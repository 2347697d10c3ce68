%% queue, array and sets of OTP.
-module(queues).
-export([run/0]).

run() -> {queue_part(300_000, queue:from_list([1, 2, 3]), 0), array_part(), sets_part()}.

queue_part(0, Q, S) -> {queue:len(Q), S};
queue_part(N, Q, S) ->
    {{value, X}, Q1} = queue:out(queue:in(N, Q)),
    queue_part(N - 1, Q1, S + X).

array_part() ->
    A = lists:foldl(fun(I, A) -> array:set(I * 7 rem 5000, I, A) end, array:new(), lists:seq(1, 20_000)),
    array:foldl(fun(_, undefined, S) -> S; (_, V, S) -> S + V end, 0, A).

sets_part() ->
    S = lists:foldl(fun(X, S) -> sets:add_element(X rem 997, S) end, sets:new([{version, 2}]), lists:seq(1, 40_000)),
    sets:size(S).
