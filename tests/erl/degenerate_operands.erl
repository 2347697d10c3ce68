%% Lists of no elements, counts of nothing and other operands that no compiler writes: what loads, and what it does then.
-module(degenerate_operands).
-export([main/1, load/1, cases/0]).

main(_) -> [io:format("~p: ~0p~n", [Name, load(Name)]) || {Name, _} <- cases()].

%% Each case is a module with one function of two arguments.
load(Name) ->
    {Name, Code} = lists:keyfind(Name, 1, cases()),
    Ok = {label, 3},
    Functions = [{function, f, 2, 2, [{label, 1}, {func_info, {atom, Name}, {atom, f}, 2}, {label, 2} | Code(Ok)]}],
    {ok, Beam} = beam_asm:module({Name, [{f, 2}], [], Functions, 10}, [], [], [no_type_opt]),
    case quiet_load(Name, Beam) of
        {module, Name} ->
            Answers = [called(Name, A, B) || {A, B} <- values()],
            code:delete(Name), code:purge(Name),
            Answers;
        {error, _} -> refused
    end.

quiet_load(Name, Beam) ->
    logger:set_primary_config(level, none),
    erlang:load_module(Name, Beam).

called(M, A, B) ->
    try M:f(A, B) catch C:R -> {C, R} end.

values() -> [{#{a => 1}, b}, {#{}, {1, 2}}, {{}, 1}, {{a, b}, 7}, {[1], []}, {<<1, 2, 3>>, 5}, {<<>>, <<1:3>>}, {a, 1.5}, {fun lists:reverse/1, 0}, {fun ?MODULE:cases/0, x}].

r() -> [return].
ret(V) -> [{move, V, {x, 0}} | r()].
either() -> ret({atom, yes}) ++ [{label, 4}] ++ ret({atom, no}).

cases() ->
    X0 = {x, 0}, X1 = {x, 1}, L = {list, []},
    [{has_map_fields_none_tested, fun(_) -> [{test, is_map, {f, 4}, [X0]}, {test, has_map_fields, {f, 4}, X0, L} | either()] end},
     {select_val_one, fun(_) -> [{select_val, X0, {f, 4}, {list, [{atom, a}, {f, 5}]}}, {label, 4}] ++ ret({atom, no}) ++ [{label, 5} | ret({atom, yes})] end},
     {select_val_twice, fun(_) -> [{select_val, X1, {f, 4}, {list, [{integer, 1}, {f, 5}, {integer, 1}, {f, 4}, {integer, 5}, {f, 5}]}}, {label, 4}] ++ ret({atom, no}) ++ [{label, 5} | ret({atom, yes})] end},
     {select_val_constant, fun(_) -> [{select_val, {atom, a}, {f, 4}, {list, [{atom, a}, {f, 5}, {atom, b}, {f, 4}]}}, {label, 4}] ++ ret({atom, no}) ++ [{label, 5} | ret({atom, yes})] end},
     {select_tuple_arity_none, fun(_) -> [{test, is_tuple, {f, 4}, [X0]}, {select_tuple_arity, X0, {f, 4}, L}, {label, 4} | ret({atom, no})] end},
     {select_tuple_arity_twice, fun(_) -> [{test, is_tuple, {f, 4}, [X0]}, {select_tuple_arity, X0, {f, 4}, {list, [2, {f, 5}, 2, {f, 4}]}}, {label, 4}] ++ ret({atom, no}) ++ [{label, 5} | ret({atom, yes})] end},
     {put_tuple2_none_reserved, fun(_) -> [{test_heap, 1, 2}, {put_tuple2, X0, L} | r()] end},
     {init_yregs_none, fun(_) -> [{allocate, 0, 2}, {init_yregs, L}, {deallocate, 0} | r()] end},
     {trim_none, fun(_) -> [{allocate, 0, 2}, {trim, 0, 0}, {deallocate, 0} | r()] end},
     {trim_none_of_one, fun(_) -> [{allocate, 1, 2}, {init_yregs, {list, [{y, 0}]}}, {trim, 0, 1}, {deallocate, 1} | r()] end},
     {trim_all, fun(_) -> [{allocate, 1, 2}, {init_yregs, {list, [{y, 0}]}}, {trim, 1, 0}, {deallocate, 0} | r()] end},
     {allocate_none, fun(_) -> [{allocate, 0, 0}, {deallocate, 0} | ret(nil)] end},
     {allocate_heap_none, fun(_) -> [{allocate_heap, 0, 0, 0}, {deallocate, 0} | ret(nil)] end},
     {allocate_heap_all_lists, fun(_) -> [{allocate_heap, 0, {alloc, [{words, 0}, {floats, 0}, {funs, 0}]}, 2}, {deallocate, 0} | r()] end},
     {test_heap_none, fun(_) -> [{test_heap, 0, 0} | ret(nil)] end},
     {test_heap_none_kept, fun(_) -> [{test_heap, 0, 2} | r()] end},
     {bs_init2_none, fun(_) -> [{bs_init2, {f, 0}, 0, 0, 0, {field_flags, []}, X0} | r()] end},
     {bs_init_bits_none, fun(_) -> [{bs_init_bits, {f, 0}, 0, 0, 0, {field_flags, []}, X0} | r()] end},
     {bs_put_string_none, fun(_) -> [{bs_init2, {f, 0}, 0, 0, 0, {field_flags, []}, X0}, {bs_put_string, 0, {string, <<>>}} | r()] end},
     {bs_match_string_none, fun(_) -> [{test, bs_start_match3, {f, 4}, 2, [X0], X0}, {test, bs_match_string, {f, 4}, [X0, 0, {string, <<>>}]} | either()] end},
     {bs_skip_none, fun(_) -> [{test, bs_start_match3, {f, 4}, 2, [X0], X0}, {test, bs_skip_bits2, {f, 4}, [X0, {integer, 0}, 1, {field_flags, []}]} | either()] end},
     {bs_integer_of_0, fun(_) -> [{test, bs_start_match3, {f, 4}, 2, [X0], X0}, {test, bs_get_integer2, {f, 4}, 1, [X0, {integer, 0}, 1, {field_flags, []}], X0}] ++ r() ++ [{label, 4} | ret({atom, no})] end},
     {bs_binary_of_0, fun(_) -> [{test, bs_start_match3, {f, 4}, 2, [X0], X0}, {test, bs_get_binary2, {f, 4}, 1, [X0, {integer, 0}, 8, {field_flags, []}], X0}] ++ r() ++ [{label, 4} | ret({atom, no})] end},
     {bs_test_unit_1, fun(_) -> [{test, bs_start_match3, {f, 4}, 2, [X0], X0}, {test, bs_test_unit, {f, 4}, [X0, 1]} | either()] end},
     {bs_test_tail_0, fun(_) -> [{test, bs_start_match3, {f, 4}, 2, [X0], X0}, {test, bs_test_tail2, {f, 4}, [X0, 0]} | either()] end},
     {call_fun_none, fun(_) -> [{test, is_function2, {f, 4}, [X0, {integer, 0}]}, {allocate, 0, 1}, {call_fun, 0}, {deallocate, 0} | ret({atom, called})] ++ [{label, 4} | ret({atom, no})] end},
     {is_function2_negative, fun(_) -> [{test, is_function2, {f, 4}, [X0, {integer, -1}]} | either()] end},
     {is_function2_literal, fun(_) -> [{test, is_function2, {f, 4}, [X0, {literal, 1 bsl 70}]} | either()] end},
     {is_function2_atom, fun(_) -> [{test, is_function2, {f, 4}, [X0, {atom, a}]} | either()] end},
     {test_arity_0, fun(_) -> [{test, is_tuple, {f, 4}, [X0]}, {test, test_arity, {f, 4}, [X0, 0]} | either()] end},
     {is_tagged_tuple_integer, fun(_) -> [{test, is_tagged_tuple, {f, 4}, [X0, 2, {integer, 1}]} | either()] end},
     {test_of_constant, fun(_) -> [{test, is_tuple, {f, 4}, [{atom, a}]} | either()] end},
     {test_of_literal, fun(_) -> [{test, is_tuple, {f, 4}, [{literal, {a}}]} | either()] end},
     {compared_constants, fun(_) -> [{test, is_lt, {f, 4}, [{integer, 1}, {integer, 2}]} | either()] end},
     {swap_same, fun(_) -> [{swap, X0, X0} | r()] end},
     {move_same, fun(_) -> [{move, X0, X0} | r()] end},
     {jump_next, fun(_) -> [{jump, {f, 4}}, {label, 4} | r()] end},
     {test_to_next, fun(_) -> [{test, is_tuple, {f, 4}, [X0]}, {label, 4} | r()] end},
     {guard_bif_to_next, fun(_) -> [{bif, hd, {f, 4}, [X0], X1}, {label, 4} | r()] end},
     {gc_bif_of_constants, fun(_) -> [{gc_bif, '+', {f, 4}, 0, [{integer, 1}, {literal, 1 bsl 65}], X0}] ++ r() ++ [{label, 4} | ret({atom, no})] end},
     {element_0, fun(_) -> [{bif, element, {f, 4}, [{integer, 0}, X0], X0}] ++ r() ++ [{label, 4} | ret({atom, no})] end},
     {element_large, fun(_) -> [{bif, element, {f, 4}, [{literal, 1 bsl 70}, X0], X0}] ++ r() ++ [{label, 4} | ret({atom, no})] end},
     {line_only, fun(_) -> [{line, []} | r()] end},
     {if_end, fun(_) -> [if_end] end},
     {badmatch_constant, fun(_) -> [{badmatch, {atom, a}}] end},
     {case_end_literal, fun(_) -> [{case_end, {literal, {a, b}}}] end},
     {try_case_end_nil, fun(_) -> [{try_case_end, nil}] end},
     {badrecord_literal, fun(_) -> [{badrecord, {literal, "ab"}}] end}].
