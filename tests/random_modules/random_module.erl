%% Writes random modules:  main([First, Last, Dir])  makes Dir/random_N.erl for the seeds First to Last and
%% compiles them. The same seed makes the same module on every machine.
%%
%% A module exports f1 to f8, which end whatever they are called with: a function calls only later ones,
%% and its loops (a counter that goes down, an accumulator) are bounded by constants. What a loop carries is
%% kept small by random_values:small/1. What fails is caught, so that the rest is not in vain. Expressions are mostly of the type that is wanted where they
%% stand, sometimes of any.
-module(random_module).
-export([main/1]).

-define(FUNCTIONS, 8).

main([First, Last, Dir]) ->
    [make(N, Dir) || N <- lists:seq(list_to_integer(First), list_to_integer(Last))],
    ok.

make(N, Dir) ->
    rand:seed(exsss, {N, 20, 25}),
    put(names, 0),
    Name = "random_" ++ integer_to_list(N),
    File = filename:join(Dir, Name ++ ".erl"),
    ok = file:write_file(File, source(Name)),
    {ok, _} = compile:file(File, [{outdir, Dir} | options()]),
    case code:load_abs(filename:join(Dir, Name)) of
        {module, _} -> ok;
        {error, badfile} -> file:delete(filename:join(Dir, Name ++ ".beam"))  % OTP's loader refuses what its compiler made
    end.

%% Old instructions, too: what erlc makes without its optimisations, and what older ones made.
options() ->
    case rand:uniform(8) of
        1 -> [no_copt, no_type_opt, no_bool_opt];
        2 -> [no_bsm_opt, no_ssa_opt];
        3 -> [inline];
        4 -> [r22];
        5 -> [r23, no_type_opt];
        _ -> []
    end.

source(Name) ->
    put(arities, [{K, rand:uniform(4) - 1} || K <- lists:seq(1, ?FUNCTIONS)]),
    Bodies = [function(K) || K <- lists:seq(1, ?FUNCTIONS)],
    ["%% coding: latin-1\n-module(", Name, ").\n",
     "-export([", lists:join(", ", [io_lib:format("f~b/~b", [K, A]) || {K, A} <- get(arities)]), "]).\n\n",
     Bodies].

%% --- functions
function(K) ->
    put(self, K),
    Arity = arity(K),
    Vars = [fresh() || _ <- lists:seq(1, Arity)],
    Env = [{any, V} || V <- Vars],
    put(extra, []),
    Clauses = case Arity > 0 andalso chance(40) of
                  true -> [guarded_clause(K, Arity), ";\n"];
                  false -> []
              end,
    Body = ["{catch begin ", lists:join(" end,\n     catch begin ", [body(any, Env, 4) || _ <- lists:seq(1, 4)]), " end}"],
    [Clauses, io_lib:format("f~b(~s) ->\n    ~s.\n", [K, lists:join(", ", Vars), Body]), get(extra), "\n"].

guarded_clause(K, Arity) ->
    {Patterns, Env} = patterns(lists:duplicate(Arity, any), []),
    io_lib:format("f~b(~s)~s ->\n    ~s", [K, lists:join(", ", Patterns), maybe_guard(Env), body(any, Env, 3)]).

arity(K) -> proplists:get_value(K, get(arities)).

%% A body: some matches, then a value.
body(Type, Env, Depth) -> body(Type, Env, Depth, rand:uniform(4) - 1).

body(Type, Env, Depth, 0) -> expr(Type, Env, Depth);
body(Type, Env, Depth, N) ->
    T = type(),
    case chance(12) of
        true ->
            {P, Env1} = pattern(T, Env, 2),
            [P, " = ", expr(T, Env, Depth - 1), ",\n    ", body(Type, Env1, Depth, N - 1)];
        false ->
            V = fresh(),
            [V, " = ", expr(T, Env, Depth - 1), ",\n    ", body(Type, [{T, V} | Env], Depth, N - 1)]
    end.

%% A loop of its own; what is called is put among the module's functions.
loop(Type, Env, Depth) ->
    Name = io_lib:format("loop~b", [count()]),
    [N, A, B] = [fresh() || _ <- "123"],
    T2 = type(),
    In = [{int, N}, {Type, A}, {T2, B}],
    Step = ["random_values:small(begin ", body(Type, In, 2), " end)"],
    Other = case chance(50) of true -> B; false -> ["random_values:small(", expr(T2, In, 2), ")"] end,
    Text = case rand:uniform(3) of
               1 -> [Name, "(0, ", A, ", _) -> ", A, ";\n", Name, "(", N, ", ", A, ", ", B, ") -> ",
                     Name, "(", N, " - 1, ", Step, ", ", Other, ").\n"];
               2 -> [Name, "(0, ", A, ", ", B, ") -> {", A, ", ", B, "};\n",
                     Name, "(", N, ", ", A, ", ", B, ") when ", guard(In, 2), " -> ",
                     Name, "(", N, " - 1, ", Step, ", ", Other, ");\n",
                     Name, "(", N, ", ", A, ", ", B, ") -> ", Name, "(", N, " - 1, ", A, ", ", Other, ").\n"];
               3 -> [Name, "(0, _, _) -> [];\n",
                     Name, "(", N, ", ", A, ", ", B, ") -> [", Step, " | ", Name, "(", N, " - 1, ", A, ", ",
                     Other, ")].\n"]
           end,
    put(extra, [Text | get(extra)]),
    [Name, io_lib:format("(~b, ", [rand:uniform(12)]), expr(Type, Env, Depth - 1), ", ", expr(T2, Env, Depth - 1), ")"].

%% --- expressions
type() -> pick([int, int, int, float, num, atom, list, list, tuple, map, bin, bin, bool, any]).

expr(_, _, Depth) when Depth < -6 -> "0";
expr(any, Env, Depth) ->
    case variables(any, Env) of
        [_ | _] = Vs when Depth =< 0 -> pick(Vs);
        [_ | _] = Vs -> case chance(25) of true -> pick(Vs); false -> expr(type_but_any(), Env, Depth) end;
        [] -> expr(type_but_any(), Env, Depth)
    end;
expr(Type, Env, Depth) ->
    case rand:uniform(100) of
        N when Depth =< 0, N =< 70; N =< 15 ->
            case variables(Type, Env) of
                [] -> leaf(Type);
                Vs -> pick(Vs)
            end;
        N when N =< 17 ->
            case variables(any, Env) of
                [] -> leaf(Type);
                Vs -> pick(Vs)
            end;
        _ when Depth =< 0 -> leaf(Type);
        N when N =< 45 -> control(Type, Env, Depth - 1);
        _ -> compound(Type, Env, Depth - 1)
    end.

type_but_any() -> pick([int, int, float, num, atom, list, tuple, map, bin, bool]).

variables(any, Env) -> [V || {_, V} <- Env];
variables(num, Env) -> [V || {T, V} <- Env, T =:= int orelse T =:= float orelse T =:= num];
variables(Type, Env) -> [V || {T, V} <- Env, T =:= Type].

leaf(int) ->
    pick(["0", "1", "-1", "2", "7", "255", "256", "-128", "16#7ffffff", "16#8000000", "16#7ffffffffffffff",
          "-16#800000000000000", "16#800000000000000", "16#7fffffffffffffff", "16#8000000000000000",
          "-16#8000000000000001", "16#ffffffffffffffff", "16#123456789abcdef0123456789abcdef", "1000000007", "$a"]);
leaf(float) -> pick(["0.0", "-0.0", "1.0", "-1.5", "3.141592653589793", "1.0e300", "1.0e-300", "4503599627370496.5", "0.1"]);
leaf(num) -> leaf(pick([int, float]));
leaf(atom) -> pick(["a", "b", "ok", "error", "undefined", "true", "''"]);
leaf(bool) -> pick(["true", "false"]);
leaf(list) -> pick(["[]", "[1]", "[a, b]", "[1, 2, 3]", "\"text\"", "[{a, 1}, {b, 2}]", "[1.5 | tail]"]);
leaf(tuple) -> pick(["{}", "{a}", "{1, 2}", "{ok, 5.5}", "{a, {b, c}, []}"]);
leaf(map) -> pick(["#{}", "#{a => 1}", "#{a => 1, b => 2}", "#{1 => x, 1.0 => y}", "#{[] => {}, {} => []}"]);
leaf(bin) -> pick(["<<>>", "<<1>>", "<<1, 2, 3>>", "<<\"bytes\">>", "<<5:3>>", "<<16#ffffffffffffffff:64, 1:7>>",
                   "<<229/utf8, 66/utf8>>", "<<1.5/float>>"]);
leaf(any) -> leaf(type_but_any()).

control(Type, Env, Depth) ->
    case rand:uniform(11) of
        N when N =< 3 -> 'case'(Type, Env, Depth);
        4 -> ["if ", guard(Env, 2), " -> ", body(Type, Env, Depth), "; ",
              pick(["true", guard(Env, 1)]), " -> ", body(Type, Env, Depth), " end"];
        5 -> try_catch(Type, Env, Depth);
        6 -> call(Type, Env, Depth);
        7 -> fun_call(Type, Env, Depth);
        8 -> loop(Type, Env, Depth);
        9 -> 'receive'(Type, Env, Depth);
        10 -> ["begin ", body(Type, Env, Depth), " end"];
        11 -> pick([["element(", small_int(3), ", ", expr(tuple, Env, Depth), ")"],
                    ["hd(", expr(list, Env, Depth), ")"],
                    ["map_get(", expr(any, Env, 0), ", ", expr(map, Env, Depth), ")"],
                    ["maps:get(", leaf(atom), ", ", expr(map, Env, Depth), ", ", expr(Type, Env, Depth), ")"],
                    ["lists:foldl(fun(", "FX", n(), ", FA", n(), ") -> ", expr(int, Env, 1), " end, ",
                     expr(Type, Env, 0), ", ", expr(list, Env, Depth), ")"]])
    end.

n() -> integer_to_list(count()).

'case'(Type, Env, Depth) ->
    T = type(),
    Clauses = [clause(T, Type, Env, Depth) || _ <- lists:seq(1, rand:uniform(4))],
    Last = case chance(75) of true -> ["; _ -> ", body(Type, Env, Depth)]; false -> [] end,
    ["case ", expr(T, Env, Depth), " of\n    ", lists:join(";\n    ", Clauses), Last, " end"].

clause(T, Type, Env, Depth) ->
    {P, Env1} = pattern(T, Env, 2),
    [P, maybe_guard(Env1), " -> ", body(Type, Env1, Depth)].

try_catch(Type, Env, Depth) ->
    [C, R] = [fresh(), fresh()],
    Catch = [C, ":", R, " -> ", expr(Type, [{any, R}, {atom, C} | Env], Depth)],
    case rand:uniform(4) of
        1 -> ["try ", body(any, Env, Depth), " of\n    ", clause(any, Type, Env, Depth), "\n    catch ", Catch, " end"];
        2 -> ["try ", body(Type, Env, Depth), " catch throw:", R, " -> ", expr(Type, [{any, R} | Env], Depth), "; ",
              C, ":_ when ", C, " =/= throw -> ", expr(Type, [{atom, C} | Env], Depth), " end"];
        3 -> ["try ", pick(["throw", "error", "exit"]), "(", expr(any, Env, Depth), ") catch ", Catch, " end"];
        4 -> ["try ", body(Type, Env, Depth), " catch ", Catch, " after ", expr(any, Env, Depth), " end"]
    end.

call(Type, Env, Depth) ->
    case [K || K <- lists:seq(get(self) + 1, ?FUNCTIONS)] of
        [] -> compound(Type, Env, Depth);
        Ks ->
            K = pick(Ks),
            ["f", integer_to_list(K), "(", lists:join(", ", [expr(any, Env, Depth - 1) || _ <- lists:seq(1, arity(K))]), ")"]
    end.

fun_call(Type, Env, Depth) ->
    [F, X] = [fresh(), fresh()],
    T = type(),
    pick([["(fun(", X, ") -> ", body(Type, [{T, X} | Env], Depth), " end)(", expr(T, Env, Depth), ")"],
          ["begin ", F, " = fun(", X, ") -> ", body(Type, [{T, X} | Env], Depth), " end, ", F, "(", F, "(",
           expr(T, Env, Depth), ")) end"]]).

'receive'(Type, Env, Depth) ->
    T = type(),
    {P, Env1} = pattern(T, Env, 2),
    ["begin self() ! ", expr(T, Env, Depth), ", receive ", P, maybe_guard(Env1), " -> ", body(Type, Env1, Depth),
     " after 0 -> ", expr(Type, Env, Depth), " end end"].

compound(int, Env, Depth) ->
    I = fun() -> expr(int, Env, Depth) end,
    case rand:uniform(12) of
        N when N =< 4 -> ["(", I(), pick([" + ", " - ", " * "]), I(), ")"];
        5 -> ["(", I(), pick([" div ", " rem "]), I(), ")"];
        6 -> ["(", I(), pick([" band ", " bor ", " bxor "]), I(), ")"];
        7 -> ["(", I(), pick([" bsl ", " bsr "]), "(", I(), " band 31))"];
        8 -> pick([["bnot ", leaf(int)], ["(- ", I(), ")"], ["abs(", I(), ")"]]);
        9 -> [pick(["trunc", "round", "floor", "ceil"]), "(", expr(num, Env, Depth), ")"];
        10 -> [pick(["length", "hd"]), "(", expr(list, Env, Depth), ")"];
        11 -> pick([["byte_size(", expr(bin, Env, Depth), ")"], ["bit_size(", expr(bin, Env, Depth), ")"],
                    ["tuple_size(", expr(tuple, Env, Depth), ")"], ["map_size(", expr(map, Env, Depth), ")"]]);
        12 -> ["(", I(), " + ", pick(["1", "2", "16#7ffffffffffffff", "-1"]), ")"]
    end;
compound(float, Env, Depth) ->
    F = fun() -> expr(pick([float, float, num]), Env, Depth) end,
    case rand:uniform(6) of
        N when N =< 4 -> ["(", F(), pick([" + ", " - ", " * ", " / "]), F(), ")"];
        5 -> ["float(", expr(num, Env, Depth), ")"];
        6 -> ["abs(", F(), ")"]
    end;
compound(num, Env, Depth) -> compound(pick([int, float]), Env, Depth);
compound(atom, Env, Depth) -> ["element(1, {", leaf(atom), ", ", expr(any, Env, Depth), "})"];
compound(bool, Env, Depth) ->
    case rand:uniform(4) of
        1 -> ["(", expr(bool, Env, Depth), pick([" andalso ", " orelse ", " and ", " or "]), expr(bool, Env, Depth), ")"];
        2 -> ["(not ", expr(bool, Env, Depth), ")"];
        3 -> [test(), "(", expr(any, Env, Depth), ")"];
        4 -> T = type(), ["(", expr(T, Env, Depth), compare(), expr(T, Env, Depth), ")"]
    end;
compound(list, Env, Depth) ->
    case rand:uniform(8) of
        1 -> ["[", expr(any, Env, Depth), " | ", expr(list, Env, Depth), "]"];
        2 -> ["[", lists:join(", ", [expr(any, Env, Depth) || _ <- lists:seq(1, rand:uniform(3))]), "]"];
        3 -> ["(", expr(list, Env, Depth), pick([" ++ ", " -- "]), expr(list, Env, Depth), ")"];
        4 -> X = fresh(), In = [{any, X} | Env],
             ["[", expr(any, In, Depth), " || ", X, " <- ", expr(list, Env, Depth),
              case chance(50) of true -> [", ", guard(In, 1)]; false -> [] end, "]"];
        5 -> X = fresh(), {Segment, T} = pick([{"", int}, {":3", int}, {"/signed", int}, {":16/little", int}, {"/utf8", int},
                                               {":2/binary", bin}, {"/float", float}]),
             ["[", expr(any, [{T, X} | Env], Depth), " || <<", X, Segment, ">> <= ", expr(bin, Env, Depth), "]"];
        6 -> ["tl(", expr(list, Env, Depth), ")"];
        7 -> X = fresh(), ["lists:map(fun(", X, ") -> ", expr(any, [{any, X} | Env], Depth), " end, ", expr(list, Env, Depth), ")"];
        8 -> [pick(["lists:reverse", "lists:sort", "tuple_to_list", "maps:to_list", "maps:keys", "binary_to_list"]), "(",
              expr(pick([list, tuple, map, bin]), Env, Depth), ")"]
    end;
compound(tuple, Env, Depth) ->
    case rand:uniform(5) of
        N when N =< 3 -> ["{", lists:join(", ", [expr(any, Env, Depth) || _ <- lists:seq(1, rand:uniform(4))]), "}"];
        4 -> ["setelement(", small_int(3), ", ", expr(tuple, Env, Depth), ", ", expr(any, Env, Depth), ")"];
        5 -> ["list_to_tuple(", expr(list, Env, Depth), ")"]
    end;
compound(map, Env, Depth) ->
    case rand:uniform(5) of
        1 -> ["#{", key(Env), " => ", expr(any, Env, Depth), ", ", key(Env), " => ", expr(any, Env, Depth), "}"];
        N when N =< 3 -> ["(", expr(map, Env, Depth), ")#{", key(Env), " => ", expr(any, Env, Depth), ", ",
                          key(Env), " => ", expr(any, Env, 0), "}"];
        4 -> ["(", expr(map, Env, Depth), ")#{", key(Env), " := ", expr(any, Env, Depth), "}"];
        5 -> [pick(["maps:remove(", "maps:take("]), key(Env), ", ", expr(map, Env, Depth), ")"]
    end;
compound(bin, Env, Depth) ->
    case rand:uniform(5) of
        N when N =< 3 -> ["<<", lists:join(", ", [segment(Env, Depth) || _ <- lists:seq(1, rand:uniform(3))]), ">>"];
        4 -> X = fresh(), {Out, T} = pick([{"", int}, {":5", int}, {":16/little", int}, {"/float", float}]),
             ["<< <<(", expr(T, [{int, X} | Env], Depth), ")", Out, ">> || ", X, " <- ", expr(list, Env, Depth), " >>"];
        5 -> X = fresh(), ["<< <<", X, ":4>> || <<", X, ">> <= ", expr(bin, Env, Depth), " >>"]
    end;
compound(any, Env, Depth) -> compound(type_but_any(), Env, Depth).

key(Env) -> case chance(60) of true -> leaf(pick([atom, int])); false -> expr(any, Env, 0) end.

segment(Env, Depth) ->
    pick([["(", expr(int, Env, Depth), ")", pick(["", ":1", ":7", ":12", ":16/little", ":64", ":65/signed", ":24/native"])],
          ["(", expr(int, Env, Depth), "):(", expr(int, Env, 0), " band 63)", pick(["", "/little"])],
          ["(", expr(bin, Env, Depth), ")", pick(["/bitstring", "/bitstring", "/binary", ":1/binary"])],
          ["(", expr(num, Env, Depth), ")", pick(["/float", ":32/float", "/float-little"])],
          ["(", expr(int, Env, Depth), ")", pick(["/utf8", "/utf16", "/utf32"])]]).

%% --- patterns: {Text, Env}. A size may only name what was bound before the whole pattern, or in the same binary.
pattern(T, Env, Depth) -> put(bound, Env), pat(T, Env, Depth).
patterns(Ts, Env) -> put(bound, Env), pats(Ts, Env).

pats([], Env) -> {[], Env};
pats([T | Ts], Env) ->
    {P, Env1} = pat(T, Env, 1),
    {Ps, Env2} = pats(Ts, Env1),
    {[P | Ps], Env2}.

pat(any, Env, Depth) ->
    case chance(30) of
        true -> V = fresh(), {V, [{any, V} | Env]};
        false -> pat(type_but_any(), Env, Depth)
    end;
pat(T, Env, Depth) when Depth =< 0; T =:= int; T =:= num; T =:= float; T =:= atom; T =:= bool ->
    case rand:uniform(3) of
        1 when T =/= map, T =/= bin -> {leaf(T), Env};
        2 -> {"_", Env};
        _ -> V = fresh(), {V, [{T, V} | Env]}
    end;
pat(list, Env, Depth) ->
    case rand:uniform(3) of
        1 -> {"[]", Env};
        2 -> {[A, B], Env1} = pats2(any, list, Env, Depth), {["[", A, " | ", B, "]"], Env1};
        3 -> {[A, B], Env1} = pats2(any, any, Env, Depth), {["[", A, ", ", B, "]"], Env1}
    end;
pat(tuple, Env, Depth) ->
    case rand:uniform(3) of
        1 -> {P, Env1} = pat(any, Env, Depth - 1), {["{", P, "}"], Env1};
        2 -> {[A, B], Env1} = pats2(any, any, Env, Depth), {["{", A, ", ", B, "}"], Env1};
        3 -> {[A, B], Env1} = pats2(atom, any, Env, Depth), {["{", A, ", _, ", B, "}"], Env1}
    end;
pat(map, Env, Depth) ->
    {P, Env1} = pat(any, Env, Depth - 1),
    {["#{", leaf(pick([atom, int])), " := ", P, "}"], Env1};
pat(bin, Env, _) ->
    {Segments, Env1} = segments(rand:uniform(3), Env, get(bound)),
    V = fresh(),
    case rand:uniform(3) of
        1 -> {["<<", lists:join(", ", Segments), ">>"], Env1};
        2 -> {["<<", lists:join(", ", Segments), ", ", V, "/binary>>"], [{bin, V} | Env1]};
        3 -> {["<<", lists:join(", ", Segments), ", ", V, "/bitstring>>"], [{bin, V} | Env1]}
    end.

pats2(A, B, Env, Depth) ->
    {P, Env1} = pat(A, Env, Depth - 1),
    {Q, Env2} = pat(B, Env1, Depth - 1),
    {[P, Q], Env2}.

segments(0, Env, _) -> {[], Env};
segments(N, Env, Bound) ->
    V = fresh(),
    {S, T} = pick([{[V], int}, {[V, ":3"], int}, {[V, ":16"], int}, {[V, ":16/little-signed"], int}, {[V, ":64"], int},
                   {[V, ":61/signed"], int}, {[V, ":72"], int}, {[V, ":2/binary"], bin}, {[V, ":5/bitstring"], bin},
                   {[V, "/float"], float}, {[V, ":32/float"], float}, {[V, "/utf8"], int}, {[V, "/utf16"], int},
                   {["1"], none}, {["\"b\""], none}, {["_:4"], none}, {["0:1"], none}]
                  ++ [{[V, ":", W], int} || {int, W} <- Bound] ++ [{[V, ":", W, "/binary"], bin} || {int, W} <- Bound]),
    New = [{T, V} || T =/= none],
    {Ss, Env1} = segments(N - 1, New ++ Env, New ++ Bound),
    {[S | Ss], Env1}.

%% --- guards
maybe_guard(Env) ->
    case chance(35) of true -> [" when ", guard(Env, 2)]; false -> [] end.

guard(Env, Depth) ->
    case rand:uniform(5) of
        1 when Depth > 0 -> ["(", guard(Env, Depth - 1), pick([" andalso ", " orelse ", " and ", " or "]), guard(Env, Depth - 1), ")"];
        2 -> ["is_", pick(["map_key(a, ", "map_key(1, "]), guard_value(any, Env), ")"];
        3 -> [test(), "(", guard_value(any, Env), ")"];
        _ -> T = pick([int, num, any, float]), ["(", guard_value(T, Env), compare(), guard_value(T, Env), ")"]
    end.

guard_value(T, Env) ->
    case {variables(T, Env), rand:uniform(5)} of
        {[_ | _] = Vs, 1} -> [pick(["element(1, ", "hd(", "length(", "byte_size(", "map_size(", "abs(", "tuple_size(", "- ("]), pick(Vs), ")"];
        {[_ | _] = Vs, 2} -> ["(", pick(Vs), pick([" + ", " - ", " * ", " band ", " div ", " bsr "]), pick(Vs ++ ["1", "3"]), ")"];
        {[_ | _] = Vs, N} when N < 5 -> pick(Vs);
        _ -> leaf(T)
    end.

test() -> pick(["is_integer", "is_float", "is_number", "is_atom", "is_list", "is_tuple", "is_map", "is_binary", "is_bitstring", "is_boolean", "is_function", "is_pid"]).
compare() -> pick([" < ", " > ", " =< ", " >= ", " == ", " /= ", " =:= ", " =/= "]).

%% --- small things
small_int(N) -> integer_to_list(rand:uniform(N)).
chance(Percent) -> rand:uniform(100) =< Percent.
pick(List) -> lists:nth(rand:uniform(length(List)), List).
count() -> N = get(names), put(names, N + 1), N.
fresh() -> "V" ++ integer_to_list(count()).
