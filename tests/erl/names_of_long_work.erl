%% Under which names native functions go on when they give way: what a tracer of `running` sees.
%% skip gc-stress: collecting everything at every step takes minutes here
-module(names_of_long_work).
-export([main/1]).

main(_) ->
    Chars = lists:duplicate(500000, $a),
    Bin = binary:copy(<<"abc\n">>, 250000),
    List = lists:seq(1, 200000),
    Big = term_to_binary(List),
    Large = binary:copy(Bin, 10),
    Calls =
        [{{erlang, list_to_binary, 1}, fun() -> list_to_binary(Chars) end},
         {{erlang, iolist_to_binary, 1}, fun() -> iolist_to_binary(Chars) end},
         {{erlang, list_to_bitstring, 1}, fun() -> list_to_bitstring(Chars) end},
         {{binary, list_to_bin, 1}, fun() -> binary:list_to_bin(Chars) end},
         {{erlang, list_to_binary, 1}, fun() -> list_to_binary([Chars | oops]) end},
         {{erlang, binary_to_list, 1}, fun() -> binary_to_list(Large) end},
         {{erlang, bitstring_to_list, 1}, fun() -> bitstring_to_list(Large) end},
         {{erlang, term_to_binary, 1}, fun() -> term_to_binary(List) end},
         {{erlang, binary_to_term, 1}, fun() -> binary_to_term(Big) end},
         {{erlang, crc32, 1}, fun() -> erlang:crc32(Large) end},
         {{erlang, adler32, 1}, fun() -> erlang:adler32(Large) end},
         {{erlang, md5, 1}, fun() -> erlang:md5(Bin) end},
         {{binary, match, 2}, fun() -> binary:match(Large, <<"zzzz">>) end},
         {{binary, matches, 2}, fun() -> binary:matches(Large, [<<"zzzz">>, <<"yyy">>]) end},
         {{binary, copy, 2}, fun() -> binary:copy(<<"abc">>, 5000000) end},
         {{re, run, 3}, fun() -> re:run(Large, <<"zzzz">>, [unicode]) end},
         {{re, run, 3}, fun() -> {match, [{1, 1}]} = re:run(Large, <<"b">>, [unicode]) end},
         {{lists, reverse, 1}, fun() -> lists:reverse(Chars) end},
         {here, fun() -> erlang:phash2(List) end},
         {here, fun() -> List ++ [1] end},
         {here, fun() -> lists:member(a, Chars) end}],
    [one(Call, F) || {Call, F} <- Calls],
    ok.

one(Call, F) ->
    {P, M} = spawn_monitor(fun() -> receive go -> ok end, _ = (catch F()) end),
    1 = erlang:trace(P, true, [running]),
    P ! go,
    receive {'DOWN', M, _, _, _} -> ok end,
    Ref = erlang:trace_delivered(P),
    receive {trace_delivered, P, Ref} -> ok end,
    io:format("~p: ~p~n", [Call, lists:usort(outs(P)) -- [Call]]).

%% What else may end a slice is left out.
outs(P) ->
    receive
        {trace, P, out, {?MODULE, _, _}} -> outs(P);
        {trace, P, out, {erlang, bif_return_trap, _}} -> outs(P);
        {trace, P, out, {_, _, _} = Where} -> [Where | outs(P)];
        {trace, P, _, _} -> outs(P)
    after 0 -> []
    end.
