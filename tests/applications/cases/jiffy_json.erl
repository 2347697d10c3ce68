%% packages: erlang-jiffy
-module(jiffy_json).
-export([main/0]).
-import(calls, [try_/1, show/2, everywhere/1]).

main() ->
    Doc = {[{<<"a">>, [1, -2, 3.5, 1.0e100, true, false, null]}, {<<"b">>, {[]}}, {<<"c">>, <<"ä€😀\n\"\\"/utf8>>},
            {<<"big">>, 123456789012345678901234567890}]},
    show(encoded, E = iolist_to_binary(jiffy:encode(Doc))),
    show(same, jiffy:decode(E) =:= Doc),
    [show({Opts, decoded}, try_(fun() -> jiffy:decode(E, Opts) end))
     || Opts <- [[], [return_maps], [{null_term, nil}], [use_nil], [dedupe_keys], [copy_strings], [return_trailer],
                 [nonsense], notalist, [{bytes_per_red, 100}], [{bytes_per_iter, 2000}]]],
    [show({Opts, encoded}, try_(fun() -> iolist_to_binary(jiffy:encode(Doc, Opts)) end))
     || Opts <- [[uescape], [pretty], [force_utf8], [escape_forward_slashes], [use_nil], [bad]]],
    [show({wrong, In}, try_(fun() -> jiffy:decode(In) end))
     || In <- [<<>>, <<"{">>, <<"[1,">>, <<"tru">>, <<"\"\\u12\"">>, <<"\"", 255, "\"">>, <<"1 2">>, <<"{\"a\" 1}">>, "[1]", foo,
               42, <<1:3>>, <<"-">>, <<"01">>, <<"1e">>, <<"1.5e400">>, <<"\"\\ud800\"">>, [<<"[">>, $1, "]"]]],
    [show({wrong_term, T}, try_(fun() -> iolist_to_binary(jiffy:encode(T)) end))
     || T <- [{a, b}, fun erlang:self/0, {[{1, 2}]}, {[{a, b}]}, [1 | 2], <<1:3>>, <<255>>, {[{<<255>>, 1}]}, #{a => 1, <<"b">> => 2},
              {{a}}, 1 bsl 200, {json, <<"[1]">>}, 'an atom']],
    Large = {[{integer_to_binary(K), lists:seq(1, K rem 50)} || K <- lists:seq(1, 20000)]},
    LargeText = iolist_to_binary(jiffy:encode(Large)),
    show(large, {byte_size(LargeText), erlang:md5(LargeText), jiffy:decode(LargeText) =:= Large}),
    Deep = lists:foldl(fun(_, A) -> [A] end, [], lists:seq(1, 10000)),
    show(deep, jiffy:decode(jiffy:encode(Deep)) =:= Deep),
    Cut = [try_(fun() -> jiffy:decode(binary:part(E, 0, K)) end) || K <- lists:seq(0, byte_size(E))],
    show(cut, erlang:phash2(Cut)),
    everywhere(fun(K) -> jiffy:decode(jiffy:encode({[{<<"k">>, K}, {<<"l">>, lists:seq(1, K rem 30)}]})) end).
