%% CRC-32 with a table in a tuple: bxor, bsr, band, element.
-module(crc32_hand).
-export([run/0]).

run() ->
    Table = list_to_tuple([entry(N, 8) || N <- lists:seq(0, 255)]),
    Data = << <<(N * 31 band 255)>> || N <- lists:seq(1, 600_000) >>,
    Sum = crc(Data, Table, 16#ffffffff),
    Sum = crc(Data, Table, 16#ffffffff),
    Sum = crc(Data, Table, 16#ffffffff),
    true = Sum =:= erlang:crc32(Data),
    Sum.

entry(C, 0) -> C;
entry(C, K) when C band 1 =:= 1 -> entry(16#edb88320 bxor (C bsr 1), K - 1);
entry(C, K) -> entry(C bsr 1, K - 1).

crc(<<B, R/binary>>, Table, C) ->
    crc(R, Table, element(((C bxor B) band 255) + 1, Table) bxor (C bsr 8));
crc(<<>>, _, C) -> C bxor 16#ffffffff.
