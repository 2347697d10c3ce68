%% Operators, guards, bit syntax and the other expressions that are instructions: a module api_op with
%% a function for each form the compiler tells apart (body or guard, variable or constant operands,
%% operands of known types). A function's name is its expression.
-module(api_code).
-export([make/1]).

%% Compiles api_op into Dir; returns [{Family, [{api_op, Name, Plan}]}].
make(Dir) ->
    Families = [{arithmetic, arithmetic()}, {comparison, comparison()}, {guards, guards()}, {construct, construct()}, {match, match()}, {expressions, expressions()}],
    All = [F || {_, Fs} <- Families, F <- Fs],
    Source = ["-module(api_op).\n-compile([export_all, nowarn_export_all]).\n-record(r, {x, y}).\nid(X) -> X.\n" | [[text(F), "\n"] || F <- All]],
    File = filename:join(Dir, "api_op.erl"),
    ok = file:write_file(File, unicode:characters_to_binary(Source)),
    {ok, api_op} = compile:file(File, [{outdir, Dir}, report_errors]),
    [{N, [{api_op, list_to_atom(Name), {product, Classes}} || {Name, Classes, _} <- Fs]} || {N, Fs} <- Families].

text({Name, Classes, Clauses}) ->
    _ = Classes,
    Quoted = io_lib:format("~tp", [list_to_atom(Name)]),
    [lists:join(";\n", [[Quoted, C] || C <- Clauses]), "."].

f(Format, Args) -> lists:flatten(io_lib:format(Format, Args)).

%% The function of an expression of A (and B): in a body; and in a guard.
body(E, Cs) -> {E, Cs, [head(Cs, "") ++ " -> " ++ E]}.
body(E, Cs, Guard) -> {E ++ " when " ++ Guard, Cs, [head(Cs, Guard) ++ " -> " ++ E]}.
guard(E, Cs) -> {"guard " ++ E, Cs, [head(Cs, E) ++ " -> true", head(Cs, "") ++ " -> false"]}.
guard(E, Cs, Types) -> {"guard " ++ E ++ " when " ++ Types, Cs, [head(Cs, Types ++ ", " ++ E) ++ " -> true", head(Cs, "") ++ " -> false"]}.

head(Cs, Guard) ->
    Vars = lists:join(", ", lists:sublist(["A", "B", "C"], length(Cs))),
    f("(~s)~s", [Vars, case Guard of "" -> ""; _ -> " when " ++ Guard end]).

constants() -> ["0", "1", "-1", "2", "7", "100", "65535", "16#ffffffff", "576460752303423487", "576460752303423488", "-576460752303423488", "18446744073709551616",
                "0.0", "1.5", "1.0e300", "a", "\"\"", "<<>>"].
integer_constants() -> ["0", "1", "-1", "3", "8", "64", "576460752303423487", "18446744073709551616"].

typed() -> ["is_integer(A), is_integer(B)", "is_integer(A), A >= -1000, A < 1000, is_integer(B), B >= 0, B < 64", "is_integer(A), A >= 0, is_integer(B), B > 0", "is_float(A), is_float(B)", "is_number(A), is_number(B)",
            "is_integer(A)", "is_integer(B), B >= 0, B < 256"].

arithmetic() ->
    lists:append([operator(Op, op_num, op_num) || Op <- ["+", "-", "*", "div", "rem", "/", "band", "bor", "bxor"]] ++
                 [operator(Op, op_num, shift) || Op <- ["bsl", "bsr"]]) ++
        [body(E, [all]) || E <- ["+A", "-A", "bnot A", "abs(A)", "float(A)", "round(A)", "trunc(A)", "ceil(A)", "floor(A)"]] ++
        [guard("is_number(" ++ E ++ ")", [all]) || E <- ["+A", "-A", "bnot A", "abs(A)", "float(A)", "round(A)", "trunc(A)", "ceil(A)", "floor(A)"]] ++
        [body(E, [all], T) || E <- ["+A", "-A", "bnot A", "abs(A)", "float(A)", "round(A)", "trunc(A)", "ceil(A)", "floor(A)"], T <- ["is_integer(A)", "is_float(A)", "is_integer(A), A > 0, A < 100"]] ++
        [body(E, [op_num, op_num], T) || E <- ["A * B + A / B - A", "A * A + B * B", "(A + B) / 2.0", "A * 2 + B * 3 - 1", "(A band 255) * (B band 255) + 7", "(A div 7) rem 5 + B"],
                                         T <- ["is_float(A), is_float(B)", "is_number(A), is_number(B)", "is_integer(A), is_integer(B)"]] ++
        [{"catch " ++ E, [op_num, op_num], ["(A, B) -> catch " ++ E]} || E <- ["A + B", "A div B", "A * B"]].

operator(Op, CA, CB) ->
    E = f("A ~s B", [Op]),
    Shift = CB =:= shift,
    Consts = case Shift of true -> integer_constants() -- ["576460752303423487", "18446744073709551616"]; false -> constants() end,
    [body(E, [CA, CB]), guard(f("is_number(~s)", [E]), [CA, CB])] ++
        [body(E, [CA, CB], T) || T <- typed()] ++
        [guard(f("(~s) > 5", [E]), [CA, CB], T) || T <- typed()] ++
        [body(f("A ~s ~s", [Op, C]), [all]) || C <- Consts] ++
        [body(f("A ~s ~s", [Op, C]), [all], T) || C <- integer_constants() -- ["18446744073709551616", "576460752303423487"], T <- ["is_integer(A)", "is_integer(A), A >= 0, A < 1000"]] ++
        [body(f("~s ~s A", [C, Op]), [case Shift of true -> shift; false -> all end]) || C <- constants()] ++
        [guard(f("is_integer(A ~s ~s)", [Op, C]), [all]) || C <- Consts, C =/= "\"\"", C =/= "<<>>"].

comparison() ->
    lists:append([begin
                      E = f("A ~s B", [Op]),
                      [body(E, [op_any, op_any]), guard(E, [op_any, op_any])] ++
                          [guard(E, [op_num, op_num], T) || T <- typed()] ++
                          [body(f("A ~s ~s", [Op, C]), [all]) || C <- constants()] ++
                          [guard(f("A ~s ~s", [Op, C]), [all]) || C <- constants() ++ ["{}", "[]", "{a,1}", "#{}", "<<\"abc\">>", "[a|b]"]] ++
                          [guard(f("~s ~s A", [C, Op]), [all]) || C <- constants()] ++
                          [guard(f("A ~s ~s", [Op, C]), [all], "is_integer(A)") || C <- integer_constants()]
                  end || Op <- ["==", "/=", "=:=", "=/=", "<", "=<", ">", ">="]]) ++
        lists:append([[body(E, [op_any, op_any]), guard(E, [op_any, op_any])] || Op <- ["and", "or", "xor", "andalso", "orelse"], E <- [f("A ~s B", [Op])]]) ++
        [body(f("A ~s B", [Op]), [op_any, op_any]) || Op <- ["++", "--"]] ++
        [body(E, [op_any, op_any]) || E <- ["min(A, B)", "max(A, B)", "{A == B, A =:= B, A < B, A >= B}"]] ++
        [{"range " ++ L ++ " " ++ H, [all], ["(A) when " ++ L ++ " =< A, A =< " ++ H ++ " -> true", "(A) -> false"]} || {L, H} <- [{"0", "9"}, {"-5", "1000"}, {"$a", "$z"}, {"1.0", "2.5"}, {"0", "18446744073709551616"}]].

guards() ->
    Tests = ["is_atom(A)", "is_binary(A)", "is_bitstring(A)", "is_boolean(A)", "is_float(A)", "is_function(A)", "is_integer(A)", "is_list(A)", "is_map(A)", "is_number(A)", "is_pid(A)", "is_port(A)",
             "is_reference(A)", "is_tuple(A)", "is_record(A, r)", "is_record(A, a, 2)", "is_function(A, 1)", "is_function(A, 2)", "not A", "A", "is_map_key(a, A)"],
    Values = ["length(A)", "tuple_size(A)", "map_size(A)", "byte_size(A)", "bit_size(A)", "size(A)", "hd(A)", "tl(A)", "element(1, A)", "element(2, A)", "map_get(a, A)", "binary_part(A, 0, 1)", "binary_part(A, {1, 1})",
              "binary_part(A, 1, -1)", "node(A)", "setelement(1, A, x)", "setelement(2, A, x)"],
    Pairs = ["element(A, B)", "map_get(A, B)", "is_map_key(A, B)", "is_function(A, B)", "binary_part(A, B)", "is_record(A, B)", "is_record(A, B, 2)"],
    [body(E, [all]) || E <- Tests, E =/= "A"] ++ [guard(E, [all]) || E <- Tests] ++ [body(E, [all]) || E <- Values] ++
        [guard(f("~s == 1", [E]), [all]) || E <- Values, string:prefix(E, "setelement") =:= nomatch] ++ [guard(f("~s > 1", [E]), [all]) || E <- Values, string:prefix(E, "setelement") =:= nomatch] ++
        [body(E, [all], T) || E <- ["element(1, A)", "element(2, A)", "setelement(2, A, x)", "tuple_size(A)"], T <- ["is_tuple(A)", "tuple_size(A) > 1", "is_tuple(A), element(1, A) == a"]] ++
        [body(E, [op_any, op_any]) || E <- Pairs] ++ [guard(f("~s == true", [E]), [op_any, op_any]) || E <- Pairs, string:prefix(E, "is_record") =:= nomatch] ++
        [guard(E, [op_any, op_any]) || E <- ["is_atom(A) andalso B", "length(A) > 1 orelse is_atom(B)", "hd(A) == B", "length(A) == 1; B == a", "not (A == B)", "is_map(A) and is_map_key(a, B)", "tuple_size(A) == B"]].

construct() ->
    Types = ["integer", "little", "float", "float-little", "binary", "bits", "utf8", "utf16", "utf16-little", "utf32", "binary-unit:3", "signed-native"],
    Unsized = fun(T) -> string:prefix(T, "utf") =/= nomatch end,
    [body(f("<<A/~s>>", [T]), [all]) || T <- Types] ++ [body(f("<<1:3, A/~s, 5:5>>", [T]), [all]) || T <- Types] ++
        [body(f("<<A:~s/~s>>", [S, T]), [all]) || T <- Types, not Unsized(T), S <- ["0", "1", "3", "8", "12", "16", "32", "64", "100"]] ++
        [body(f("<<A:B/~s>>", [T]), [all, size]) || T <- Types, not Unsized(T)] ++ [body(f("<<B:3, A:B/~s>>", [T]), [op_any, size]) || T <- Types, not Unsized(T)] ++
        [body(E, [op_any, op_any]) || E <- ["<<A, B>>", "<<A/binary, B/binary>>", "<<A/binary, B>>", "<<A/bits, B:7>>", "<<A/bits, 1:1, B/bits>>", "<<A/float, B/utf8>>", "<<A:16, B:16/little>>", "<<\"x\", A:4, B:4>>", "<< <<X:3>> || X <- A, X =/= B >>",
                                            "<< <<X, B/binary>> || <<X>> <= A >>"]] ++ [body("<< <<X:B>> || <<X:5>> <= A >>", [op_any, size])] ++
        [body("<<A:8>>", [op_num], "is_integer(A), A >= 0, A < 256"), body("<<A:B>>", [op_num, size], "is_integer(A), is_integer(B)")].

match() ->
    Types = ["integer", "signed", "little", "little-signed", "float", "float-little", "binary", "bits", "utf8", "utf16", "utf16-little", "utf32", "binary-unit:3"],
    Unsized = fun(T) -> string:prefix(T, "utf") =/= nomatch end,
    Case = fun(P, R) -> f("case A of <<~s>> -> ~s; _ -> no end", [P, R]) end,
    [body(Case(f("X/~s, R/bits", [T]), "{X, R}"), [all]) || T <- Types, not lists:member(T, ["binary", "bits", "binary-unit:3"])] ++
        [body(Case(f("_:3, X/~s, R/bits", [T]), "{X, R}"), [all]) || T <- Types, not lists:member(T, ["binary", "bits", "binary-unit:3"])] ++
        [body(Case(f("X/~s", [T]), "X"), [all]) || T <- Types] ++ [body(Case(f("_:8, X/~s", [T]), "X"), [all]) || T <- Types] ++
        [body(Case(f("X:~s/~s, R/bits", [S, T]), "{X, R}"), [all]) || T <- Types, not Unsized(T), S <- ["0", "1", "3", "8", "12", "16", "32", "64", "100"]] ++
        [body(Case(f("_:1, X:~s/~s, R/bits", [S, T]), "{X, R}"), [all]) || T <- Types, not Unsized(T), S <- ["1", "8", "16", "63"]] ++
        [body(Case(f("X:B/~s, R/bits", [T]), "{X, R}"), [bitstring, size]) || T <- Types, not Unsized(T)] ++
        [body(Case(f("_:B/~s, R/bits", [T]), "R"), [bitstring, size]) || T <- Types, not Unsized(T)] ++
        [body(Case(P, R), [all]) || {P, R} <- [{"N, X:N/binary, R/binary", "{N, X, R}"}, {"\"abc\", R/bits", "R"}, {"X:4, Y:4, Z/binary", "{X, Y, Z}"}, {"1:1, R/bits", "R"}, {"X:7, 0:1, _/bits", "X"}, {"A1, A1, _/binary", "A1"},
                                               {"X:16, Y:16/little, Z:32/float, _/bits", "{X, Y, Z}"}, {"_/utf8, \"b\", R/bits", "R"}]] ++
        [body(E, [all]) || E <- ["<<X, R/binary>> = A, {X, R}", "[X || <<X>> <= A]", "[X || <<X:3>> <= A]", "[X || <<X/utf8>> <= A]", "[X || <<X:16/float>> <= A]", "<< <<X>> || <<X:4>> <= A >>"]] ++
        [body("[X || <<X:B>> <= A]", [bitstring, size_pos])].

expressions() ->
    One = ["case A of a -> 1; b -> 2; true -> 3 end", "case A of 1 -> a; 2 -> b; 10 -> c; 18446744073709551616 -> d; _ -> e end", "case A of {X} -> X; {X, Y} -> {Y, X}; {_, _, Z} -> Z end", "if A -> yes end", "if A == 1 -> one; A -> two; true -> three end",
           "case A of 1.0 -> f; 0.0 -> z; 1 -> i; _ -> n end", "case A of \"abc\" ++ T -> T; [H | T] -> {T, H}; [] -> nil end", "{a, X} = A, X", "[X | _] = A, X", "#{a := X} = A, X", "A#{a := 1}", "A#{a => 1, b => 2}", "#{A => 1, a => 2}", "try A of 1 -> x catch _:_ -> y end",
           "try throw(A) catch X -> {c, X} end", "try error(A) catch C:R:S -> {C, R, S} end", "catch exit(A)", "catch error(A)", "catch throw(A)", "error(A)", "exit(A)", "throw(A)", "[X || X <- A]", "[X || X <- A, X]", "[X || {X, _} <- A]", "[{X, Y} || X <- A, Y <- A, X < Y]", "A()", "A(1)", "A(1, 2)", "apply(A, [])",
           "apply(A, [1, 2])", "lists:A(\"x\")", "A:module_info(module)", "A:nosuch(1, 2)", "fun lists:A/1", "begin X = id(A), X(1) end", "begin X = lists:A([1]), {X} end", "begin X = A:nosuch(1), {X} end", "try A(1) of X -> {v, X} after id(x) end", "A#r.x", "A#r{x = 1}", "#r{x = A}", "(A)#r.y",
           "receive A -> 1 after 0 -> 2 end", "(fun(1) -> 1 end)(A)", "(fun(X) when X > 1 -> X end)(A)", "catch erlang:raise(A, b, [])", "catch erlang:raise(error, b, A)", "catch erlang:raise(exit, A, [{m, f, 1, []}])", "erlang:raise(error, A, [{m, f, [1], [{line, 3}]}])", "erlang:error(A, [1, 2])", "erlang:error(x, A)",
           "erlang:error(x, [1], [{error_info, A}])", "erlang:error(x, [1], A)", "receive after A -> timeout end", "erlang:nif_error(A)", "tuple_to_list(A)", "self() ! A"],
    Two = ["A(B)", "{X, Y} = {A, B}, X(Y)", "A:B()", "A:B(1)", "apply(A, B)", "apply(A, B, [])", "apply(lists, A, B)", "[A | B]", "A#{B := 1}", "A#{B => 1}", "A#{a => B, b => B}", "#{B := X} = A, X", "case A of #{B := X} -> {ok, X}; #{} -> map; _ -> no end", "A = B", "fun A:B/2", "catch A(B)", "case A of B -> same; _ -> other end",
           "try erlang:error(A, B) catch C:R:S -> {C, R, S} end", "[A || B]", "[X || X <- A, Y <- B, X == Y]", "setelement(A, B, x)", "erlang:setelement(1, A, B)", "begin X = apply(A, B), {X} end"],
    NotIn = fun(E) -> not lists:member(E, ["lists:A(\"x\")", "begin X = lists:A([1]), {X} end", "self() ! A", "receive after A -> timeout end"]) end,
    [body(E, [case NotIn(E) of true -> all; false -> call_atom end]) || E <- One, E =/= "self() ! A", E =/= "receive after A -> timeout end"] ++
        [body("receive after A -> timeout end", [timeout])] ++
        [body(E, [op_any, op_any]) || E <- Two, not lists:member(E, ["A:B()", "A:B(1)", "apply(A, B, [])", "apply(lists, A, B)"])] ++
        [body(E, [call_module, call_atom]) || E <- ["A:B()", "A:B(1)", "apply(A, B, [])"]] ++ [body("apply(lists, A, B)", [call_atom, all])].
