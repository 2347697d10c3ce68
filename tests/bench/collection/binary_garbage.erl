%% Binaries of 200 bytes made and dropped: off-heap data must not pile up.
-module(binary_garbage).
-export([run/0]).

run() -> loop(200_000, binary:copy(<<"x">>, 200), 0).

loop(0, _, S) -> S;
loop(N, B, S) ->
    New = <<N:32, B/binary>>,
    <<K:32, _/binary>> = New,
    loop(N - 1, B, S + K + byte_size(New)).
