%% Integers in every place of what term_to_binary makes, and cut off there.
-module(binary_to_term_integers).
-export([main/1]).

main(_) ->
    Ints = [0, 1, 255, 256, -1, -128, 2147483647, -2147483648, 2147483648, -2147483649, 1 bsl 58, 1 bsl 59, -(1 bsl 59), 1 bsl 64],
    Terms = [Ints, list_to_tuple(Ints), {}, {1}, [1], [300], [300 | 1], [300, 2 | 300], [{300} | 255], {[300], 2, {3}}, #{300 => 1, 1 => 300},
             [{I, I * 1000} || I <- lists:seq(1, 5)], [a, 300, b, 1], [[300, 301], [302 | 303]], fun() -> {Ints, 300} end, {300, <<1, 2>>, 300}],
    [begin
         B = term_to_binary(T),
         same = case binary_to_term(B) of T -> same; Other -> Other end,
         Size = byte_size(B),
         Bad = [decoded(binary:part(B, 0, N)) || N <- lists:seq(0, Size - 1)],
         io:format("~p ~p~n", [Size, lists:usort(Bad)])
     end || T <- Terms],
    io:format("~p~n", [[decoded(<<131, 108, N:32, 97, 1, 98, 0, 0, 1, 44, Tail/binary>>)
                        || N <- [0, 1, 2, 3, 16#ffffffff], Tail <- [<<106>>, <<97, 1>>, <<98, 255, 255, 255, 255>>, <<>>, <<98, 1>>]]]).

decoded(Bytes) ->
    try binary_to_term(Bytes) catch Class:Reason -> {Class, Reason} end.
