%% since: 28
%% zstd: whole values, streams, parameters, dictionaries, headers of frames, errors, contexts of others.
-module(zstd_streams).
-export([main/0, main/1]).
-define(T(E), t(??E, fun() -> E end)).

main(_) -> main().

t(Text, F) ->
    try F() of
        V -> io:format("~ts~n    ~0tp~n", [Text, short(V)])
    catch
        C:R:S -> io:format("~ts~n    ~0tp~n", [Text, {C, R, frame(hd(S))}])
    end.

%% Compressed bytes are those of the library's version.
short(V) when is_binary(V), byte_size(V) > 40 -> {binary, byte_size(V), erlang:crc32(V)};
short({ok, #{} = Header}) -> lists:sort(maps:to_list(Header));
short(V) -> V.
frame({M, F, A, _}) when is_list(A) -> {M, F, length(A)};
frame({M, F, A, _}) -> {M, F, A}.

bin(IO) -> iolist_to_binary(IO).
text(N) -> bin([["line ", integer_to_list(K * K), $\n] || K <- lists:seq(1, N)]).
same(Data) -> same(Data, #{}).
same(Data, Options) -> bin(zstd:decompress(zstd:compress(Data, Options))) =:= bin(Data).

main() ->
    [?T(same(D)) || D <- [<<>>, [], <<"a">>, "text", text(100), [text(10), [], text(20000)], binary:copy(<<0>>, 1 bsl 20)]],
    ?T(byte_size(bin(zstd:compress(text(20000)))) < byte_size(text(20000)) div 2),
    [?T(same(text(3000), #{K => V}))
     || {K, V} <- [{compressionLevel, 19}, {compressionLevel, -5}, {windowLog, 15}, {hashLog, 10}, {chainLog, 10}, {searchLog, 3},
                   {minMatch, 4}, {targetLength, 50}, {strategy, btultra2}, {strategy, default}, {enableLongDistanceMatching, true},
                   {ldmHashLog, 10}, {ldmMinMatch, 32}, {ldmBucketSizeLog, 2}, {ldmHashRateLog, 5}, {contentSizeFlag, false},
                   {checksumFlag, true}, {dictIDFlag, false}, {pledgedSrcSize, 17},
                   {nothing, 1}, {strategy, slow}, {strategy, 3}, {checksumFlag, 1}, {compressionLevel, fast}, {windowLog, 1000},
                   {pledgedSrcSize, -1}, {1, 1}]],
    errors(), headers(), streams(), dictionaries(), parameters(), others().

errors() ->
    Whole = bin(zstd:compress(text(1000), #{checksumFlag => true})),
    ?T(zstd:decompress(<<"nothing of the kind">>)), ?T(zstd:decompress([])),
    ?T(zstd:compress(a)), ?T(zstd:decompress(17)),
    <<H:60/binary, B, T/binary>> = Whole,
    ?T(bin(zstd:decompress([H, B bxor 255, T]))),
    ?T(zstd:context(both)), ?T(zstd:compress(<<>>, #{pledgedSrcSize => a})),
    ?T(zstd:decompress(Whole, #{windowLogMax => 5})), ?T(zstd:decompress(Whole, #{windowLogMax => a})), ?T(zstd:decompress(Whole, #{other => 1})),
    ?T(bin(zstd:decompress(Whole, #{windowLogMax => 30})) =:= text(1000)).

headers() ->
    [?T(zstd:get_frame_header(F))
     || F <- [bin(zstd:compress(<<"abc">>)), bin(zstd:compress(text(3000))), bin(zstd:compress(text(3000), #{checksumFlag => true})),
              bin(zstd:compress(<<>>)), [<<16#184D2A50:32/little, 4:32/little>>, "skip"], <<"none">>]],
    ?T(zstd:get_frame_header(a)), ?T(zstd:get_dict_id(bin(zstd:compress(<<"abc">>)))), ?T(zstd:get_dict_id(<<"no dictionary">>)).

streams() ->
    {ok, C} = zstd:context(compress),
    Parts = [text(N) || N <- [1, 10, 100, 1000]],
    Out = [feed(C, P) || P <- Parts],
    {done, Last} = zstd:finish(C, <<"end">>),
    All = bin([Out, Last]),
    ?T(bin(zstd:decompress(All)) =:= bin([Parts, "end"])),
    {ok, D} = zstd:context(decompress),
    Pieces = [binary:part(All, P, min(100, byte_size(All) - P)) || P <- lists:seq(0, byte_size(All) - 1, 100)],
    ?T(bin([feed(D, P) || P <- Pieces]) =:= bin([Parts, "end"])),
    ?T(zstd:reset(D)), ?T(bin(element(2, zstd:finish(D, All))) =:= bin([Parts, "end"])),
    ?T(begin {continue, _} = zstd:stream(C, <<"flushed">>), {continue, F} = zstd:flush(C), byte_size(F) > 0 end),
    ?T(try zstd:flush(D) catch error:{badarg, {invalid_context, {decompress, _}}} -> refused end), ?T(zstd:reset(C)), ?T(element(1, zstd:finish(C, [<<"a">>, <<"b">>]))),
    ?T(zstd:close(C)), ?T(zstd:close(C)), ?T(zstd:stream(C, <<"closed">>)), ?T(zstd:stream(D, a)), ?T(zstd:stream(nothing, <<>>)),
    ?T(zstd:compress(<<"a">>, C)), ?T(zstd:stream({compress, make_ref()}, <<>>)), ?T(zstd:close(D)).

feed(C, Data) ->
    case zstd:stream(C, Data) of
        {continue, Rest, Out} -> [Out | feed(C, Rest)];
        {continue, Out} -> Out
    end.

dictionaries() ->
    Raw = text(200), Data = text(50),
    {ok, CD} = zstd:dict(compress, Raw), {ok, CD9} = zstd:dict(compress, Raw, #{compressionLevel => 9}),
    {ok, DD} = zstd:dict(decompress, Raw),
    With = bin(zstd:compress(Data, #{dictionary => CD})),
    ?T(byte_size(With) < byte_size(bin(zstd:compress(Data)))),
    [?T(bin(zstd:decompress(X, #{dictionary => D})) =:= Data)
     || X <- [With, bin(zstd:compress(Data, #{dictionary => CD9})), bin(zstd:compress(Data, #{dictionary => Raw}))], D <- [DD, Raw]],
    ?T(zstd:decompress(With)), ?T({zstd:get_dict_id(CD), zstd:get_dict_id(DD), zstd:get_dict_id(With)}),
    ?T(zstd:compress(Data, #{dictionary => DD})), ?T(zstd:decompress(With, #{dictionary => CD})), ?T(zstd:dict(compress, a)),
    ?T(zstd:dict(compress, Raw, #{compressionLevel => a})), ?T(zstd:dict(decompress, [])), ?T(zstd:dict(neither, Raw)),
    {ok, C} = zstd:context(compress, #{dictionary => CD}),
    [begin _ = zstd:dict(compress, text(N)), erlang:garbage_collect() end || N <- lists:seq(1, 50)],
    ?T(bin(zstd:decompress(element(2, zstd:finish(C, Data)), #{dictionary => DD})) =:= Data).

parameters() ->
    {ok, C} = zstd:context(compress, #{compressionLevel => 7, strategy => lazy2, checksumFlag => true}),
    [?T(zstd:get_parameter(C, K)) || K <- [compressionLevel, strategy, checksumFlag, windowLog, targetCBlockSize, nothing, 1, dictionary]],
    ?T(zstd:set_parameter(C, compressionLevel, 3)), ?T(zstd:get_parameter(C, compressionLevel)),
    {ok, D} = zstd:context(decompress, #{windowLogMax => 25}),
    [?T(zstd:get_parameter(D, K)) || K <- [windowLogMax, compressionLevel]],
    ?T(zstd:set_parameter(D, windowLogMax, 99)), ?T(zstd:get_parameter(x, windowLogMax)), ?T(zstd:set_parameter(x, windowLogMax, 1)),
    ?T(begin {continue, _} = zstd:stream(C, <<"started">>), zstd:set_parameter(C, windowLog, 12) end).

others() ->
    {ok, C} = zstd:context(compress),
    Self = self(),
    spawn_link(fun() -> Self ! try zstd:stream(C, <<>>) catch Class:R -> {Class, R} end end),
    ?T(receive {error, _} = M -> M end),
    Data = text(5000),
    [spawn_link(fun() -> Self ! {same, same([Data, integer_to_list(K)])} end) || K <- lists:seq(1, 20)],
    ?T(lists:usort([receive {same, R} -> R end || _ <- lists:seq(1, 20)])).
