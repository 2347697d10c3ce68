%% Loops that do nothing but raise and catch stay small: what is raised is collected although nothing else allocates.
-module(catch_memory).
-export([main/1, loop/2]).

main(_) ->
    [io:format("~p ~p~n", [What, bounded(What)])
     || What <- [error, throw, exit, badarg, badarith, function_clause, badmatch, old_catch, nested, rethrow]],
    ok.

bounded(What) ->
    {_, Ref} = spawn_monitor(fun() ->
        loop(What, 200000),
        {_, Words} = process_info(self(), total_heap_size),
        exit({small, Words < 300000})
    end),
    receive {'DOWN', Ref, _, _, Why} -> Why end.

loop(_, 0) -> ok;
loop(What, N) -> once(What, x), loop(What, N - 1).

once(error, _) -> try error(x) catch error:_ -> ok end;
once(throw, _) -> try throw(x) catch _ -> ok end;
once(exit, _) -> try exit(x) catch exit:_ -> ok end;
once(badarg, X) -> try list_to_integer(X) catch error:badarg -> ok end;
once(badarith, X) -> try X + 1 catch error:badarith -> ok end;
once(function_clause, X) -> try one(X) catch error:function_clause -> ok end;
once(badmatch, X) -> try {_} = X catch error:{badmatch, _} -> ok end;
once(old_catch, X) -> (catch atom_to_list(1 - length([X])));
once(nested, X) -> try try one(X) after ok end catch error:_ -> ok end;
once(rethrow, X) -> try try one(X) catch C:R:S -> erlang:raise(C, R, S) end catch error:_ -> ok end.

one(1) -> 1.
