%% re: compile, run, split, replace, options, and what is refused.
-module(regex).
-export([main/1]).
-compile(no_copt).
-include("show.hrl").

main(_Args) ->
    %% A zero ends a pattern; options that contradict each other; what is looked at first.
    ?S(re:run("abc", "b\0(")), ?S(re:compile("b", [bsr_anycrlf, bsr_unicode])), ?S(re:run("b", "b", [{newline, lf}, {newline, any}])), ?S(re:run("b", "b", [{newline, any}, {newline, cr}])),
    ?S(re:run("abc", "b", [{match_limit, 0}])), ?S(re:run("abc", "b", [{match_limit, 1 bsl 31}])), ?S(re:compile(1.0, [unicode])), ?S(re:run("abc", x, [unicode])), ?S(re:run("abc", "b", [global, {capture, all, x}])),
    ?S(re:run("hello world", "o w")), ?S(re:run("hello", "l+", [{capture, all, list}])), ?S(re:run("hello", "(h)(e)(x)?", [{capture, all, binary}])), ?S(re:run("aXbXc", "X", [global])), ?S(re:run("none", "z")), ?S(re:run("Hello", "hello", [caseless])), ?S(re:run("a\nb", "^b$", [multiline])), ?S(re:run("a\nb", "a.b", [dotall])),
    ?S(re:run("2026-11-21", "(?<y>\\d+)-(?<m>\\d+)", [{capture, [y, m], list}])), ?S(re:run("żółw", "ó", [unicode])), ?S(re:run("żółw", ".", [unicode, global, {capture, all, list}])), ?S(re:run("abcabc", "b", [{offset, 2}])), ?S(re:run("abc", "b", [anchored])), ?S(re:run("abc", "B", [{capture, none}])), ?S(re:run("", "")), ?S(re:run("aaa", "a*?", [global])),
    ?S(re:split("a,b;c", "[,;]")), ?S(re:split("a,b,,", ",", [{return, list}, trim])), ?S(re:split("abc", "", [{return, list}])), ?S(re:split("a1b2", "(\\d)", [{return, binary}])), ?S(re:split("a,b,c", ",", [{parts, 2}])), ?S(re:replace("hello", "l", "L", [{return, list}])), ?S(re:replace("hello", "l", "[&]", [global, {return, binary}])), ?S(re:replace("john smith", "(\\w+) (\\w+)", "\\2 \\1", [{return, list}])),
    ?S(element(1, element(2, re:compile("a(b)c")))), ?S(re:compile("(")), ?S(re:compile("[z-a]")), ?S(re:compile("a{2,1}")), ?S(re:run("x", "(")), ?S(re:run(x, "a")), ?S(re:run("a", "a", [bad])), ?S(begin {ok, R} = re:compile("\\d+"), re:run("ab12", R, [{capture, first, list}]) end), ?S(re:inspect(element(2, re:compile("(?<n>a)")), namelist)),
    ?S(re:run(lists:duplicate(1000, $a) ++ "b", "a+b", [{capture, first, index}])), ?S(re:run("aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "(a+)+$x", [])), ?S(re:run(<<255>>, "a", [unicode])), ?S(string:is_empty("")), ?S(re:run("ab", "(?=b)b|a")), ?S(re:run("a.b", "\\Qa.b\\E")), ?S(re:run("tést", "\\w+", [ucp, unicode, {capture, all, list}])),
    %% Letters of Latin-1 are letters, in bytes and in Unicode without ucp; escapes that mean nothing in a class.
    ?S([{C, [X || X <- lists:seq(128, 255), re:run([X], C) =/= nomatch]} || C <- ["\\w", "\\s", "[[:punct:]]", "[[:print:]]", "[[:cntrl:]]", "[[:upper:]]", "[[:lower:]]", "[[:alnum:]]"]]),
    ?S([{X, Y} || X <- lists:seq(170, 255), Y <- lists:seq(170, 255), X =/= Y, re:run(<<X>>, <<Y>>, [caseless]) =/= nomatch]),
    ?S([re:run([X], "\\w", [unicode]) || X <- [170, 181, 186, 192, 215, 223, 247, 255, 1024]]), ?S(re:run([1024], "\\w", [unicode, ucp])),
    ?S([{X, try re:run(<<(X bxor 64)>>, [$\\, $c, X]) catch _:R -> R end, element(1, re:compile([$a, $\\, $c, X]))} || X <- lists:seq(0, 255)]),
    ?S([re:run("?", "[\\c\x7f]"), re:run("b?", "b\\c\x7f$")]),
    ?S([re:run("zCMRB", P, [global]) || P <- ["[\\z\\C]", "\\M", "[\\B]", "[\\R\\X]", "[x\\zy]+"]]),
    ?S([re:run(S, P) || {S, P} <- [{"A8B9C", "^A\\8B\\9C$"}, {"ab", "(?=a\\Kb)ab"}, {"abcd", "^abc(?<=b\\Kc)d"}, {"a", "\\8(a)"}]]), ?S(re:compile("\\7")), ?S(re:compile("(a)\\2")),
    %% Groups in groups.
    ?S([case re:compile([lists:duplicate(N, O), lists:duplicate(N, C)]) of {ok, P} -> element(2, P); {error, E} -> E end || {O, C} <- [{"(", ")"}, {"(?:", ")"}, {"(?=", ")"}, {"(?>(", "))"}, {"(", "a|b)*"}], N <- [249, 251, 399]]),
    ?S(element(1, re:compile([lists:duplicate(798, $(), lists:duplicate(798, $))]))), ?S([re:compile([lists:duplicate(N, $(), lists:duplicate(N, $))]) || N <- [799, 1000]]),
    %% A pattern compiled again is the same term, wherever and from whatever it was compiled.
    ?S(length(lists:usort([again("(o)+", Options, How) || How <- [here, deep, binary, process], Options <- [[caseless, dotall], [dotall, caseless]]]))),
    ?S(length(lists:usort([again(P, O, here) || P <- ["a", "b"], O <- [[], [caseless], [unicode], [{newline, crlf}], [bsr_anycrlf]]]))).

again(Pattern, Options, here) ->
    {ok, Compiled} = re:compile(Pattern, Options),
    Compiled;
again(Pattern, Options, deep) ->
    [Compiled | _] = lists:foldr(fun(_, L) -> [element(2, re:compile(Pattern, Options)) | L] end, [], lists:seq(1, 100)),
    Compiled;
again(Pattern, Options, binary) ->
    again(list_to_binary(Pattern), Options, here);
again(Pattern, Options, process) ->
    {Pid, Ref} = spawn_monitor(fun() -> exit(again(Pattern, Options, here)) end),
    receive {'DOWN', Ref, process, Pid, Compiled} -> Compiled end.
