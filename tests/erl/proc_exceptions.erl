%% error, exit, throw, raise with every kind of argument; exit signals to oneself.
-module(proc_exceptions).
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    ?S(error(id(a))), ?S(exit(id({b, 1}))), ?S(throw(id("c"))), ?S(error(a, id(b))), ?S(error(a, none)), ?S(error(a, [1, 2])),
    ?S(erlang:nif_error(id(x))), ?S(erlang:nif_error(id(x), [1])),
    [begin io:format("~0p: ", [O]), ?S(erlang:error(a, [1], O)) end || O <- error_options()],
    ?S(erlang:error(a, none, [{error_info, #{cause => x}}])), ?S(erlang:error(a, id(x), [{error_info, #{cause => x}}])),
    [begin io:format("~0p: ", [T]), ?S(raised(T)) end || T <- traces()],
    ?S(erlang:raise(id(a), b, c)), ?S(erlang:raise(error, b, id(c))), ?S(erlang:raise(exit, id(b), [])), ?S(erlang:raise(throw, id(b), [{m, f, 1, []}])),
    ?S(exit(id(a), b)), ?S(erlang:exit_signal(id(a), b)),
    [?S(to_self(Trap, R)) || Trap <- [true, false], R <- [normal, kill, other]],
    [begin io:format("~0p: ", [H]), ?S(apply(erlang, halt, H)) end || H <- halts()],
    ?S(nested()), ?S(reraised()), ?S(in_after()), ?S(catch_all()).

error_options() ->
    [[], x, [{error_info, #{}}], [{error_info, #{cause => x}}], [{error_info, x}], [foo], [{error_info, #{cause => x}} | y]].
traces() ->
    [[], x, [{a, b, 1}], [{a, b, [1]}], [{a, b, 1, []}], [{a, b, 1, x}], [{a, b, 1, [{x, y}]}], [{a, b}], [{a, b, -1}],
     [{a, b, 1} | x], [{a, b, N, []} || N <- lists:seq(1, 10)], [{1, b, 1}], [{a, b, 1, [x | y]}],
     [{a, b, [x | y], []}], [{a, b, 1 bsl 70, []}], [{a, b, 300, []}], [{a, b, 1, [], z}]].
raised(Trace) -> try erlang:raise(error, a, id(Trace)) catch C:R:S -> {caught, C, R, S} end.

to_self(Trap, Reason) ->
    {_, Ref} = spawn_monitor(fun() ->
        process_flag(trap_exit, Trap),
        exit(self(), Reason),
        receive {'EXIT', _, R} -> exit({trapped, R}) after 0 -> exit(survived) end
    end),
    receive {'DOWN', Ref, _, _, R} -> R end.

halts() -> [[a], [-1], [[a]], [1.0], [<<"a">>], [0, a], [0, [a]], [0, [{flush, x}]], [0, [{flush, true} | x]]].

nested() -> try try error(inner) catch error:inner -> throw(outer) end catch throw:outer:S -> {outer, is_list(S)} end.
reraised() -> try try error(first) catch C:R:S -> erlang:raise(C, {second, R}, S) end catch error:X -> X end.
in_after() -> put(log, []), try try exit(one) after put(log, [ran]) end catch exit:one -> get(log) end.
catch_all() -> [catch throw(t), catch exit(e), element(1, element(2, catch error(r)))].
