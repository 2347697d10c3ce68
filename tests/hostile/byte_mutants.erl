%% Damaged copies of a module, made from its bytes: cut short, or with bits changed in the file, in one
%% chunk, or in the literals before they are compressed. The same module, seed and number give the same
%% mutant.
%%
%% A mutant has a name of its own, so that the machine it is loaded into keeps its lists and its gen.
%% Functions that end the machine or change the world outside are imported from a module that is not
%% there (see harmless/1).
-module(byte_mutants).
-export([prepare/1, mutant/2]).

-define(Forbidden, [{erlang, halt}, {init, stop}, {init, reboot}, {init, restart}, {os, cmd},
                    {erlang, open_port}, {c, q}, {c, erlangrc}]).

%% The module, renamed and made harmless, as [{ChunkId, Data}] with literals as they are uncompressed.
prepare(Bytes) ->
    {ok, _, Chunks} = beam_lib:all_chunks(Bytes),
    Kept = [C || {Id, _} = C <- Chunks, lists:member(Id, chunk_ids())],
    harmless([plain(C) || C <- Kept]).

chunk_ids() ->
    ["AtU8", "Code", "StrT", "ImpT", "ExpT", "FunT", "LitT", "LocT", "Attr", "CInf", "Line", "Type", "Recs"].

plain({"LitT", <<Size:32, Packed/binary>>}) when Size > 0 -> {"LitT", zlib:uncompress(Packed)};
plain({"LitT", <<0:32, Plain/binary>>}) -> {"LitT", Plain};
plain(Chunk) -> Chunk.

harmless(Chunks) ->
    {_, <<Count:32, Length, Name:Length/binary, Rest/binary>>} = lists:keyfind("AtU8", 1, Chunks),
    Atoms = atoms(Rest),
    Forbidden = Count + 1,
    New = <<(Count + 1):32, (Length + 7), "mutant_", Name/binary, Rest/binary, 9, "forbidden">>,
    {_, <<N:32, Imports/binary>>} = lists:keyfind("ImpT", 1, Chunks),
    Index = maps:from_list(lists:zip(lists:seq(2, Count), Atoms)),
    Safe = << <<(module_of(M, F, Index, Forbidden)):32, F:32, A:32>> || <<M:32, F:32, A:32>> <= Imports >>,
    lists:keyreplace("ImpT", 1, lists:keyreplace("AtU8", 1, Chunks, {"AtU8", New}),
                     {"ImpT", <<N:32, Safe/binary>>}).

atoms(<<N, Name:N/binary, Rest/binary>>) -> [Name | atoms(Rest)];
atoms(<<>>) -> [].

module_of(M, F, Index, Forbidden) ->
    Import = {maps:get(M, Index, none), maps:get(F, Index, none)},
    case lists:member(Import, [{atom_to_binary(A), atom_to_binary(B)} || {A, B} <- ?Forbidden]) of
        true -> Forbidden;
        false -> M
    end.

%% {What was done, Bytes}.
mutant(Chunks, Seed) ->
    R = rand:seed_s(exsss, Seed),
    {Kind, R1} = rand:uniform_s(20, R),
    damage(Kind, Chunks, R1).

damage(Kind, Chunks, R) when Kind =< 2 ->
    Whole = file(Chunks),
    {At, _} = rand:uniform_s(byte_size(Whole), R),
    {{cut, At}, binary:part(Whole, 0, At)};
damage(Kind, Chunks, R) when Kind =< 4 ->
    Whole = file(Chunks),
    {Changes, Bytes} = change(Whole, R),
    {{file, Changes}, Bytes};
damage(Kind, Chunks, R) when Kind =< 13 -> damage_chunk("Code", Chunks, R);
damage(_, Chunks, R) ->
    {N, R1} = rand:uniform_s(length(Chunks), R),
    {Id, _} = lists:nth(N, Chunks),
    damage_chunk(Id, Chunks, R1).

damage_chunk(Id, Chunks, R) ->
    case lists:keyfind(Id, 1, Chunks) of
        {Id, Data} when byte_size(Data) > 0 ->
            {Changes, Bytes} = change(Data, R),
            {{Id, Changes}, file(lists:keyreplace(Id, 1, Chunks, {Id, Bytes}))};
        _ -> damage(3, Chunks, R)
    end.

%% One to three bytes get a bit flipped or a value that is an edge of something.
change(Data, R) ->
    {N, R1} = rand:uniform_s(3, R),
    change(N, Data, R1, []).

change(0, Data, _, Changes) -> {Changes, Data};
change(N, Data, R, Changes) ->
    {Offset, R1} = rand:uniform_s(byte_size(Data), R),
    At = Offset - 1,
    <<Before:At/binary, Byte, After/binary>> = Data,
    {Way, R2} = rand:uniform_s(3, R1),
    {New, R3} = new_byte(Way, Byte, R2),
    change(N - 1, <<Before/binary, New, After/binary>>, R3, [{At, Byte, New} | Changes]).

new_byte(1, Byte, R) ->
    {Bit, R1} = rand:uniform_s(8, R),
    {Byte bxor (1 bsl (Bit - 1)), R1};
new_byte(2, Byte, R) ->
    {Up, R1} = rand:uniform_s(2, R),
    {(Byte + 16 * (2 * Up - 3)) band 255, R1};  % the next number in a compact term
new_byte(3, _, R) ->
    {N, R1} = rand:uniform_s(10, R),
    {lists:nth(N, [0, 1, 2, 16, 32, 127, 128, 200, 254, 255]), R1}.

file(Chunks) ->
    {ok, Bytes} = beam_lib:build_module([packed(C) || C <- Chunks]),
    Bytes.

packed({"LitT", Plain}) -> {"LitT", <<(byte_size(Plain)):32, (zlib:compress(Plain))/binary>>};
packed(Chunk) -> Chunk.
