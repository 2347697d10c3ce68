%% Calls BIFs on terms with a reproducible choice of right, wrong and strange arguments and prints
%% what OTP makes of them: module, function, arguments, ok|error, value|reason (external format, hex).
-module(gen_bif_samples).
-export([main/0]).

main() ->
    rand:seed(exsss, {2, 5, 25}),
    Lines = lists:usort([line(Call, Args) || Call <- calls(), _ <- lists:seq(1, 30),
                                             Args <- [arguments(Call)],
                                             not depends_on_trie_order(Call, Args)]),
    io:put_chars(Lines).

%% The order of maps of more than 32 keys is each VM's own.
depends_on_trie_order({_, F, _}, Args) ->
    lists:member(F, [keys, values, map_next])
        andalso lists:any(fun(A) -> is_map(A) andalso map_size(A) > 32 end, Args).

line({M, F, _}, Args) ->
    {Outcome, Value} = try {"ok", apply(M, F, Args)} catch error:R -> {"error", R} end,
    io_lib:format("~s\t~s\t~s\t~s\t~s~n", [M, F, hex(Args), Outcome, hex(Value)]).

hex(T) -> [io_lib:format("~2.16.0b", [B]) || <<B>> <= term_to_binary(T)].

arguments({_, _, Pools}) ->
    [case rand:uniform(10) of 1 -> any(); _ -> from(P) end || P <- Pools].

pick(L) -> lists:nth(rand:uniform(length(L)), L).
from({'or', L}) -> from(pick(L));
from({const, L}) -> pick(L);
from(P) -> ?MODULE:P().

calls() ->
    [{maps, find, [key, map]}, {maps, from_keys, [keys, any]}, {maps, from_list, [pairs]},
     {maps, get, [key, map]}, {maps, is_key, [key, map]}, {maps, keys, [flat]},
     {maps, values, [flat]}, {maps, merge, [map, map]}, {maps, put, [key, any, map]},
     {maps, remove, [key, map]}, {maps, take, [key, map]}, {maps, update, [key, any, map]},
     {erlang, map_get, [key, map]}, {erlang, map_size, [map]}, {erlang, is_map_key, [key, map]},
     {erts_internal, map_next, [{const, [0]}, flat, {const, [iterator, [], [x], a]}]},
     {erts_internal, map_to_tuple_keys, [flat]}, {erts_internal, cmp_term, [any, any]},
     {lists, keyfind, [any, position, tuples]}, {lists, keymember, [any, position, tuples]},
     {lists, keysearch, [any, position, tuples]}, {lists, member, [any, list]},
     {lists, reverse, [list, any]}, {erlang, '++', [list, any]}, {erlang, append, [list, list]},
     {erlang, '--', [list, list]}, {erlang, subtract, [list, list]}, {erlang, length, [list]},
     {erlang, hd, [list]}, {erlang, tl, [list]},
     {erlang, element, [position, tuple]}, {erlang, setelement, [position, tuple, any]},
     {erlang, tuple_size, [tuple]}, {erlang, size, [{'or', [tuple, any]}]},
     {erlang, make_tuple, [position, any]}, {erlang, make_tuple, [position, any, inits]},
     {erlang, append_element, [tuple, any]}, {erlang, insert_element, [position, tuple, any]},
     {erlang, delete_element, [position, tuple]}, {erlang, tuple_to_list, [tuple]},
     {erlang, list_to_tuple, [list]},
     {erlang, is_function, [any, position]}, {erlang, is_record, [tuple, atom]},
     {erlang, is_record, [tuple, atom, position]},
     {erlang, atom_to_list, [atom]}, {erlang, atom_to_binary, [atom, encoding]},
     {erlang, list_to_atom, [text]}, {erlang, list_to_existing_atom, [text]},
     {erlang, binary_to_atom, [bytes, encoding]},
     {erlang, binary_to_existing_atom, [bytes, encoding]},
     {erlang, phash, [any, range]}, {erlang, phash2, [any]}, {erlang, phash2, [any, range]},
     {erlang, pid_to_list, [any]}, {erlang, fun_to_list, [any]}, {erlang, ref_to_list, [any]},
     {erlang, port_to_list, [any]},
     {erlang, list_to_pid, [{const, ["<0.1.2>", "<0.1>", "<1.2.3>", "<0.1.2", "<0.1.2>x", "",
                                     "<0..2>", "<0.-1.2>", "<0.1.2.3>"]}]},
     {erlang, list_to_port, [{const, ["#Port<0.5>", "#Port<0.>", "#Port<1.5>", "<0.5>"]}]},
     {erlang, list_to_ref, [{const, ["#Ref<0.1.2.3>", "#Ref<0.1.2>", "#Ref<>", "#Ref<0.1.2.3.4>"]}]}]
    ++ [{erlang, F, [any]} || F <- [is_atom, is_binary, is_bitstring, is_boolean, is_float,
                                    is_function, is_integer, is_list, is_map, is_number, is_pid,
                                    is_port, is_reference, is_tuple]].

any() -> pick(any_terms()).
any_terms() ->
    [0, 1, 2, -1, 7, 255, 256, 1 bsl 59, -(1 bsl 70), 1 bsl 64, 1.0, 2.0, 0.0, -0.0, 1.5, a, b, c,
     '', true, false, 'å', 'αβ', [], [a], [1, 2, 3], "text", [a | b], [1 | 2], [[]], {}, {a}, {1},
     {1.0}, {a, b}, {{a}, [b]}, #{}, #{a => 1}, #{1 => x, 1.0 => y}, <<>>, <<1, 2>>, <<5:3>>,
     <<"text">>, binary:copy(<<7>>, 70), fun lists:map/2, fun erlang:'+'/2,
     list_to_pid("<0.5.0>"), list_to_ref("#Ref<0.1.2.3>"), list_to_port("#Port<0.3>"),
     list_to_tuple(lists:seq(1, 20)), lists:seq(1, 40), big(40, fun(I) -> I end)].

big(N, F) -> maps:from_list([{F(I), I} || I <- lists:seq(1, N)]).
key() -> pick([a, b, 1, 1.0, 2, 0.0, -0.0, {1}, {1.0}, <<"k">>, [x], 33, 40, 77, #{}, 1 bsl 70]).
keys() -> pick([[], [a], [a, b, a], [1, 1.0, 2], [a | b], lists:seq(1, 33), lists:seq(1, 32),
                lists:seq(1, 32) ++ [1.0], [{1}, {1.0}, #{}, <<"k">>]]).
flat() -> pick([#{}, #{a => 1}, #{b => 2, a => 1}, #{1 => a, 1.0 => b, {1} => c, <<"k">> => d},
                big(32, fun(I) -> I end), #{[x] => 1, {} => 2, 0.0 => 3, b => 4, 1 bsl 70 => 5}]).
map() -> case rand:uniform(2) of
             1 -> flat();
             2 -> pick([big(33, fun(I) -> I end), big(40, fun(I) -> I end),
                        big(34, fun(I) -> {I} end), big(100, fun(I) -> I * 1.0 end),
                        big(40, fun(I) -> [x | I] end)])
         end.
pairs() -> pick([[], [{a, 1}], [{a, 1}, {b, 2}, {a, 3}], [{1, a}, {1.0, b}, {1, c}], [a], [{a}],
                 [{a, 1} | b], [{a, 1, 2}], [{I rem 40, I} || I <- lists:seq(1, 100)],
                 [{I rem 32, I} || I <- lists:seq(1, 100)], [{0.0, a}, {-0.0, b}]]).
position() -> pick([0, 1, 2, 3, 4, -1, 1, 2, a, 1.0, 1 bsl 70, 20]).
tuples() -> pick([[], [{a, 1}, {b, 2}], [{1, a}, {1.0, b}], [{x}, y, {1, 2, 3}, {a, b}], [a | b],
                  [{a, 1} | b], [{a, {1}}, {b, [x]}, {c, 1.5}], [{[a], <<"text">>}]]).
list() -> pick([[], [a], [a, b, c], [1, 2, 1, 3, 1], [1, 1.0, {1}, {1.0}], lists:seq(1, 30),
                lists:seq(1, 30) ++ lists:seq(10, 40), lists:seq(5, 60, 5), [a | b], [1, 2 | 3],
                [x, y, x, y, x], [0.0, -0.0, 0], [<<"text">>, #{a => 1}], "text"]).
tuple() -> pick([{}, {a}, {a, b}, {1, 2, 3}, {b, 1}, {a, b, c, d}, list_to_tuple(lists:seq(1, 20))]).
inits() -> pick([[], [{1, a}], [{2, a}, {1, b}], [{9, x}], [a], [{0, a}], [{1, a} | b], a]).
atom() -> pick([a, b, '', 'å', 'αβ', 'a b', true, '😀x']).
encoding() -> pick([latin1, utf8, unicode, utf16, 1]).
text() -> pick(["a", "", "ok", "åäö", [945, 946], [1114111], [1114112], [55296], [-1], [a],
                "a" ++ b, lists:duplicate(255, $x), lists:duplicate(256, $x),
                lists:duplicate(256, 945), lists:duplicate(256, $x) ++ y]).
bytes() -> pick([<<"a">>, <<>>, <<"ok">>, <<"å"/utf8>>, <<"å">>, <<206, 177>>, <<255>>, <<195>>,
                 <<237, 160, 128>>, <<244, 144, 128, 128>>, <<192, 128>>, <<5:3>>,
                 binary:copy(<<"x">>, 255), binary:copy(<<"x">>, 256), binary:copy(<<206, 177>>, 256),
                 binary:copy(<<206, 177>>, 255)]).
range() -> pick([1, 2, 1000, 1 bsl 27, 1 bsl 32, (1 bsl 32) + 1, 0, -1, a, 1.0]).
