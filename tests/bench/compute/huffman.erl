%% Huffman coding: a priority list, a code table, bits written and read.
-module(huffman).
-export([run/0]).

run() ->
    Text = lists:flatten([io_lib:format("line ~b of the text to be packed; ", [N]) || N <- lists:seq(1, 700)]),
    Tree = tree(Text),
    Codes = maps:from_list(codes(Tree, <<>>)),
    Packed = << <<(maps:get(C, Codes))/bitstring>> || C <- Text >>,
    Text = unpack(Packed, Tree, Tree),
    {length(Text), bit_size(Packed)}.

tree(Text) ->
    Counts = lists:foldl(fun(C, M) -> maps:update_with(C, fun(N) -> N + 1 end, 1, M) end, #{}, Text),
    build(lists:sort([{N, {leaf, C}} || {C, N} <- maps:to_list(Counts)])).

build([{_, Tree}]) -> Tree;
build([{N1, A}, {N2, B} | Rest]) -> build(lists:merge([{N1 + N2, {node, A, B}}], Rest)).

codes({leaf, C}, Code) -> [{C, Code}];
codes({node, A, B}, Code) -> codes(A, <<Code/bitstring, 0:1>>) ++ codes(B, <<Code/bitstring, 1:1>>).

unpack(<<>>, {leaf, C}, _) -> [C];
unpack(Bits, {leaf, C}, Tree) -> [C | unpack(Bits, Tree, Tree)];
unpack(<<0:1, R/bitstring>>, {node, A, _}, Tree) -> unpack(R, A, Tree);
unpack(<<1:1, R/bitstring>>, {node, _, B}, Tree) -> unpack(R, B, Tree);
unpack(<<>>, _, _) -> [].
