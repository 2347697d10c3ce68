%% A compiler in small: scans, parses, folds constants, generates code and runs it.
-module(tiny_compiler).
-export([run/0]).

run() -> lists:sum([compile_and_run(source(N), N) || N <- lists:seq(1, 4000)]).

source(N) ->
    "let a = " ++ integer_to_list(N) ++ " * (3 + 4) in let b = a - (2 * 5 - 1) * x in "
    "let c = (a + b) * (a - b) + (1 + 2 + 3) * 4 in c + a * b - (x + 1) * (x + 2)".

compile_and_run(Source, X) ->
    {Ast, []} = expression(scan(Source)),
    Code = lists:reverse(generate(fold(Ast), #{"x" => 0}, [])),
    execute(Code, [], #{0 => X}).

scan([]) -> [];
scan([C | R]) when C =:= $\s; C =:= $\n -> scan(R);
scan([C | _] = S) when C >= $0, C =< $9 -> {N, R} = digits(S, 0), [{int, N} | scan(R)];
scan([C | _] = S) when C >= $a, C =< $z ->
    {Word, R} = lists:splitwith(fun(L) -> L >= $a andalso L =< $z end, S),
    case Word of
        "let" -> ['let' | scan(R)];
        "in" -> [in | scan(R)];
        _ -> [{var, Word} | scan(R)]
    end;
scan([C | R]) -> [list_to_atom([C]) | scan(R)].

digits([C | R], N) when C >= $0, C =< $9 -> digits(R, N * 10 + C - $0);
digits(R, N) -> {N, R}.

expression(['let', {var, V}, '=' | R]) ->
    {Value, [in | R1]} = expression(R),
    {Body, R2} = expression(R1),
    {{'let', V, Value, Body}, R2};
expression(R) ->
    {T, R1} = term(R),
    sum(T, R1).

sum(L, [Op | R]) when Op =:= '+'; Op =:= '-' -> {T, R1} = term(R), sum({Op, L, T}, R1);
sum(L, R) -> {L, R}.

term(R) -> {F, R1} = factor(R), product(F, R1).

product(L, ['*' | R]) -> {F, R1} = factor(R), product({'*', L, F}, R1);
product(L, R) -> {L, R}.

factor([{int, _} = I | R]) -> {I, R};
factor([{var, _} = V | R]) -> {V, R};
factor(['(' | R]) -> {E, [')' | R1]} = expression(R), {E, R1}.

fold({'let', V, E, Body}) -> {'let', V, fold(E), fold(Body)};
fold({Op, L, R}) ->
    case {fold(L), fold(R)} of
        {{int, A}, {int, B}} -> {int, apply_op(Op, A, B)};
        {L1, R1} -> {Op, L1, R1}
    end;
fold(Leaf) -> Leaf.

apply_op('+', A, B) -> A + B;
apply_op('-', A, B) -> A - B;
apply_op('*', A, B) -> A * B.

generate({int, N}, _, Code) -> [{push, N} | Code];
generate({var, V}, Env, Code) -> [{load, maps:get(V, Env)} | Code];
generate({'let', V, E, Body}, Env, Code) ->
    Slot = map_size(Env),
    generate(Body, Env#{V => Slot}, [{store, Slot} | generate(E, Env, Code)]);
generate({Op, L, R}, Env, Code) -> [Op | generate(R, Env, generate(L, Env, Code))].

execute([], [Result], _) -> Result;
execute([{push, N} | Code], Stack, Slots) -> execute(Code, [N | Stack], Slots);
execute([{load, S} | Code], Stack, Slots) -> execute(Code, [maps:get(S, Slots) | Stack], Slots);
execute([{store, S} | Code], [V | Stack], Slots) -> execute(Code, Stack, Slots#{S => V});
execute([Op | Code], [B, A | Stack], Slots) -> execute(Code, [apply_op(Op, A, B) | Stack], Slots).
