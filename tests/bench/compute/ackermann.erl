%% Deep recursion: the stack grows to tens of thousands of frames and shrinks again.
-module(ackermann).
-export([run/0]).

run() -> [ack(3, 9) || _ <- [1, 2, 3]].

ack(0, N) -> N + 1;
ack(M, 0) -> ack(M - 1, 1);
ack(M, N) -> ack(M - 1, ack(M, N - 1)).
