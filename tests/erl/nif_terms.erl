%% Functions of erl_nif.h that read and make terms (tests/nif/nif_terms.c), with every kind of term.
-module(nif_terms).
-compile(export_all). -compile(nowarn_export_all).
-on_load(load/0).

load() -> erlang:load_nif(filename:join(os:getenv("WB_NIFS", "build/release/nif"), "nif_terms"), 0).

main(_) ->
    Kinds = kinds(),
    [io:format("~s~n  ~p~n", [Name, read(T)]) || {Name, T} <- Kinds],
    io:format("dirty ~p~n", [[read(T) =:= dirty_read(T) andalso read(T) =:= dirty_io_read(T) || {_, T} <- Kinds]]),
    io:format("compare ~w~n", [[sign(compare(A, B)) || {_, A} <- Kinds, {_, B} <- Kinds]]),
    io:format("identical ~w~n", [[identical(A, B) || {_, A} <- Kinds, {_, B} <- Kinds]]),
    io:format("make ~p~n", [make()]),
    zeros(), binaries(), maps(), texts(), vectors(), exceptions(),
    io:format("times ~p~n~p~n", [times(), dirty_times()]),
    garbage(2000).

sign(N) when N < 0 -> -1;
sign(0) -> 0;
sign(_) -> 1.

kinds() ->
    Big = list_to_binary(lists:seq(0, 255)),
    <<_:3, Bits:16/bits, _/bits>> = Big,
    <<_:5, Unaligned:10/binary, _/bits>> = Big,
    <<_:8/binary, Part:100/binary, _/binary>> = Big,
    [{"zero", 0}, {"one", 1}, {"minus one", -1}, {"int max", 2147483647}, {"int max + 1", 2147483648}, {"int min", -2147483648},
     {"int min - 1", -2147483649}, {"uint max", 4294967295}, {"small max", (1 bsl 59) - 1}, {"big", 1 bsl 59},
     {"long max", (1 bsl 63) - 1}, {"ulong max", (1 bsl 64) - 1}, {"long min", -(1 bsl 63)}, {"too big", 1 bsl 64},
     {"too small", -(1 bsl 63) - 1}, {"huge", 1 bsl 200}, {"float", 1.5}, {"minus zero", -0.0}, {"atom", abc}, {"empty atom", ''},
     {"latin1 atom", 'äöü'}, {"unicode atom", 'λ'}, {"nil", []}, {"list", [1, 2, 3]}, {"string", "string"},
     {"latin1 string", "ÿ"}, {"unicode string", [955]}, {"improper", [1 | 2]}, {"improper string", [$a, $b | c]},
     {"nested", [[$a, <<"b">>], [[$c | <<"d">>]]]}, {"bad iolist", [1, 256]}, {"tuple", {a, 1}}, {"empty tuple", {}},
     {"map", #{a => 1, "b" => 2}}, {"empty map", #{}}, {"binary", <<"binary">>}, {"empty binary", <<>>}, {"bits", <<1:3>>},
     {"sub bits", Bits}, {"unaligned", Unaligned}, {"part", Part}, {"large binary", Big}, {"fun", fun erlang:self/0}].

%% The integer 0 as functions make it, and as they find it.
zeros() ->
    io:format("zeros ~p~n", [zeros(0, [0 | 0], #{0 => 0})]),
    io:format("sent ~p~n", [[receive M -> M end || _ <- [1, 2]]]),
    io:format("given ~p~n", [[zero(), dirty_zero(), same(0), zero_later(), zero() + 1, failure(fun() -> raise_zero() end)]]).

binaries() ->
    B = list_to_binary(lists:duplicate(100, $a)),
    io:format("copies ~p~n", [[writable_copy(X) || X <- [<<>>, <<"a">>, B, binary:part(B, 3, 70)]]]),
    io:format("unchanged ~p~n", [B =:= list_to_binary(lists:duplicate(100, $a))]),
    Good = term_to_binary({a, [1, 2.5], <<"x">>}),
    io:format("external ~p~n", [[from_external(X, O) || X <- [Good, <<Good/binary, 1, 2>>, <<131>>, <<>>, <<1, 2, 3>>, binary:part(Good, 0, 9)],
                                                        O <- [0, 16#20000000, 1]]]),
    New = <<131, 119, 20, "no atom of this name">>,
    io:format("safe ~p~n", [from_external(New, 16#20000000)]).

maps() ->
    Small = #{a => 1, b => 2},
    Large = maps:from_list([{N, N * N} || N <- lists:seq(1, 100)]),
    io:format("maps ~p~n", [[map_changes(M, K, new) || M <- [#{}, Small, not_a_map], K <- [a, c, {t}]]]),
    [{put, A}, {update, B}, {remove, C}, {get, D}] = map_changes(Large, 50, x),
    io:format("large ~p~n", [{maps:size(A), A =:= B, maps:size(C), D, maps:is_key(50, C)}]),
    io:format("arrays ~p~n", [[map_of_lists(K, V) || {K, V} <- [{[], []}, {[a, b], [1, 2]}, {[a, a], [1, 2]}]]]),
    io:format("arrays ~p~n", [map_of_lists(lists:seq(1, 90), lists:seq(1, 90)) =:= maps:from_list([{N, N} || N <- lists:seq(1, 90)])]),
    io:format("pairs ~p~n", [[map_pairs(M) || M <- [#{}, Small]]]),
    {Same, Pairs} = map_pairs(Large),
    io:format("pairs ~p~n", [{Same, lists:sort(Pairs) =:= lists:sort(maps:to_list(Large))}]),
    io:format("pairs ~p~n", [failure(fun() -> map_pairs([]) end)]).

texts() ->
    [io:format("~p~n", [printed(T)]) || T <- [0, -5, 1 bsl 70, 1.5, abc, 'A b', [], [1, 2], "str", {a, {b}}, <<"bin">>, <<1, 2>>, <<1:3>>, #{}, #{a => b}, fun erlang:self/0]].

vectors() ->
    Big = list_to_binary(lists:duplicate(200, $b)),
    Lists = [[], [<<"a">>, <<"bc">>], [Big, binary:part(Big, 5, 80), <<"x">>], [<<"a">> | tail], [1, 2], not_a_list, [<<1:3>>],
             [<<N>> || N <- lists:seq(1, 40)]],
    io:format("iovec ~p~n", [[iovec(L, N) || L <- Lists, N <- [0, 1, 3, 1000]]]),
    io:format("queue ~p~n", [[queue(L, <<"binary">>) || L <- Lists]]).

exceptions() ->
    io:format("exceptions ~p~n", [[failure(F) || F <- [fun() -> raise(a) end, fun() -> raise({b, [1, 2.0], <<"x">>}) end, fun() -> raise_and_return(c) end,
                                                       fun() -> badarg() end, fun() -> dirty_raise({d, "long enough to live on the heap"}) end,
                                                       fun() -> atom_too_long() end, fun() -> not_finite() end, fun() -> not_finite(1) end]]]).

failure(F) ->
    try F() catch Class:Reason:Stack -> {Class, Reason, hd(Stack)} end.

%% Results and arguments live through collections.
garbage(0) -> ok;
garbage(N) ->
    T = {N, [N], <<N:700>>, #{N => N}},
    Read = read(T),
    [T] = [E || {K, E} <- Read, K =:= never] ++ [list_to_tuple(proplists:get_value(tuple_of, Read))],
    garbage(N - 1).

read(_) -> erlang:nif_error(not_loaded).
compare(_, _) -> erlang:nif_error(not_loaded).
identical(_, _) -> erlang:nif_error(not_loaded).
make() -> erlang:nif_error(not_loaded).
zeros(_, _, _) -> erlang:nif_error(not_loaded).
zero() -> erlang:nif_error(not_loaded).
dirty_zero() -> erlang:nif_error(not_loaded).
raise_zero() -> erlang:nif_error(not_loaded).
same(_) -> erlang:nif_error(not_loaded).
zero_later() -> erlang:nif_error(not_loaded).
writable_copy(_) -> erlang:nif_error(not_loaded).
atom_too_long() -> erlang:nif_error(not_loaded).
not_finite() -> erlang:nif_error(not_loaded).
not_finite(_) -> erlang:nif_error(not_loaded).
from_external(_, _) -> erlang:nif_error(not_loaded).
map_changes(_, _, _) -> erlang:nif_error(not_loaded).
map_of_lists(_, _) -> erlang:nif_error(not_loaded).
map_pairs(_) -> erlang:nif_error(not_loaded).
printed(_) -> erlang:nif_error(not_loaded).
iovec(_, _) -> erlang:nif_error(not_loaded).
queue(_, _) -> erlang:nif_error(not_loaded).
raise(_) -> erlang:nif_error(not_loaded).
raise_and_return(_) -> erlang:nif_error(not_loaded).
badarg() -> erlang:nif_error(not_loaded).
times() -> erlang:nif_error(not_loaded).
dirty_read(_) -> erlang:nif_error(not_loaded).
dirty_io_read(_) -> erlang:nif_error(not_loaded).
dirty_raise(_) -> erlang:nif_error(not_loaded).
dirty_times() -> erlang:nif_error(not_loaded).
