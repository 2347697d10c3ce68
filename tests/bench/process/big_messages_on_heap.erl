%% Messages of 2,000 words to a receiver with a backlog, message_queue_data on_heap.
-module(big_messages_on_heap).
-export([run/0, operations/0]).

operations() -> {6_000, "ns/message"}.

run() ->
    Main = self(),
    Message = lists:seq(1, 1000),
    Receiver = spawn_opt(fun() -> sum(6_000, 0, Main) end, [link, {message_queue_data, on_heap}]),
    [begin
         [Receiver ! Message || _ <- lists:seq(1, 100)],
         receive more -> ok end
     end || _ <- lists:seq(1, 60)],
    receive {sum, S} -> S end.

sum(0, S, Main) -> Main ! {sum, S};
sum(N, S, Main) ->
    receive
        L -> (N rem 100 =:= 1) andalso (Main ! more),
             sum(N - 1, S + hd(L) + length(L), Main)
    end.
