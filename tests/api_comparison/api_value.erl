%% The values: a few of everything a term can be, and of each class that the type of an
%% argument may ask for.
%%
%% A value that cannot be shared by all calls (a table, an array of atomics) is a recipe: {'$make', X}
%% anywhere at the top of an argument becomes a fresh object right before the call (make/1).
-module(api_value).
-export([all/0, pairs/0, of_class/1, make/1, text/1]).

all() -> integers() ++ floats() ++ atoms() ++ tuples() ++ texts() ++ bitstrings() ++ lists() ++ maps() ++
             big() ++ funs() ++ identifiers() ++ recipes().

%% What both arguments of a function of two take, one with all, all with one.
pairs() ->
    [0, 1, -1, 2, 3, 7, 10, 64, 255, 256, 1000, 1 bsl 31, (1 bsl 59) - 1, 1 bsl 59, -(1 bsl 59), -(1 bsl 59) - 1,
     (1 bsl 63) - 1, -(1 bsl 63), 1 bsl 64, -(1 bsl 64), 1 bsl 200, -0.0, 1.0, -1.5, 3.0, 1.0e15, 1.0e300, 5.0e-324,
     a, b, true, false, '', undefined, utf8, latin1, unicode, {}, {a}, {a, 1}, {a, b, c}, {1, 2}, {0, 3},
     "", "a", "abc", "b,a", "AbC ÄΩ", [8364, 128512], "-12", <<>>, <<"a">>, <<"abcabc">>, <<"żó"/utf8>>, <<255>>, <<5:3>>,
     part(), binary:copy(<<"y">>, 65), [1], [3, 1, 2], [1, 2 | 3], [[1], <<"b">>, "c"], [{a, 1}, {b, 2}, {a, 3}], [a, b],
     [{1, 2}], [<<"a">>, <<"b">>], #{}, #{a => 1}, #{b => 2, 1 => 1.0, 1.0 => c}, map_of(33), fun lists:reverse/1,
     fun erlang:'+'/2, fun_of(1), fun_of(2)] ++ [self(), external_pid(), hd(references())] ++ recipes().

integers() ->
    Edges = [1 bsl N || N <- [7, 8, 15, 16, 27, 28, 31, 32, 53, 58, 59, 60, 62, 63, 64, 65, 127, 128, 1024]],
    [0, 1, 2, 3, 7, 10, 36, 37, 42, 100, 1000, 1114111, 1114112, 16#D800, 1 bsl 62 + 12345, -1, -2, -100] ++
        Edges ++ [E - 1 || E <- Edges] ++ [-E || E <- Edges] ++ [-E - 1 || E <- Edges, E >= 1 bsl 31, E =< 1 bsl 65] ++
        [123456789012345678901234567890, -(1 bsl 200) + 1].

floats() ->
    [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 0.1, 3.0, 1.0e-5, 12345.678, 99999.9, 1.0e15, 1.0e16, 1.0e22, 1.0e23, 4503599627370497.5,
     9007199254740992.0, 9007199254740993.0, 576460752303423488.0, -576460752303423489.0, 1.8446744073709552e19, 1.0e100,
     1.0e300, -1.7976931348623157e308, 1.7976931348623157e308, 2.2250738585072014e-308, 2.225073858507201e-308, 5.0e-324, -5.0e-324].

atoms() ->
    [a, b, true, false, undefined, ok, error, '', 'hello world', 'Capital', 'it\'s', 'żółw', '日本', 'aÿ', '\n', 'end', list_to_atom(lists:duplicate(255, $x)),
     utf8, latin1, unicode, little, big, nonode@nohost, lists, infinity].

tuples() -> [{}, {a}, {1, 2}, {a, b, c}, {{}, {{[]}}}, {error, "text"}, {a, 1.0}, {a, 1}, {0, 3}, {1, -1}, {2000, 2, 29}, {23, 59, 59},
             {{1970, 1, 1}, {0, 0, 0}}, {{2024, 2, 30}, {24, 0, 0}}, list_to_tuple(lists:seq(1, 300))].

texts() ->
    ["a", "b", "abc", "hello world", "  padded\t ", "ÅÄÖ", [8364, 128512], "Straße", "ὈΔΥΣΣΕΎΣ", [$e, 16#301, $x], "\r\n\r\n", "1", "-12", "+7", "1.5", "1.5e3", "-1.0e-400",
     "1.0e400", "16#ff", "ff", "zZ", "12abc", "1e5", "0.0", "-0.0", ".5", "<0.0.0>", "#Ref<0.1.2.3>", "#Port<0.5>", "[1,{a,b}].",
     "http://user@host:80/a%20b/../c?q=1&r=%c3%a9#frag", "a,b,,c", [$a | <<"bc">>], ["nested", $x, <<"bin">>, [[]]], [<<"a">> | <<"tail">>], [256], [-1],
     [16#D800], [$a, 1114112], lists:duplicate(300, $q)].

bitstrings() ->
    [<<>>, <<0>>, <<"a">>, <<"abc">>, <<"12">>, <<"-7">>, <<"1.5">>, <<"ff">>, <<1, 2, 3, 255>>, <<"żółw"/utf8>>, <<255, 254>>, <<16#e2, 16#82>>,
     <<"e", 204, 129>>, <<5:3>>, <<1:1>>, <<0:1>>, <<"abc", 3:2>>, binary:copy(<<"x">>, 64), binary:copy(<<"y">>, 65), part(), unaligned(), <<131, 97, 7>>, <<131, 106>>,
     <<131, 109, 0, 0, 0, 1>>, <<"aGVsbG8=">>, <<"a b+c%20">>, <<16#7ff0000000000000:64>>, <<0, 0, 0, 0, 0, 0, 240, 63>>].

lists() ->
    [[], [1], [1, 2, 3], [3, 1, 2], [1, 2 | 3], [a | b], [[]], [[1, 2], [3]], [a, b], [a, b, a], [{a, 1}, {b, 2}, a], [{a, 1}, {b, 2}, {a, 3}],
     [{b, 2}, {a, 1}], [{1, 2, 3}], [{k, v} | tail], lists:seq(1, 20), [1, 1.0, 1], [0.0, -0.0], [true, false], [{1, 2}], [<<"a">>, <<"b">>], [<<5:3>>, 1], [[a, b], [c]],
     ["x", "y"], [a, 1, 2.0, {}, [], "s", <<>>, #{}], [fun_of(1)], [1 bsl 64, -1, 5]].

maps() ->
    [#{}, #{a => 1}, #{b => 2}, #{a => #{b => c}}, #{1 => a, 1.0 => b}, #{"k" => [], {} => #{}, <<"b">> => 0}, #{a => 1, b => 2, c => 3},
     #{path => "/a", scheme => "http", host => "h"}, map_of(32), map_of(33)].

%% Large: only functions of one argument see all of them.
big() -> [map_of(1000), lists:seq(1, 1000), binary:copy(<<"0123456789">>, 100), 1 bsl 5000, lists:duplicate(1000, <<"ab">>)].

funs() -> [fun lists:reverse/1, fun erlang:'+'/2, fun nomod:nofun/3, fun_of(0), fun_of(1), fun_of(2), fun_of(3)].

fun_of(0) -> fun() -> ok end;
fun_of(1) -> fun(X) -> X end;
fun_of(2) -> fun(X, Y) -> {X, Y} end;
fun_of(3) -> fun(X, Y, Z) -> [X, Y | Z] end;
fun_of(_) -> fun(_, _, _, _) -> ok end.

identifiers() -> [self(), external_pid(), external_port() | references()].

%% The same on each machine: a pid, a port and a reference of another node, and one of this.
external_pid() -> binary_to_term(<<131, 88, 100, 0, 3, "a@b", 77:32, 16#ffffff:32, 5:32>>).
external_port() -> binary_to_term(<<131, 89, 100, 0, 3, "a@b", 9:32, 5:32>>).
references() -> [binary_to_term(<<131, 90, 0, 3, 100, 0, 3, "a@b", 5:32, 3:32, 2:32, 1:32>>), make_ref()].

recipes() -> [{'$make', table, set}, {'$make', atomics, 3}].

map_of(N) -> maps:from_list([{I, I * I} || I <- lists:seq(1, N)]).
part() -> binary:part(binary:copy(<<"0123">>, 50), 7, 100).
unaligned() -> <<_:3, B:80/bitstring, _/bits>> = binary:copy(<<"pqrs">>, 40), B.

%% --- classes -------------------------------------------------------------------------------------
of_class(any) -> pairs();
of_class(all) -> all();
of_class(op_num) ->
    [0, 1, -1, 2, 3, 7, 63, 64, 100, 255, -1000, 999, 1 bsl 31, (1 bsl 59) - 1, 1 bsl 59, -(1 bsl 59), -(1 bsl 59) - 1, 1 bsl 60, 1 bsl 63, -(1 bsl 63), (1 bsl 64) - 1, 1 bsl 64, -(1 bsl 64), (1 bsl 128) - 1, 1 bsl 200, -(1 bsl 200),
     0.0, -0.0, 1.0, -1.5, 2.5, 3.0, 1.0e-5, 9007199254740993.0, 576460752303423488.0, 1.8446744073709552e19, 1.0e300, -1.7976931348623157e308, 5.0e-324, a, "1", <<1>>, {}, []];
of_class(op_any) ->
    [0, 1, 2, -1, (1 bsl 59) - 1, 1 bsl 59, 1 bsl 64, -(1 bsl 64), 0.0, -0.0, 1.0, 2.5, 1.8446744073709552e19, a, b, true, false, '', {}, {a}, {a, 1}, {a, 1.0}, {r, 1, 2}, "", "abc", [1, 2], [1, 2 | 3], [1.0, 2], [a, b], [{a, 1}], [true],
     <<>>, <<"abc">>, <<1>>, <<5:3>>, part(), #{}, #{a => 1}, #{a => 1.0}, #{1 => a}, map_of(33), fun lists:reverse/1, fun erlang:'+'/2, fun_of(0), fun_of(1), fun_of(2), self(), external_pid(), hd(references())];
of_class(shift) -> [0, 1, -1, 2, 3, 58, 59, 60, 61, 63, 64, 65, 100, 200, -59, -60, -64, -200, 1 bsl 59, -(1 bsl 59), 1 bsl 64, -(1 bsl 64), 1.0, a];
of_class(size) -> [-1, 0, 1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 59, 60, 63, 64, 65, 127, 128, 1000, -(1 bsl 64), 1 bsl 64, 1 bsl 70, 8.0, a];
of_class(size_pos) -> [-1, 1, 2, 3, 7, 8, 9, 16, 64, 65, 1000, 1 bsl 64, 8.0, a];
of_class(call_module) -> [lists, maps, nosuchmodule, erlang, api_op, 1, "lists", {}, fun_of(1)];
of_class(call_atom) -> [reverse, sort, max, sum, nosuch, self, id, node, 1, "x", {}, <<>>, fun_of(0)];
of_class(timeout) -> [0, 1, -1, 1.0, a, 1 bsl 32, 1 bsl 59, 1 bsl 64, -(1 bsl 64), "", {}];
of_class(int) -> [0, 1, 2, 3, 5, -1, 10, 100, 255, 1 bsl 59, -(1 bsl 59) - 1, 1 bsl 64, -(1 bsl 64)];
of_class(nat) -> [0, 1, 2, 3, 4, 5, 10, 16, 36, 255, 1 bsl 59];
of_class(char) -> [$a, $b, 0, $\s, $,, 16#e9, 16#20ac, 16#1f600];
of_class(byte) -> [0, 1, $a, $b, 128, 255];
of_class(float) -> floats();
of_class(number) -> of_class(int) ++ floats();
of_class(atom) -> [a, b, c, true, false, undefined, 'żółw', ''];
of_class(bool) -> [true, false];
of_class(text) -> texts();
of_class(chardata) -> texts() ++ [B || B <- bitstrings(), is_binary(B)];
of_class(binary) -> [B || B <- bitstrings(), is_binary(B)];
of_class(bitstring) -> bitstrings();
of_class(iolist) -> [[], <<>>, "abc", <<"abc">>, [<<"a">>, "b" | <<"c">>], [[[0, 255]]], part()];
of_class(list) -> lists();
of_class(map) -> maps();
of_class(tuple) -> tuples();
of_class({'fun', N}) -> [fun_of(N)];
of_class('fun') -> funs();
of_class(pid) -> [self(), external_pid()];
of_class(ref) -> references();
of_class(port) -> [external_port()];
of_class(table) -> [{'$make', table, T} || T <- [set, ordered_set, bag, duplicate_bag]];
of_class(position) -> [0, 1, 2, 3, 4, -1];
of_class(match_spec) ->
    [[{'_', [], ['$_']}], [{{'$1', '$2'}, [], ['$1']}], [{{'$1', '$2'}, [{'>', '$1', 1}], [{{'$2', '$1'}}]}], [{'$1', [{is_tuple, '$1'}], [true]}],
     [{{a, '$1'}, [], ['$$']}], [{{'$1', '_'}, [], [{element, 1, '$_'}]}], [{{'$1', '$2'}, [{is_integer, '$2'}], [{'+', '$2', 1}]}], [{a, b, c}], [], [{'_', [], []}],
     [{{'$1', '$2'}, [{nosuch, 1}], ['$1']}], [{{'$1', '_'}, [], [{hd, '$1'}]}], [{{'$1', '$1'}, [], [true]}]];
of_class(match_pattern) -> ['_', '$1', {'$1', '$2'}, {a, '$1'}, {'_', '_'}, {'$2', '$1'}, {1, '_'}, {'$1', '$1'}, {'$1'}, #{}, {'_', #{a => '$1'}}];
of_class(object) -> [{a, 1}, {b, 2}, {1, x}, {1.0, y}, {a, 2, 3}, {a}, {}, a, {"k", #{}}, {{}, []}];
of_class(regex) -> ["a", "(a)(b)?", "[", "^a.*$", "(?<n>b+)", "\\d+", "ż", "(?i)ABC", "", "(", "a{2,1}", "b|", "[[:alpha:]]+"];
of_class(opaque) -> [];
of_class({special, Kind}) -> api_special:values(Kind);
of_class({made, Kind}) -> api_made:values(Kind);
of_class({lit, V}) -> [V].

%% --- recipes and texts -----------------------------------------------------------------------------
make({'$make', table, Type}) ->
    T = ets:new(api, [Type, public]),
    ets:insert(T, [{a, 1}, {b, 2}, {1, x}, {2, 7}, {"k", #{a => 1}}]),
    [ets:insert(T, {a, 2, 3}) || Type =:= bag orelse Type =:= duplicate_bag],
    T;
make({'$make', atomics, N}) -> atomics:new(N, []);
make({'$make', counters, N}) -> counters:new(N, [atomics]);
make({'$make', iterator, N}) -> maps:iterator(map_of(N));
make(V) -> V.

%% Enough of a value to know it again.
text({'$make', Kind, X}) -> io_lib:format("<~s ~w>", [Kind, X]);
text(V) -> re:replace(io_lib:format("~0tP", [V, 25]), "#Ref<0[^>]*>|<0\\.[0-9.]+>", "#own", [global, unicode, {return, list}]).
