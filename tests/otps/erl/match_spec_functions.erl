%% What a match specification can call, of every name and number of arguments, in both dialects: values and texts of errors.
-module(match_spec_functions).
-export([main/0, main/1]).

main() -> main([]).

main(_) ->
    [io:format("~w ~w/~w ~w: ~0tp~n", [Dialect, F, A, Where, try_it(Dialect, Where, list_to_tuple([F | lists:sublist(Args, A)]))])
     || Dialect <- [table, trace], F <- functions(), Args <- [['$1', 1, 3], ['$2', a, b]], A <- [0, 1, 2, 3], Where <- [guard, body]],
    Fun = fun main/1,
    [io:format("~w ~w: ~0tp~n", [G, X, ets:match_spec_run([{X}], ets:match_spec_compile([{{'$1'}, [G], [yes]}]))])
     || G <- [{is_boolean, '$1'}, {is_bitstring, '$1'}, {'=:=', {tuple_size, '$1'}, 2}, {'>', {max, '$1', 3}, {min, '$1', 5}}, {is_function, '$1', 1},
              {is_function, '$1', -1}, {is_function, '$1', 1 bsl 80}, {'==', {ceil, '$1'}, {floor, '$1'}}],
        X <- [true, <<1:3>>, {a, b}, 4, 4.5, Fun, fun lists:map/2, "x", 1 bsl 70]].

functions() ->
    [is_atom, is_bitstring, is_boolean, is_function, is_integer, is_record, is_map_key, tuple_size, min, max, ceil, floor, binary_part, bit_size,
     is_binary, float, round, trunc, abs, node, size, element, map_get, hd, tl, length, byte_size, is_list, is_number, is_pid, 'not', 'and',
     'or', 'xor', '+', '-', 'bnot', 'div', is_float, is_port, is_reference, is_tuple, is_map, map_size, is_seq_trace, get_tcw, set_tcw,
     get_seq_token, caller, message, silent, return_trace].

try_it(table, guard, Call) -> tested({1, a}, [{{'$1', '$2'}, [Call], [yes]}], table);
try_it(table, body, Call) -> tested({1, a}, [{{'$1', '$2'}, [], [Call]}], table);
try_it(trace, guard, Call) -> tested([1, a], [{['$1', '$2'], [Call], []}], trace);
try_it(trace, body, Call) -> tested([1, a], [{['$1', '$2'], [], [Call]}], trace).

tested(Term, Spec, Dialect) ->
    case erlang:match_spec_test(Term, Spec, Dialect) of
        {ok, Value, _, _} -> Value;
        {error, Errors} -> [lists:flatten(T) || {error, T} <- Errors]
    end.
