%% packages: erlang-p1-yaml erlang-p1-utils
%% libraries: libyaml-0-2
-module(yaml).
-export([main/0]).
-import(calls, [try_/1, show/2, everywhere/1]).

main() ->
    error_logger:tty(false),
    {ok, _} = application:ensure_all_started(fast_yaml),
    Text = <<"a: 1\nb: [x, 2.5, ~, true]\nc:\n  - d: 'e f'\n  - \"g\\n\"\nh: &i {j: k}\nl: *i\nm: |\n  lines\n  more\nä: €\n">>,
    [show(Opts, try_(fun() -> fast_yaml:decode(Text, Opts) end))
     || Opts <- [[], [plain_as_atom], [{plain_as_atom, true}], [maps], [sane_scalars], [plain_as_atom, maps], [bad], bad]],
    [show({wrong, T}, try_(fun() -> fast_yaml:decode(T) end))
     || T <- [<<>>, <<"a: b: c">>, <<"[">>, <<"\t a">>, <<"- a\nb">>, <<"*x">>, <<255, 254>>, <<"a: 'x">>, atom, 5, <<1:3>>, "a: 1",
              <<"--- 1\n--- 2\n">>, <<"? x\n: y">>, <<"!!binary aGk=">>, <<"{a: [}">>, <<"a: 0">>, <<"[0, 00, 0.0]">>]],
    [show({encoded, T}, try_(fun() -> iolist_to_binary(fast_yaml:encode(T)) end))
     || T <- [[{a, 1}], [[{<<"x">>, [1, 2, 3.5]}]], <<"t: u">>, [], atom, 1, {x}, #{a => 1}, self, [[{b, [{c, d}]}]]]],
    [show({error, E}, try_(fun() -> fast_yaml:format_error(E) end)) || E <- [{parser_error, <<"m">>, 1, 2}, unexpected_error, foo]],
    show(file, try_(fun() -> fast_yaml:decode_from_file("/nonexistent/x.yml") end)),
    everywhere(fun(K) -> fast_yaml:decode(["k: ", integer_to_list(K), "\nl: [", lists:join(",", ["1" || _ <- lists:seq(0, K rem 9)]), "]\n"]) end).
