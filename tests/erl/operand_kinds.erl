%% Every instruction with every kind of operand: the first three X registers, another one, a Y register
%% and a constant, in all combinations. For each a function is assembled that puts its arguments where
%% the instruction wants them, lets it run, and returns all registers; it is called with many values.
%% args: all
%% args gc-stress: some
%% args always: some
%% args seeds: some
%% args asan: some
%% args tsan: some
-module(operand_kinds).
-export([main/1, write/1, id/1]).

main([Amount]) ->
    [in_turn(fun() -> run(Name, values(Operands, Amount), Some) end)
     || {Name, Operands, Cases} <- groups(), Some <- amount(Amount, Cases())],
    ok.

%% Modules of cases. Of `some` every 11th: in time all kinds are among them.
amount("all", Cases) -> [Cases];
amount("some", Cases) -> [[C] || {N, C} <- lists:enumerate(Cases), N rem 11 =:= 0].

%% Each on a heap of its own: it stays small.
in_turn(F) ->
    {Pid, Monitor} = spawn_monitor(F),
    receive {'DOWN', Monitor, process, Pid, normal} -> ok end.

%% The modules as files, for those who want to see which loaded instructions they become.
write([Dir]) ->
    [ok = file:write_file(filename:join(Dir, atom_to_list(Name) ++ ".beam"), assemble(Name, Cases()))
     || {Name, _, Cases} <- groups()],
    ok.

run(Name, Values, Cases) ->
    {module, Name} = code:load_binary(Name, atom_to_list(Name), assemble(Name, Cases)),
    [io:format("~s ~0p ~p~n", [Name, What, digest(fun Name:F/2, Values)]) || {F, #{what := What}} <- named(Cases)],
    code:delete(Name),
    code:purge(Name).

digest(F, Values) ->
    lists:foldl(fun({A, B}, H) -> erlang:phash2({H, plain(called(F, A, B))}, 1 bsl 32) end, 0, Values).

called(F, A, B) ->
    try F(A, B) catch C:R -> {C, R} end.

%% What prints the same everywhere.
plain(T) when is_tuple(T) -> list_to_tuple([plain(E) || E <- tuple_to_list(T)]);
plain([H | T]) -> [plain(H) | plain(T)];
plain(P) when is_pid(P) -> pid;
plain(R) when is_reference(R) -> ref;
plain(P) when is_port(P) -> port;
plain(F) when is_function(F) -> 'fun';
plain(T) -> T.

%% --- values ---
values({A, B}, "some") -> [{X, Y} || X <- lists:sublist(operands(A), 8), Y <- lists:sublist(operands(B), 5)];
values({A, B}, "all") -> [{X, Y} || X <- operands(A), Y <- operands(B)].

operands(any) ->
    [7, a, 1 bsl 70, {a, b}, <<1, 2, 3>>, 1.5, [1, 2], [], {}, {1, 2, 3}, <<5:3>>, <<>>, #{}, #{a => 1, 3 => 4},
     fun id/1, self(), make_ref(), hd(erlang:ports()), 0, -1, true, false, "text" | integers()];
operands(number) -> [7, -3, 1 bsl 70, a, 2.5, 0, -0.0, 1, 63, 64, -64, {} | integers()];
operands(bits) -> [7, -3, 1 bsl 70, a, 0, 1, 5, 63, 64, -1, -64, -(1 bsl 70), 2.0 | integers()];
operands(shift) -> [1, -1, a, 3, 59, 0, -3, 60, 64, -59, -64, 100, -100, 1.0, 1 bsl 70, -(1 bsl 70)];
operands(float) -> [1.5, -2.0, 3, 0.0, 1.0e308, 1 bsl 70, -0.0, 5.0e-324, 1 bsl 1030, a, []];
operands(list) -> [[1, 2], [a | b], [], x, [[]], "long list", {1}];
operands(tuple) -> [{a, b, c}, {1}, {}, x, {a, {b}, 3, 4}, [a], {rec, 2, 3}];
operands(index) -> [1, 2, 0, 3, 4, -1, a, 1 bsl 64];
operands(map) -> [#{a => 1, 3 => 2, "k" => v}, #{}, x, maps:from_list([{K, K} || K <- [a, 3 | lists:seq(10, 60)]]), #{3 => 3}, {}];
operands(key) -> [a, 3, "k", 12, 3.0, none, <<"b">>];
operands('fun') -> [fun id/1, fun(X) -> {own, X} end, fun() -> none end, a, fun lists:reverse/1, fun(X, Y) -> {X, Y} end, 7,
               fun(X, Y, Z) -> {X, Y, Z} end];
operands(binary) -> [<<1, 2, 3, 4, 5, 6, 7, 8, 9>>, <<"żółć"/utf8>>, <<>>, <<1:7>>, <<255, 254:9>>, x, <<16#f0, 16#9f, 16#98, 16#80, 1>>,
                <<1.5/float, 9>>, binary:part(<<"0123456789">>, 3, 6), <<16#ed, 16#a0, 16#80>>];
operands(piece) -> [7, <<1, 2>>, <<5:3>>, 1.5, a, -1, 300, 1 bsl 70, <<>>, 16#1f600, 16#d800, 3, 0];
operands(size) -> [8, 3, 0, 16, -1, a, 64, 1 bsl 70].

integers() ->
    [E + D || E <- [1 bsl 59, -(1 bsl 59), 1 bsl 60, 1 bsl 63, -(1 bsl 63), 1 bsl 64], D <- [-1, 0, 1]].

id(X) -> X.

%% --- groups: a module of cases each, and the values of the two arguments ---
groups() ->
    [{ok_moves, {any, any}, fun moves/0}, {ok_lists, {list, any}, fun lists_cases/0}, {ok_tuples, {tuple, any}, fun tuples/0},
     {ok_element, {index, tuple}, fun element_cases/0}, {ok_set_element, {any, any}, fun set_element/0},
     {ok_tests, {any, any}, fun tests/0}, {ok_records, {tuple, any}, fun records/0},
     {ok_compare, {any, any}, fun comparisons/0}, {ok_select, {any, any}, fun selects/0}]
        ++ [{name(ok, Op), {number, number}, fun() -> arithmetic(Op, number_constants()) end} || Op <- ['+', '-', '*', 'div', 'rem']]
        ++ [{name(ok, Op), {bits, bits}, fun() -> arithmetic(Op, number_constants()) end} || Op <- ['band', 'bor', 'bxor']]
        ++ [{name(ok, Op), {bits, shift}, fun() -> arithmetic(Op, [{integer, 3}, {integer, -2}]) end} || Op <- ['bsl', 'bsr']]
        ++ [{ok_unary, {any, any}, fun unary/0}, {ok_bifs, {map, key}, fun bifs/0}, {ok_maps, {map, key}, fun maps_cases/0},
            {ok_floats, {float, float}, fun floats/0}, {ok_funs, {'fun', any}, fun funs/0},
            {ok_matching, {binary, size}, fun matching/0}, {ok_building, {piece, size}, fun building/0}].

name(A, B) -> list_to_atom(atom_to_list(A) ++ "_" ++ atom_to_list(B)).

number_constants() -> [{integer, 3}, {integer, -1}, {literal, 1 bsl 64}].
constants() -> [{integer, 3}, {atom, a}, {literal, {a, b}}, nil].

registers() -> [x0, x1, x2, x, y].
sources(Constants) -> registers() ++ Constants.

%% Where an operand of a kind is.
first(K) -> place(K, {x, 5}, {y, 0}).
second(K) -> place(K, {x, 4}, {y, 1}).
target(K) -> place(K, {x, 3}, {y, 2}).
place(x0, _, _) -> {x, 0};
place(x1, _, _) -> {x, 1};
place(x2, _, _) -> {x, 2};
place(x, X, _) -> X;
place(y, _, Y) -> Y;
place(Constant, _, _) -> Constant.

%% A case: what it is called, its arguments' kinds, and its code, a function of where things are and of
%% the label to go to when it fails, and of some free ones. `undo`: what happens first when it failed.
a_case(What, Kinds, Code) -> #{what => What, kinds => Kinds, code => Code}.

moves() ->
    [a_case({move, S, D}, [S], fun([A], _, _) -> [{move, A, target(D)}] end) || S <- sources(constants()), D <- registers()]
        ++ [a_case({swap, S, D}, [S, D], fun([A, B], _, _) -> [{swap, A, B}] end) || S <- registers(), D <- registers()]
        ++ [a_case({put_list, S, T, D}, [S, T],
                   fun([A, B], _, _) -> [{test_heap, 2, 8}, {put_list, A, B, target(D)}] end)
            || S <- sources(constants()), T <- sources(constants()), D <- registers()]
        ++ [a_case({put_tuple, S, T, D}, [S, T],
                   fun([A, B], _, _) -> [{test_heap, 4, 8}, {put_tuple2, target(D), {list, [A, {atom, z}, B]}}] end)
            || S <- sources(constants()), T <- sources([{integer, 3}]), D <- registers()]
        ++ [a_case({self, D}, [x0], fun(_, _, _) -> [{bif, self, {f, 0}, [], target(D)}] end) || D <- registers()].

lists_cases() ->
    [a_case({get_list, S, H, T}, [S],
            fun([A], F, _) -> [{test, is_nonempty_list, F, [A]}, {get_list, A, target(H), tail_target(T)}] end)
     || S <- registers(), H <- registers(), T <- registers(), target(H) =/= tail_target(T)]
        ++ [a_case({Op, S, D}, [S], fun([A], F, _) -> [{test, is_nonempty_list, F, [A]}, {Op, A, target(D)}] end)
            || Op <- [get_hd, get_tl], S <- registers(), D <- registers()]
        ++ [a_case({Op, S, D, Fails}, [S], fun([A], F, _) -> [{bif, Op, fails(Fails, F), [A], target(D)}] end)
            || Op <- [hd, tl], S <- sources([{literal, [x, y]}, nil]), D <- registers(), Fails <- [raise, branch],
               {S, Fails} =/= {{literal, [x, y]}, branch}].

tail_target(x) -> {x, 4};
tail_target(y) -> {y, 3};
tail_target(K) -> target(K).

tuples() ->
    [a_case({get_tuple_element, S, N, D}, [S],
            fun([A], F, _) -> [{test, is_tuple, F, [A]}, {test, test_arity, F, [A, 3]}, {get_tuple_element, A, N, target(D)}] end)
     || S <- registers(), N <- [0, 2], D <- registers()].

element_cases() ->
    [a_case({element, I, T, D, Fails}, [I, T], fun([A, B], F, _) -> [{bif, element, fails(Fails, F), [A, B], target(D)}] end)
     || I <- sources([{integer, 2}, {integer, 5}]), T <- sources([{literal, {x, y}}, {atom, a}]), D <- registers(),
        Fails <- [raise, branch]].

set_element() ->
    [a_case({set_tuple_element, V, T}, [V],
            fun([A], _, _) ->
                    Kept = case A of {x, _} -> {y, 3}; _ -> A end,
                    [{move, A, {y, 3}},
                     {move, {integer, 1}, {x, 0}}, {move, {literal, {p, q, r}}, {x, 1}}, {move, {atom, s}, {x, 2}},
                     {call_ext, 3, {extfunc, erlang, setelement, 3}}, {move, {x, 0}, {x, 7}}]
                        ++ [{move, {atom, j}, {x, N}} || N <- lists:seq(0, 6)]
                        ++ [{move, {y, 3}, A} || Kept =/= A] ++ [{move, {x, 7}, second(T)}]
                        ++ [{set_tuple_element, A, second(T), 1}]
            end)
     || V <- sources(constants()), T <- registers(), first(V) =/= second(T)].

tests() ->
    [a_case({T, S}, [S], fun([A], F, _) -> [{test, T, F, [A]}] end)
     || T <- [is_integer, is_float, is_number, is_atom, is_boolean, is_list, is_nil, is_nonempty_list, is_tuple, is_map,
              is_binary, is_bitstr, is_pid, is_port, is_reference, is_function], S <- sources(constants())]
        ++ [a_case({is_function2, S, N}, [S, N], fun([A, B], F, _) -> [{test, is_function2, F, [A, B]}] end)
            || S <- sources([{atom, a}]), N <- sources([{integer, 1}, {integer, 2}])].

records() ->
    [a_case({test_arity, S}, [S], fun([A], F, _) -> [{test, is_tuple, F, [A]}, {test, test_arity, F, [A, 3]}] end) || S <- registers()]
        ++ [a_case({is_tagged_tuple, S}, [S], fun([A], F, _) -> [{test, is_tagged_tuple, F, [A, 3, {atom, rec}]}] end)
            || S <- sources([{literal, {rec, 1, 2}}, {atom, a}])]
        ++ [a_case({select_arity, S}, [S],
                   fun([A], F, [L1, L2 | _]) ->
                           [{test, is_tuple, F, [A]}, {select_tuple_arity, A, F, {list, [1, {f, L1}, 3, {f, L2}]}}]
                               ++ arms([L1, L2])
                   end) || S <- registers()].

comparisons() ->
    [a_case({T, S, U}, [S, U], fun([A, B], F, _) -> [{test, T, F, [A, B]}] end)
     || T <- [is_lt, is_ge, is_eq, is_ne, is_eq_exact, is_ne_exact],
        S <- sources(constants() ++ [{literal, 1 bsl 70}, {float, 1.5}]), U <- sources(constants() ++ [{literal, 1 bsl 70}, {float, 1.5}])].

selects() ->
    [a_case({select_val, S, Kind}, [S],
            fun([A], F, [L1, L2, L3 | _]) ->
                    [{select_val, A, F, {list, lists:append(lists:zipwith(fun(V, L) -> [V, {f, L}] end, Vs, [L1, L2, L3]))}}]
                        ++ arms([L1, L2, L3])
            end)
     || S <- sources([{integer, 3}, {atom, a}]),
        {Kind, Vs} <- [{atoms, [{atom, a}, {atom, true}, {atom, other}]}, {dense, [{integer, 0}, {integer, 1}, {integer, 2}]},
                       {sparse, [{integer, 7}, {integer, 100}, {integer, (1 bsl 59) - 1}]},
                       {large, [{literal, 1 bsl 70}, {literal, 1 bsl 64}, {integer, 7}]}]]
        ++ [a_case({jump_table, S}, [S],
                   fun([A], F, [L1, L2, L3 | _]) ->
                           [{select_val, A, F, {list, lists:append([[{integer, I}, {f, lists:nth(1 + I band 1, [L1, L3])}]
                                                                    || I <- lists:seq(-1, 7)])}}] ++ arms([L1, L2, L3])
                   end) || S <- registers()].

%% Each arm says in a register that it was taken.
arms(Labels) ->
    End = lists:last(Labels) + 1,
    [[{label, L}, {move, {integer, L rem 10}, {x, 6}}, {jump, {f, End}}] || L <- Labels] ++ [{label, End}].

arithmetic(Op, Constants) ->
    [a_case({Op, S, T, D, Fails}, [S, T], fun([A, B], F, _) -> [{gc_bif, Op, fails(Fails, F), 8, [A, B], target(D)}] end)
     || S <- sources(Constants), T <- sources(Constants), D <- registers(), Fails <- [raise, branch]].

unary() ->
    [a_case({Op, S, D, Fails}, [S], fun([A], F, _) -> [{gc_bif, Op, fails(Fails, F), 8, [A], target(D)}] end)
     || Op <- ['bnot', '-', byte_size, map_size, length, abs, bit_size, trunc, float],
        S <- sources([{integer, 3}, {literal, <<1, 2>>}, {atom, a}]), D <- registers(), Fails <- [raise, branch]]
        ++ [a_case({Op, S, T, D}, [S, T], fun([A, B], _, _) -> [{bif, Op, {f, 0}, [A, B], target(D)}] end)
            || Op <- ['=:=', '=/=', '<', '=<', '>', '>=', '==', '/='], S <- sources([{integer, 3}]), T <- sources([{atom, a}]),
               D <- registers()]
        ++ [a_case({Op, S, D, Fails}, [S], fun([A], F, _) -> [{bif, Op, fails(Fails, F), [A], target(D)}] end)
            || Op <- [tuple_size, is_atom, 'not', node], S <- sources([{literal, {x, y}}]), D <- registers(), Fails <- [raise, branch]].

bifs() ->
    [a_case({Op, K, M, D, Fails}, [M, K], fun([A, B], F, _) -> [{bif, Op, fails(Fails, F), [B, A], target(D)}] end)
     || Op <- [map_get, is_map_key], M <- sources([{literal, #{3 => x}}]), K <- sources([{integer, 3}, {atom, a}]), D <- registers(),
        Fails <- [raise, branch]].

maps_cases() ->
    [a_case({get_map_element, M, K, D}, [M, K],
            fun([A, B], F, _) -> [{test, is_map, F, [A]}, {get_map_elements, F, A, {list, [B, target(D)]}}] end)
     || M <- sources([{literal, #{a => 1, 3 => 4}}]), K <- sources([{integer, 3}, {atom, a}, {literal, "k"}]), D <- registers()]
        ++ [a_case({get_two, M, K, D}, [M, K],
                   fun([A, B], F, _) ->
                           [{test, is_map, F, [A]},
                            {get_map_elements, F, A, {list, [{atom, a}, target(D), B, {x, 6}]}}]
                   end)
            || M <- registers(), K <- [{integer, 3}, {literal, "k"}], D <- [x, y]]
        ++ [a_case({has_map_fields, M, K}, [M, K],
                   fun([A, B], F, _) -> [{test, is_map, F, [A]}, {test, has_map_fields, F, A, {list, [{atom, a}, B]}}] end)
            || M <- registers(), K <- [{integer, 3}]]
        ++ [a_case({has_map_field, M, K}, [M, K],
                   fun([A, B], F, _) -> [{test, is_map, F, [A]}, {test, has_map_fields, F, A, {list, [B]}}] end)
            || M <- registers(), K <- sources([{literal, "k"}])]
        ++ [a_case({Op, M, K, D}, [M, K],
                   fun([A, B], F, _) ->
                           [{test, is_map, F, [A]}, {Op, {f, 0}, A, target(D), 8, {list, [B, {atom, new}]}}]
                   end)
            || Op <- [put_map_assoc, put_map_exact], M <- registers(), K <- sources([{integer, 3}, {literal, "k"}]), D <- registers()].

floats() ->
    [a_case({float, Op, S, T, D}, [S, T],
            fun([A, B], _, _) ->
                    [{fconv, A, {fr, 0}}, {fconv, B, {fr, 1}}, {bif, Op, {f, 0}, [{fr, 0}, {fr, 1}], {fr, 2}}, {test_heap, {alloc, [{words, 0}, {floats, 1}, {funs, 0}]}, 8},
                     {fmove, {fr, 2}, target(D)}]
            end)
     || Op <- [fadd, fsub, fmul, fdiv], S <- sources([{integer, 3}, {float, 2.5}]), T <- sources([{integer, 3}, {float, 2.5}]), D <- registers()]
        ++ [a_case({fmove, S, D}, [S],
                   fun([A], F, _) ->
                           [{test, is_float, F, [A]}, {fmove, A, {fr, 0}}, {bif, fnegate, {f, 0}, [{fr, 0}], {fr, 0}},
                            {test_heap, {alloc, [{words, 0}, {floats, 1}, {funs, 0}]}, 8}, {fmove, {fr, 0}, target(D)}]
                   end) || S <- registers(), D <- registers()].

%% All registers but Y are gone after a call.
funs() ->
    [a_case({call_fun2, Safe, S, N}, [S, y],
            fun([A, _], F, _) ->
                    [{move, A, {y, 3}}] ++ checked(Safe, A, N, F)
                        ++ case A of {x, K} when K < N -> [{move, A, {x, 7}}]; _ -> [] end
                        ++ [{move, {integer, K}, {x, K}} || K <- lists:seq(0, N - 1), {x, K} =/= A]
                        ++ [{call_fun2, {atom, Safe}, N, A}] ++ forget()
            end)
     || Safe <- [safe, unsafe], S <- sources([]), N <- [0, 1, 2, 3], not argument(S, N)]
        ++ [a_case({call_fun, N}, [x], fun([A], _, _) ->
                    [{move, A, {x, N}}] ++ [{move, {integer, K}, {x, K}} || K <- lists:seq(0, N - 1)] ++ [{call_fun, N}] ++ forget() end)
            || N <- [0, 1, 2, 3, 4]].
checked(safe, A, N, F) -> [{test, is_function2, F, [A, {integer, N}]}];
checked(unsafe, _, _, _) -> [].
argument(S, N) -> case first(S) of {x, K} -> K < N; _ -> false end.
forget() -> [{move, {atom, gone}, {x, N}} || N <- lists:seq(1, 7)].

matching() ->
    [(a_case({What, S, D}, [S, y],
             fun([A, B], F, Ls) ->
                     C = target(D),
                     [{test, bs_start_match3, F, 8, [A], A}] ++ Match(A, C, B, F, Ls) ++ [{move, {atom, context}, A} || A =/= C]
             end))#{undo => fun([A | _]) -> [{move, {atom, context}, A}, {move, {atom, nothing}, target(D)}] end}
     || {What, Match} <- matches(), S <- registers(), D <- registers()]
        ++ [a_case({start, S, D}, [S], fun([A], F, _) -> [{test, bs_start_match3, F, 8, [A], target(D)}, {bs_get_tail, target(D), target(D), 8}] end)
            || S <- registers(), D <- registers()].

matches() ->
    Get = fun(Type, Size, Unit, Flags) ->
                  fun(A, C, B, F, _) -> [{test, Type, F, 8, [A, size(Size, B), Unit, {field_flags, Flags}], C}] end end,
    Checked = fun(Type, Unit) ->
                      fun(A, C, B, F, _) ->
                              [{test, is_integer, F, [B]}, {test, is_ge, F, [B, {integer, 0}]}, {test, is_lt, F, [B, {integer, 1000}]},
                               {test, Type, F, 8, [A, B, Unit, {field_flags, []}], C}] end end,
    [{byte, Get(bs_get_integer2, 8, 1, [])}, {bits, Get(bs_get_integer2, 3, 1, [])}, {signed, Get(bs_get_integer2, 12, 1, [signed])},
     {little, Get(bs_get_integer2, 16, 1, [little])}, {little_signed, Get(bs_get_integer2, 32, 1, [little, signed])}, {word, Get(bs_get_integer2, 8, 8, [])},
     {large, Get(bs_get_integer2, 9, 8, [])}, {odd_little, Get(bs_get_integer2, 19, 1, [little])}, {zero, Get(bs_get_integer2, 0, 1, [])},
     {sized, Checked(bs_get_integer2, 1)}, {float, Get(bs_get_float2, 64, 1, [])}, {float32, Get(bs_get_float2, 32, 1, [little])},
     {binary, Get(bs_get_binary2, 2, 8, [])}, {sized_binary, Checked(bs_get_binary2, 8)}, {sized_bits, Checked(bs_get_binary2, 1)},
     {rest, Get(bs_get_binary2, all, 8, [])}, {rest_bits, Get(bs_get_binary2, all, 1, [])},
     {utf8, fun(A, C, _, F, _) -> [{test, bs_get_utf8, F, 8, [A, {field_flags, []}], C}] end},
     {utf16, fun(A, C, _, F, _) -> [{test, bs_get_utf16, F, 8, [A, {field_flags, []}], C}] end},
     %% OTP's loader makes two instructions of it, which do not take the context's own register.
     {utf32, fun(A, A, _, _, _) -> [{bs_get_tail, A, A, 8}];
                (A, C, _, F, _) -> [{test, bs_get_utf32, F, 8, [A, {field_flags, []}], C}] end},
     {skips, fun(A, C, _, F, _) -> [{test, bs_skip_bits2, F, [A, {integer, 5}, 1, {field_flags, []}]}, {bs_get_tail, A, C, 8}] end},
     {skip_utf8, fun(A, C, _, F, _) -> [{test, bs_skip_utf8, F, [A, 8, {field_flags, []}]}, {bs_get_tail, A, C, 8}] end},
     {string, fun(A, C, _, F, _) -> [{test, bs_match_string, F, [A, 16, {string, <<1, 2>>}]}, {bs_get_tail, A, C, 8}] end},
     {whole, fun(A, C, _, F, _) -> [{test, bs_test_unit, F, [A, 8]}, {bs_get_tail, A, C, 8}] end},
     {tail_is, fun(A, C, _, F, _) -> [{test, bs_test_tail2, F, [A, 72]}, {bs_get_tail, A, C, 8}] end},
     {position, fun(A, C, _, F, _) when A =/= C ->
                        [{test, bs_skip_bits2, F, [A, {integer, 8}, 1, {field_flags, []}]}, {bs_get_position, A, C, 8},
                         {test, bs_skip_bits2, F, [A, {integer, 8}, 1, {field_flags, []}]}, {bs_set_position, A, C},
                         {bs_get_tail, A, C, 8}];
                   (A, C, _, _, _) -> [{bs_get_tail, A, C, 8}] end}].
size(all, _) -> {atom, all};
size(N, _) -> {integer, N}.

building() ->
    [a_case({What, S, D}, [S, y], fun([A, B], _, _) ->
                                          [{bs_create_bin, {f, 0}, 0, 8, Unit, target(D), {list, Segments(A, B)}}] end)
     || {What, Unit, Segments} <- pieces(),
        S <- sources([{integer, 300}, {literal, <<1, 2>>}]), D <- registers()].

pieces() ->
    One = fun(Type, Unit, Flags, Size) -> fun(A, B) -> [{atom, Type}, 1, Unit, Flags, A, piece_size(Size, B)] end end,
    [{byte, 1, One(integer, 1, nil, 8)}, {bits, 1, One(integer, 1, nil, 3)}, {little, 1, One(integer, 1, {literal, [little]}, 16)},
     {long, 1, One(integer, 1, nil, 100)}, {sized, 1, One(integer, 1, nil, size)}, {float, 1, One(float, 1, nil, 64)},
     {float32, 1, One(float, 1, {literal, [little]}, 32)}, {all, 8, One(binary, 8, nil, all)}, {all_bits, 1, One(binary, 1, nil, all)},
     {part, 8, One(binary, 8, nil, 1)}, {sized_part, 8, One(binary, 8, nil, size)}, {utf8, 8, One(utf8, 0, nil, none)},
     {utf16, 8, One(utf16, 0, nil, none)}, {utf32, 8, One(utf32, 0, {literal, [little]}, none)},
     {append, 8, fun(A, _) -> [{atom, append}, 1, 8, nil, A, {atom, all}, {atom, integer}, 2, 1, nil, {integer, 5}, {integer, 8}] end},
     {many, 1, fun(A, B) -> [{atom, string}, 1, 8, nil, {string, <<"ab">>}, {integer, 2}, {atom, integer}, 2, 1, nil, A, {integer, 5},
                             {atom, integer}, 3, 1, nil, A, {integer, 11}, {atom, integer}, 4, 1, nil, B, {integer, 8}] end}].
piece_size(all, _) -> {atom, all};
piece_size(none, _) -> {atom, undefined};
piece_size(size, B) -> B;
piece_size(N, _) -> {integer, N}.

fails(raise, _) -> {f, 0};
fails(branch, F) -> F.

%% --- assembling ---
named(Cases) -> lists:zip([list_to_atom("f" ++ integer_to_list(N)) || N <- lists:seq(1, length(Cases))], Cases).

assemble(Name, Cases) ->
    {Functions, _} = lists:mapfoldl(fun({F, Case}, L) -> {function(Name, F, Case, L), L + 10} end, 1, named(Cases)),
    Exports = [{F, 2} || {F, _} <- named(Cases)],
    {ok, Beam} = beam_asm:module({Name, Exports, [], Functions, 10 * length(Cases) + 1}, [], [], []),
    Beam.

function(Module, Name, #{kinds := Kinds, code := Code} = Case, L) ->
    Places = lists:zipwith(fun(P, K) -> P(K) end, lists:sublist([fun first/1, fun second/1], length(Kinds)), Kinds),
    Arguments = lists:sublist([{x, 6}, {x, 7}], length(Kinds)),
    Fail = L + 2,
    Undo = maps:get(undo, Case, fun(_) -> [] end),
    Body = [{label, L}, {func_info, {atom, Module}, {atom, Name}, 2}, {label, L + 1}, {allocate, 4, 2},
            {init_yregs, {list, [{y, N} || N <- [0, 1, 2, 3]]}}, {move, {x, 0}, {x, 6}}, {move, {x, 1}, {x, 7}},
            [{move, {integer, 10 + N}, {x, N}} || N <- lists:seq(0, 5)],
            [{move, From, To} || {From, {Kind, _} = To} <- lists:zip(Arguments, Places), Kind =:= x orelse Kind =:= y],
            Code(Places, {f, Fail}, lists:seq(L + 3, L + 9)), answer(ok), {label, Fail}, Undo(Places), answer(failed)],
    {function, Name, 2, L + 1, lists:flatten(Body)}.

answer(What) ->
    Registers = [{x, N} || N <- lists:seq(0, 6)] ++ [{y, 0}, {y, 1}, {y, 2}],
    [{test_heap, 12, 8}, {put_tuple2, {x, 0}, {list, [{atom, What} | Registers]}}, {deallocate, 4}, return].
