%% What a match specification can call since 26 and 29, and the forms of tracing, with 0 to 3 arguments in both dialects: values
%% and texts of errors.
-module(match_spec_functions).
-export([main/0, main/1]).

main() -> main([]).

main(_) ->
    [io:format("~w ~w: ~0tp~n", [Dialect, F, [try_it(Dialect, Where, list_to_tuple([F | lists:sublist(['$1', 1, 3], A)]))
                                              || A <- [0, 1, 2, 3], Where <- [guard, body]]])
     || Dialect <- [table, trace], F <- functions()],
    Fun = fun main/1,
    [io:format("~w: ~0tp~n", [G, ets:match_spec_run([{X} || X <- [true, <<1:3>>, {a, b}, 4, 4.5, Fun, "x", 1 bsl 70]],
                                                    ets:match_spec_compile([{{'$1'}, [G], ['$1']}]))])
     || G <- [{is_boolean, '$1'}, {is_bitstring, '$1'}, {'=:=', {tuple_size, '$1'}, 2}, {'>', {max, '$1', 3}, {min, '$1', 5}}, {is_function, '$1', 1},
              {is_function, '$1', -1}, {is_function, '$1', 1 bsl 80}, {'==', {ceil, '$1'}, {floor, '$1'}}]].

functions() ->
    [is_bitstring, is_boolean, is_function, is_integer, is_record, tuple_size, min, max, ceil, floor, is_seq_trace, get_tcw, set_tcw, get_seq_token,
     caller, message, silent, return_trace, nothing].

try_it(table, guard, Call) -> tested({1, a}, [{{'$1', '$2'}, [Call], [yes]}], table);
try_it(table, body, Call) -> tested({1, a}, [{{'$1', '$2'}, [], [Call]}], table);
try_it(trace, guard, Call) -> tested([1, a], [{['$1', '$2'], [Call], []}], trace);
try_it(trace, body, Call) -> tested([1, a], [{['$1', '$2'], [], [Call]}], trace).

tested(Term, Spec, Dialect) ->
    case erlang:match_spec_test(Term, Spec, Dialect) of
        {ok, Value, _, _} -> Value;
        {error, Errors} -> [lists:flatten(T) || {error, T} <- Errors]
    end.
