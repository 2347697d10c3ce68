%% A binary protocol: frames with length, type and checksum built and matched.
-module(packets).
-export([run/0]).

run() ->
    Stream = iolist_to_binary([frame(N) || N <- lists:seq(1, 5000)]),
    [Result | _] = [parse(Stream, 0, 0, 0) || _ <- lists:seq(1, 60)],
    Result.

frame(N) ->
    Payload = payload(N rem 3, N),
    <<16#7e, (N rem 3):4, 5:4, N:32/big, (byte_size(Payload)):16/big, Payload/binary, (N band 255)>>.

payload(0, N) -> <<N:64/little, "status">>;
payload(1, N) -> <<N:24, N:24/little-signed, (N * 1.5):64/float>>;
payload(2, N) -> <<(binary:copy(<<N>>, N rem 40))/binary>>.

parse(<<16#7e, Type:4, 5:4, Seq:32, Length:16, Payload:Length/binary, Check, Rest/binary>>, A, B, C)
  when Check =:= Seq band 255 ->
    case decode(Type, Payload) of
        {status, X, _} -> parse(Rest, A + X, B, C);
        {point, X, Y, F} -> parse(Rest, A, B + X + Y + trunc(F), C);
        {raw, Bin} -> parse(Rest, A, B, C + byte_size(Bin))
    end;
parse(<<>>, A, B, C) -> {A, B, C}.

decode(0, <<X:64/little, Text/binary>>) -> {status, X, Text};
decode(1, <<X:24, Y:24/little-signed, F/float>>) -> {point, X, Y, F};
decode(2, Bin) -> {raw, Bin}.
