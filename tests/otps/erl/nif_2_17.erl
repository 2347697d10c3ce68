%% A native library that is made with OTP 26's erl_nif.h or a later one (../nif/nif_2_17.c): UTF-8, options.
-module(nif_2_17).
-export([main/0, main/1, string_length/2, get_string/2, make_string/2, atom/2, new_atom/2, existing_atom/2, option/0]).
-nifs([string_length/2, get_string/2, make_string/2, atom/2, new_atom/2, existing_atom/2, option/0]).
-compile(nowarn_deprecated_catch).

main() -> main([]).
main(_) ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), []),
    Strings = ["", "abc", "abcdefg", "abcdefgh", [228], [955, 955], [955, 955, 955], [955, 955, 955, 955], [16#1F600, $a], [16#d800], [$a | b], [a], x, [16#110000], [-1]],
    [io:format("~w ~w: ~w ~w~n", [S, E, string_length(S, E), get_string(S, E)]) || S <- Strings, E <- [latin1, utf8]],
    [io:format("~w ~w: ~w~n", [B, E, result(fun() -> make_string(B, E) end)]) || B <- [<<>>, <<"abc">>, <<206, 187>>, <<255>>, <<206>>, <<0>>], E <- [latin1, utf8]],
    Atoms = ['', abc, 'ä', 'λ', list_to_atom(lists:duplicate(255, 955))],
    [io:format("~w: ~w~n", [E, atom(A, E)]) || A <- Atoms, E <- [latin1, utf8]],
    [io:format("~tw ~w: ~tw ~tw ~tw~n", [B, E, result(fun() -> existing_atom(B, E) end), result(fun() -> new_atom(B, E) end), result(fun() -> existing_atom(B, E) end)]) ||
        B <- [<<"abc">>, <<"never_seen">>, <<206, 187, "new">>, <<255>>, <<206>>], E <- [latin1, utf8]],
    io:format("~w~n", [[new_atom(binary:copy(<<"x">>, N), E) =:= {} || N <- [255, 256], E <- [latin1, utf8]]]),
    io:format("~w~n", [new_atom(binary:copy(<<206, 187>>, 255), utf8) =:= {}]),
    io:format("~w~n", [new_atom(binary:copy(<<206, 187>>, 256), utf8) =:= {}]),
    io:format("~w~n", [option()]).

result(F) -> try F() catch C:R -> {C, R} end.

string_length(_, _) -> erlang:nif_error(not_loaded).
get_string(_, _) -> erlang:nif_error(not_loaded).
make_string(_, _) -> erlang:nif_error(not_loaded).
atom(_, _) -> erlang:nif_error(not_loaded).
new_atom(_, _) -> erlang:nif_error(not_loaded).
existing_atom(_, _) -> erlang:nif_error(not_loaded).
option() -> erlang:nif_error(not_loaded).
