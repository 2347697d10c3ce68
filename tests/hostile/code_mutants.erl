%% Mutants made from instructions: a module is compiled to assembler, an instruction or two are changed
%% (another register, label, live count, literal, size, another kind of operand, legal there or not; two
%% swapped, one left out, doubled, moved, one from elsewhere or from a list of those that compilers write
%% rarely or not any more), and the result is assembled again, with every size and table right. What a flipped bit
%% rarely reaches, the validator's reasoning about registers, frames and types, is all these are about.
%%
%% Runs on `erl`:  erl -noshell -pa DIR -run code_mutants start Output Seed Count File...
%% Each File is an .erl, an .S, or a .beam that carries its abstract code. Output becomes the external term
%% [{Module, {File, Number, What}, Bytes}]; number 0 is the module as it is. The same seed gives the same
%% mutants.
-module(code_mutants).
-export([start/1]).

start([Output, Seed, Count | Files]) ->
    Mutants = lists:append([of_file(F, list_to_integer(Seed), list_to_integer(Count)) || F <- Files]),
    ok = file:write_file(Output, term_to_binary(Mutants, [{compressed, 1}])),
    halt(0).

of_file(File, Seed, Count) ->
    {Module, Exports, _, Original, Labels} = assembler(filename:extension(File), File),
    Functions = harmless(Original),
    World = world(Functions),
    lists:append([mutant(Module, Exports, Functions, Labels, World, File, Seed, N) || N <- lists:seq(0, Count)]).

assembler(".S", File) ->
    {ok, Terms} = file:consult(File),
    {module, Module} = lists:keyfind(module, 1, Terms),
    {exports, Exports} = lists:keyfind(exports, 1, Terms),
    {labels, Labels} = lists:keyfind(labels, 1, Terms),
    {Module, Exports, [], whole(Terms), Labels};
assembler(".erl", File) ->
    Dir = filename:dirname(File),
    {ok, Forms} = epp:parse_file(File, [{includes, [Dir, Dir ++ "/support"]}]),
    {ok, _, Code} = compile:noenv_forms(Forms, [to_asm, binary]),
    Code;
assembler(".beam", File) ->
    {ok, {Module, [{debug_info, {debug_info_v1, Backend, Data}}]}} = beam_lib:chunks(File, [debug_info]),
    {ok, Forms} = Backend:debug_info(erlang_v1, Module, Data, []),
    {ok, Module, {_, Exports, Attributes, Functions, Labels}} = compile:noenv_forms(Forms, [to_asm, binary]),
    %% A name of its own: the machine it is loaded into needs the module.
    Mutant = list_to_atom("mutant_" ++ atom_to_list(Module)),
    {Mutant, Exports, Attributes, [named(Mutant, F) || F <- Functions], Labels}.

named(Mutant, {function, Name, Arity, Entry, Code}) ->
    {function, Name, Arity, Entry, [case I of {func_info, _, F, A} -> {func_info, {atom, Mutant}, F, A}; _ -> I end || I <- Code]}.

%% Without what ends the machine.
harmless({extfunc, erlang, halt, A}) -> {extfunc, forbidden, halt, A};
harmless({extfunc, init, F, A}) -> {extfunc, forbidden, F, A};
harmless({extfunc, os, cmd, A}) -> {extfunc, forbidden, cmd, A};
harmless([T | Ts]) -> [harmless(T) | harmless(Ts)];
harmless(T) when is_tuple(T) -> list_to_tuple(harmless(tuple_to_list(T)));
harmless(T) -> T.

whole([{function, Name, Arity, Entry} | Terms]) ->
    {Code, Rest} = lists:splitwith(fun(T) -> not is_tuple(T) orelse element(1, T) =/= function end, Terms),
    [{function, Name, Arity, Entry, Code} | whole(Rest)];
whole([_ | Terms]) -> whole(Terms);
whole([]) -> [].

%% Whatever operands the module has, by kind, to choose from.
world(Functions) ->
    Code = [I || {function, _, _, _, Is} <- Functions, I <- Is, not is_tuple(I) orelse element(1, I) =/= line],
    {list_to_tuple(Code), list_to_tuple(lists:usort([nil | operands(Code, [])]))}.

operands(Term, Acc) when is_list(Term) -> lists:foldl(fun operands/2, Acc, Term);
operands({Kind, _} = Operand, Acc) when Kind =:= x; Kind =:= y; Kind =:= f; Kind =:= fr; Kind =:= literal;
                                        Kind =:= atom; Kind =:= integer; Kind =:= float -> [Operand | Acc];
operands(Term, Acc) when is_tuple(Term) -> operands(tuple_to_list(Term), Acc);
operands(nil, Acc) -> [nil | Acc];
operands(_, Acc) -> Acc.

mutant(Module, Exports, Functions, Labels, World, File, Seed, N) ->
    _ = rand:seed(exsss, {Seed, erlang:phash2(filename:basename(File)), N}),
    Changes = case N of 0 -> 0; _ -> pick([1, 1, 1, 2, 3]) end,
    {What, Changed} = change(Changes, Functions, World, []),
    try beam_asm:module({Module, Exports, [], Changed, Labels}, [], [], [no_type_opt]) of
        {ok, Bytes} -> [{Module, {filename:basename(File), N, What}, Bytes}]
    catch
        _:Why when N =:= 0 -> error({File, Why});
        _:_ -> []  % the assembler has no words for it
    end.

change(0, Functions, _, What) -> {What, Functions};
change(N, Functions, World, What) ->
    Weighted = lists:append([lists:duplicate(1 + length(Is) div 10, F) || {function, _, _, _, Is} = F <- Functions]),
    {function, Name, Arity, Entry, Code} = F = pick(Weighted),
    {Done, NewCode} = change_code(Code, World),
    New = lists:keyreplace(Entry, 4, Functions, setelement(5, F, NewCode)),
    change(N - 1, New, World, [{Name, Arity, Done} | What]).

change_code(Code, World) ->
    At = rand:uniform(length(Code)),
    {Before, [I | After]} = lists:split(At - 1, Code),
    case {rand:uniform(30), I} of
        {_, {line, _}} -> change_code(Code, World);
        {_, {label, _}} -> change_code(Code, World);
        {1, _} -> {{left_out, I}, Before ++ After};
        {2, _} -> {{doubled, I}, Before ++ [I, I | After]};
        {3, _} when After =/= [] -> {{swapped, I, hd(After)}, Before ++ [hd(After), I | tl(After)]};
        {4, _} -> New = any(element(1, World)), {{inserted, New, before, I}, Before ++ [New, I | After]};
        {5, _} -> New = pick(Code), {{inserted, New, before, I}, Before ++ [New, I | After]};
        {6, _} -> New = any(element(1, World)), {{replaced, I, by, New}, Before ++ [New | After]};
        {7, _} -> New = renamed(I), {{replaced, I, by, New}, Before ++ [New | After]};
        {8, _} -> {{moved, I}, inserted(I, Before ++ After)};
        {N, _} when N < 15 -> New = gadget(element(2, World)), {{inserted, New, before, I}, Before ++ [New, I | After]};
        {N, _} when N < 20 -> New = other_kind(I, element(2, World)), {{I, becomes, New}, Before ++ [New | After]};
        _ -> New = operand_changed(I, element(2, World)), {{I, becomes, New}, Before ++ [New | After]}
    end.

inserted(I, Code) ->
    {Before, After} = lists:split(rand:uniform(length(Code)) - 1, Code),
    Before ++ [I | After].

%% One operand becomes one of any kind, whatever the instruction takes there.
other_kind(I, Os) when is_tuple(I), tuple_size(I) > 1 ->
    N = 1 + rand:uniform(tuple_size(I) - 1),
    New = case element(N, I) of
              {list, [_ | _] = List} -> {list, in_list(List, Os)};
              [_ | _] = List when element(1, I) =:= test -> in_list(List, Os);
              _ -> any_kind(Os)
          end,
    setelement(N, I, New);
other_kind(I, _) -> I.

in_list(List, Os) ->
    {Before, [_ | After]} = lists:split(rand:uniform(length(List)) - 1, List),
    Before ++ [any_kind(Os) | After].

any_kind(Os) ->
    pick([x(), x(), y(), y(), {fr, pick([0, 1, 63, 64, 100, 1023])}, {atom, pick([a, true, undefined, all, nomatch])},
          {integer, pick([0, 1, -1, 8, 255, 1 bsl 31, 1 bsl 58, 1 bsl 63, -(1 bsl 80)])}, nil, f(Os), {f, 0},
          {literal, pick([{}, {a, b}, [x | y], #{}, #{a => 1}, <<1, 2>>, <<1:3>>, 1.5, 1 bsl 70])},
          {list, []}, {list, [x(), f(Os)]}, {alloc, [{words, small()}, {floats, small()}, {funs, small()}]},
          small(), 1023, 1 bsl 32, any(Os)]).

x() -> {x, pick([0, 0, 1, 1, 2, 3, 4, 255, 1023])}.
y() -> {y, pick([0, 0, 0, 1, 1, 2, 3, 30])}.
f(Os) -> case [F || {f, _} = F <- tuple_to_list(Os)] of [] -> {f, 0}; Fs -> pick(Fs) end.
small() -> rand:uniform(6) - 1.
source(Os) -> pick([x(), x(), y(), any(Os), {literal, {1, 2}}, {integer, 3}, nil]).

%% Instructions that most programs have not, with operands that may fit.
gadget(Os) ->
    Fail = pick([f(Os), {f, 0}]),
    S = source(Os),
    Need = pick([small(), 20, {alloc, [{words, small()}, {floats, small()}, {funs, 0}]}]),
    Flags = {field_flags, pick([[], [little], [signed]])},
    pick([{loop_rec, f(Os), {x, 0}}, {loop_rec_end, f(Os)}, remove_message, timeout, {wait, f(Os)},
          {wait_timeout, f(Os), pick([S, {integer, 1}, {integer, 0}, {atom, infinity}])},
          {recv_marker_reserve, pick([x(), y()])}, {recv_marker_use, S}, {recv_marker_bind, x(), y()},
          {recv_marker_clear, S}, send, {swap, x(), y()}, {swap, y(), y()}, {move, x(), y()}, {move, y(), x()},
          {trim, 1, small()}, {init_yregs, {list, [y()]}}, {test_heap, Need, small()},
          {allocate, small(), small()}, {deallocate, small()}, return,
          {bs_init2, Fail, pick([8, 3000, S]), pick([0, 20]), small(), Flags, x()},
          {bs_append, Fail, {integer, 8}, Need, small(), 8, S, Flags, x()},
          {bs_private_append, Fail, {integer, 8}, 8, S, Flags, pick([x(), y()])}, bs_init_writable,
          {bs_put_integer, Fail, {integer, 8}, 1, Flags, S}, {bs_put_binary, Fail, {atom, all}, 8, Flags, S},
          {bs_add, Fail, [S, S, 8], x()}, {bs_get_tail, x(), x(), small()}, {bs_get_position, x(), x(), small()},
          {bs_set_position, x(), S}, {test, bs_start_match3, Fail, small(), [S], x()},
          {bs_start_match4, pick([{atom, no_fail}, {atom, resume}, Fail]), small(), S, x()},
          {test, bs_get_integer2, Fail, small(), [x(), pick([{integer, 8}, {integer, 100}, S]), 1, Flags], x()},
          {test, bs_get_binary2, Fail, small(), [x(), {atom, all}, 8, Flags], x()},
          {'catch', y(), f(Os)}, {catch_end, y()}, {'try', y(), f(Os)}, {try_end, y()}, {try_case, y()},
          {raise, {list, [S, S]}}, raw_raise, build_stacktrace, {badmatch, S}, if_end,
          {call_fun, small()}, {call_fun2, {atom, safe}, small(), S}, {apply, small()},
          {call_ext, 1, {extfunc, erlang, pick([garbage_collect, phash2, throw, error, get]), 1}},
          {put_list, S, source(Os), pick([x(), y()])}, {put_tuple2, x(), {list, [S, source(Os)]}},
          {set_tuple_element, S, x(), small()}, {get_map_elements, f(Os), S, {list, [{atom, a}, pick([x(), y()])]}},
          {put_map_assoc, Fail, S, x(), small(), {list, [{atom, a}, source(Os)]}},
          {fmove, S, {fr, pick([0, 70])}}, {fmove, {fr, pick([0, 70])}, x()}, {fconv, S, {fr, 0}},
          {bif, pick([hd, element, min, map_get, node]), Fail, [S], x()}, {bif, is_record, Fail, [S, source(Os)], x()},
          {gc_bif, pick([length, abs, '-']), Fail, small(), [S], x()}, {jump, f(Os)},
          {select_val, S, f(Os), {list, [{atom, a}, f(Os)]}}, {func_info, {atom, a}, {atom, b}, small()}]).

%% Another instruction with the same operands.
renamed({test, Name, Fail, Operands}) ->
    Names = [is_lt, is_ge, is_eq, is_ne, is_eq_exact, is_ne_exact, is_integer, is_float, is_number, is_atom,
             is_pid, is_reference, is_port, is_nil, is_binary, is_list, is_nonempty_list, is_tuple, is_function,
             is_boolean, is_bitstr, is_map, test_arity, bs_test_tail2, bs_test_unit],
    {test, pick(Names -- [Name]), Fail, Operands};
renamed(I) when is_tuple(I) ->
    Groups = [[get_list, get_hd, get_tl, get_tuple_element], [call, call_only, call_last], [call_ext, call_ext_only],
              [catch_end, try_end, try_case], ['catch', 'try'], [badmatch, case_end, try_case_end, badrecord],
              [move, swap, fmove, fconv], [wait, loop_rec_end], [allocate, deallocate, trim, test_heap],
              [bs_get_tail, bs_get_position, bs_set_position], [put_list, get_list]],
    case [G || G <- Groups, lists:member(element(1, I), G)] of
        [] -> I;
        Found -> setelement(1, I, pick(pick(Found)))
    end;
renamed(I) -> I.

%% One operand, however deep, becomes another.
operand_changed(I, Operands) when is_tuple(I), tuple_size(I) > 1 ->
    N = 1 + rand:uniform(tuple_size(I) - 1),
    setelement(N, I, changed(element(N, I), Operands));
operand_changed(I, _) -> I.

changed({x, N}, Os) -> pick([{x, max(0, N - 1)}, {x, N + 1}, {x, rand:uniform(8) - 1}, {y, N}, any(Os)]);
changed({y, N}, Os) -> pick([{y, max(0, N - 1)}, {y, N + 1}, {y, rand:uniform(5) - 1}, {x, N}, any(Os)]);
changed({tr, Register, Type}, Os) -> pick([{tr, changed(Register, Os), Type}, changed(Register, Os)]);
changed({f, _}, Os) -> pick([F || {f, _} = F <- tuple_to_list(Os)] ++ [{f, 0}]);
changed({list, List}, Os) -> {list, changed_list(List, Os)};
changed({alloc, List}, _) -> {alloc, [{K, max(0, V + pick([-1, -2, 1]))} || {K, V} <- List]};
changed({atom, _}, Os) -> any(Os);
changed({integer, N}, Os) -> pick([{integer, N + 1}, {integer, -1}, {integer, 1 bsl 62}, any(Os)]);
changed({literal, _}, Os) -> pick([any(Os), {literal, pick([{}, {a, b}, [x | y], #{}, <<1, 2>>, 1.5])}]);
changed({field_flags, _}, _) -> {field_flags, pick([[], [little], [signed], [little, signed]])};
changed({extfunc, M, F, A}, _) -> {extfunc, M, F, max(0, A + pick([-1, 1]))};
changed(nil, Os) -> any(Os);
changed(N, _) when is_integer(N) -> pick([max(0, N - 1), N + 1, N + 1, 0, N + 2, N + rand:uniform(20), 255, 1023]);
changed(List, Os) when is_list(List) -> changed_list(List, Os);
changed(Name, _) when is_atom(Name) ->
    pick([hd, tl, length, size, byte_size, tuple_size, element, map_size, map_get, '+', '-', '*', 'div', 'rem',
          'bsl', 'bsr', 'band', abs, float, round, self, node, get, '++', setelement, Name]);
changed(Tuple, Os) when is_tuple(Tuple) -> operand_changed(Tuple, Os);
changed(Other, _) -> Other.

changed_list([], Os) -> [any(Os)];
changed_list(List, Os) ->
    N = rand:uniform(length(List)),
    {Before, [O | After]} = lists:split(N - 1, List),
    case rand:uniform(8) of
        1 -> Before ++ After;
        2 -> Before ++ [O, O | After];
        _ -> Before ++ [changed(O, Os) | After]
    end.

pick(List) -> lists:nth(rand:uniform(length(List)), List).
any(Tuple) -> element(rand:uniform(tuple_size(Tuple)), Tuple).
