%% phash2 over terms made at random, and over bytes of every length, whole, out of line and as parts.
%% args: 1500
%% args gc-stress: 40
%% args seeds: 200
-module(hashed_terms).
-export([main/1]).

main([Arg]) ->
    rand:seed(exsss, {4, 5, 6}),
    N = list_to_integer(Arg),
    io:format("~p~n", [[erlang:phash2(bytes(Size)) || Size <- lists:seq(0, 140)]]),
    io:format("~p~n", [[erlang:phash2(term(5)) || _ <- lists:seq(1, N)]]).

bytes(Size) ->
    Whole = << <<(rand:uniform(256) - 1)>> || _ <- lists:seq(1, Size) >>,
    <<_:3, Crooked:Size/binary, _/bits>> = <<1:3, Whole/binary, 0:5>>,
    Part = binary:part(<<7, Whole/binary, 9, 9>>, 1, Size),
    [erlang:phash2(B) || B <- [Whole, Crooked, Part, <<Whole/binary, 5:3>>, [Whole, Crooked | Part], #{Whole => Part}]].

term(0) -> leaf();
term(Depth) ->
    case rand:uniform(7) of
        1 -> maps:from_list([{hd([leaf() || rand:uniform(3) > 1] ++ [term(Depth - 1)]), term(Depth - 1)} || _ <- some(6)]);
        2 -> list_to_tuple([term(Depth - 1) || _ <- some(4)]);
        3 -> [term(Depth - 1) || _ <- some(4)];
        4 when Depth > 2 -> maps:from_list([{leaf(), term(Depth - 2)} || _ <- lists:seq(1, 40)]);
        _ -> leaf()
    end.
leaf() ->
    case rand:uniform(10) of
        1 -> a;
        2 -> [];
        3 -> rand:uniform(300);
        4 -> -rand:uniform(1 bsl 30);
        5 -> rand:uniform(1 bsl 70);
        6 -> rand:uniform();
        7 -> <<"abc">>;
        8 -> 'xyz';
        9 -> <<3:5>>;
        10 -> "text"
    end.
some(Most) -> lists:seq(1, rand:uniform(Most)).
