%% Sizes of segments that are known when the program runs: what is no size, when binaries are made and matched.
-ifndef(OLD_COMPILER).
-module(bs_sizes).
-endif.
%% args gc-stress: few
-export([main/1]).
-include("show.hrl").

main(["few"]) -> main([all, -1, 2, 1.0, 1 bsl 64], [<<1, 2, 3:5>>, no_binary]);
main([]) ->
    main([all, -1, 0, 1, 2, 3, 8, 16, 24, 64, 65, 1.0, 0.0, -(1 bsl 59), 1 bsl 63, 1 bsl 64, -(1 bsl 64), 1 bsl 70, -(1 bsl 70), undefined,
          binary, [], {all}, "all", <<"all">>, #{}, [all | 1]],
         [<<>>, <<1, 2, 3>>, <<1, 2, 3:5>>, <<5:3>>, binary:copy(<<7>>, 100), no_binary]).

main(Sizes, Subjects) ->
    [both(fun() -> [line(S, I, 5, fun() -> make(I, id(S), id(5)) end) || S <- Sizes] end) || I <- lists:seq(1, 16)],
    [both(fun() -> [line(S, I, B, fun() -> make(I, id(S), id(B)) end) || S <- Sizes, B <- Subjects] end) || I <- lists:seq(17, 34)],
    [both(fun() -> [line(S, I, B, fun() -> match(I, id(S), id(B)) end) || S <- Sizes, B <- Subjects] end) || I <- lists:seq(1, 24)],
    [large(S) || S <- [1 bsl 58, (1 bsl 59) - 1, 1 bsl 59, 1 bsl 60, (1 bsl 64) - 1]].

%% What the second round says is only printed where it is something else: the function is native code by then.
both(F) ->
    Lines = F(),
    io:put_chars(Lines),
    [io:format("again: ~ts", [B]) || {A, B} <- lists:zip(Lines, F()), A =/= B].

line(S, I, V, F) -> lists:flatten(io_lib:format("~W of ~W, ~p: ~ts~n", [S, 9, V, 9, I, made(F)])).

%% The cause of an error is in its frame's error_info, and what it says of it.
made(F) ->
    try io_lib:format("~W", [F(), 30])
    catch
        C:R:Stack ->
            [{M, Name, A, Info} | _] = Stack,
            ErrorInfo = proplists:get_value(error_info, Info),
            Text = case ErrorInfo of
                       #{function := Format} -> erl_erts_errors:Format(R, Stack);
                       _ -> none
                   end,
            io_lib:format("~w ~W in ~w:~w/~w:~w ~W ~0p", [C, R, 20, M, Name, A, proplists:get_value(line, Info), ErrorInfo, 60, Text])
    end.

make(1, S, V) -> <<V:S>>;
make(2, S, V) -> <<0, V:S>>;
make(3, S, V) -> <<0, V:S/little, 1:3>>;
make(4, S, V) -> <<V:S/unit:8>>;
make(5, S, V) -> <<V:S/unit:256>>;
make(6, S, V) -> <<V:S/float>>;
make(7, S, V) -> <<1:3, V:S/little-float>>;
make(8, S, V) -> <<V:S/float-unit:4>>;
make(9, S, V) -> <<V:S/float-unit:64, V:S>>;
make(10, S, V) -> <<V:8, V:S, V:S>>;
make(11, S, V) -> <<(id(<<"abc">>))/binary, V:S>>;
make(12, S, V) -> << <<V:S>> || _ <- [1, 2, 3] >>;
make(13, S, V) -> <<V/utf8, V:S>>;
make(14, S, V) -> <<V/utf16, V:S, V/utf32>>;
make(15, S, V) -> <<"text", V:S>>;
make(16, S, V) -> case V of X when <<X:S>> =:= <<5>> -> yes; _ -> no end;
make(17, S, B) -> <<B:S/binary>>;
make(18, S, B) -> <<B:S/bitstring>>;
make(19, S, B) -> <<0, B:S/binary>>;
make(20, S, B) -> <<0, B:S/bitstring>>;
make(21, S, B) -> <<B:S/binary-unit:1>>;
make(22, S, B) -> <<B:S/binary-unit:3>>;
make(23, S, B) -> <<B:S/binary-unit:256>>;
make(24, S, B) -> <<B:S/binary, 0>>;
make(25, S, B) -> <<B:S/bitstring, 0:3>>;
make(26, S, B) -> <<B:S/binary, B:S/binary>>;
make(27, S, B) -> <<B/binary, B:S/binary>>;
make(28, S, B) -> <<B/bitstring, B:S/bitstring, 1:1>>;
make(29, S, B) -> << <<B:S/binary>> || _ <- [1, 2] >>;
make(30, S, B) -> << <<B:S/bitstring>> || _ <- [1, 2] >>;
make(31, S, B) -> <<$a/utf8, B:S/binary>>;
make(32, S, B) -> case B of X when <<X:S/binary>> =:= X -> yes; _ -> no end;
make(33, S, B) -> case B of X when <<0, X:S/bitstring>> =:= <<0, X/bitstring>> -> yes; _ -> no end;
make(34, S, B) -> bit_size(<<1:1, B:S/binary, B:S/bitstring>>).

match(1, S, B) -> case B of <<X:S/binary>> -> {X}; _ -> no end;
match(2, S, B) -> case B of <<X:S/bitstring>> -> {X}; _ -> no end;
match(3, S, B) -> case B of <<X:S/binary, R/bitstring>> -> {X, R}; _ -> no end;
match(4, S, B) -> case B of <<X:S/bitstring, R/bitstring>> -> {X, R}; _ -> no end;
match(5, S, B) -> case B of <<A, X:S/binary, R/bitstring>> -> {A, X, R}; _ -> no end;
match(6, S, B) -> case B of <<A:3, X:S/bitstring>> -> {A, X}; _ -> no end;
match(7, S, B) -> case B of <<_:S/binary, R/bitstring>> -> {R}; _ -> no end;
match(8, S, B) -> case B of <<_:S/bitstring, R/bitstring>> -> {R}; _ -> no end;
match(9, S, B) -> case B of <<_:S/binary>> -> yes; _ -> no end;
match(10, S, B) -> case B of <<A:3, _:S/bitstring>> -> {A}; _ -> no end;
match(11, S, B) -> case B of <<X:S/binary-unit:3, _/bitstring>> -> {X}; _ -> no end;
match(12, S, B) -> case B of <<X:S/binary-unit:256, _/bitstring>> -> {X}; _ -> no end;
match(13, S, B) -> case B of <<_:S/binary-unit:256, X/bitstring>> -> {X}; _ -> no end;
match(14, S, B) -> case B of <<X:S, R/bitstring>> -> {X, R}; _ -> no end;
match(15, S, B) -> case B of <<X:S/little-signed, R/bitstring>> -> {X, R}; _ -> no end;
match(16, S, B) -> case B of <<X:S/unit:256, R/bitstring>> -> {X, R}; _ -> no end;
match(17, S, B) -> case B of <<_:S, R/bitstring>> -> {R}; _ -> no end;
match(18, S, B) -> case B of <<X:S/float, R/bitstring>> -> {X, R}; _ -> no end;
match(19, S, B) -> case B of <<X:S/float-unit:8, R/bitstring>> -> {X, R}; _ -> no end;
match(20, S, B) -> case B of <<_:S/float, R/bitstring>> -> {R}; _ -> no end;
match(21, S, B) -> case B of <<L, X:L/binary, Y:S/binary, _/bitstring>> -> {X, Y}; _ -> no end;
match(22, S, B) -> [X || <<X:S/binary, _>> <= B];
match(23, S, B) -> case B of <<1:S, R/bitstring>> -> {R}; <<5:S>> -> five; _ -> no end;
match(24, S, B) -> <<X:S/binary, Y:S/bitstring, R/binary>> = B, {X, Y, R}.

%% Sizes for which there is no memory anywhere.
large(S) ->
    io:put_chars([line(S, I, 5, fun() -> make(I, id(S), id(5)) end) || I <- [5, 9]]),
    io:put_chars([line(S, 23, B, fun() -> make(23, id(S), id(B)) end) || B <- [<<1, 2, 3>>, no_binary]]),
    io:put_chars([line(S, I, B, fun() -> match(I, id(S), id(B)) end) || I <- lists:seq(1, 24), B <- [<<1, 2, 3>>, no_binary]]).
