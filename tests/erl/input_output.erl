%% Output in every way and input by lines, characters and terms, through the I/O protocol.
%% stdin: first line|{term, [1, 2]}.|42 abc|zażółć|last
-module(input_output).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    io:put_chars("plain\n"), io:put_chars(<<"binary\n">>), io:put_chars([["deep", $\n]]), io:format("no args~n"), io:format("~s ~w ~p~n", ["s", [1], "p"]), io:fwrite("~ts~n", ["zażółć €"]), io:nl(), io:write({a, "b"}), io:nl(),
    io:format(standard_io, "named ~b~n", [1]), io:format(user, "user ~b~n", [2]), io:format(group_leader(), "leader ~b~n", [3]), io:put_chars(standard_io, unicode:characters_to_binary("żółw\n")),
    ?S(io:format("~d", [1])), ?S(io:format("~s~n", [a, b])), ?S(io:format("~w~n", [])), ?S(io:format("~s~n", [{x}])), ?S(io:put_chars(nobody_there, "x")), ?S(io:put_chars([a])), ?S(io:columns()), ?S(io:rows()),
    io:format("~p~n", [lists:seq(1, 60)]), io:format("~p~n", [#{key => lists:duplicate(20, "long value")}]), io:format("~80p|~n", [{a, {b, {c, lists:seq(1, 40)}}}]), io:format("~P ~W~n", [lists:seq(1, 100), 10, {1, {2, {3, {4}}}}, 3]),
    ?S(io:get_line("")), ?S(io:read("")), ?S(io:fread("", "~d ~s")), ?S(io:get_chars("", 3)), ?S(io:get_line("")), ?S(io:get_line("")), ?S(io:get_line("")), ?S(io:get_chars("", 1)),
    ?S(captured(fun() -> io:format("inside ~p~n", [x]), io:nl() end)), ?S(io:request(group_leader(), bad_request)), ?S(protocol()), ?S(is_list(io:getopts())), ?S(many_lines(1000)), ?S(concurrent(20)).

%% A group leader of our own collects what is printed.
captured(F) ->
    Old = group_leader(), Self = self(),
    Leader = spawn_link(fun() -> leader([]) end),
    group_leader(Leader, Self), F(), group_leader(Old, Self),
    Leader ! {stop, Self},
    receive {captured, Text} -> lists:flatten(Text) end.
leader(Acc) ->
    receive
        {io_request, From, Ref, {put_chars, unicode, Chars}} -> From ! {io_reply, Ref, ok}, leader([unicode:characters_to_list(Chars) | Acc]);
        {io_request, From, Ref, {put_chars, unicode, M, F, A}} -> From ! {io_reply, Ref, ok}, leader([unicode:characters_to_list(apply(M, F, A)) | Acc]);
        {stop, To} -> To ! {captured, lists:reverse(Acc)}
    end.

protocol() ->
    G = group_leader(), R = make_ref(),
    G ! {io_request, self(), R, {requests, [{put_chars, unicode, "one "}, {put_chars, latin1, "two\n"}]}},
    receive {io_reply, R, X} -> X after 5000 -> timeout end.

many_lines(N) -> [io:format("line ~b~n", [I]) || I <- lists:seq(1, N)], done.
concurrent(N) -> Refs = [element(2, spawn_monitor(fun() -> io:put_chars("same line from everybody\n") end)) || _ <- lists:seq(1, N)], [receive {'DOWN', R, _, _, X} -> X end || R <- Refs] =:= lists:duplicate(N, normal).
