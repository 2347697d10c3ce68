%% An interpreter for a small stack machine: select by atom, tuples as instructions.
-module(bytecode_interp).
-export([run/0]).

run() -> execute(program(), 0, [], #{n => 150_000, sum => 0}).

program() ->
    list_to_tuple([{load, n}, {jump_if_zero, 14},
                   {load, sum}, {load, n}, {push, 3}, rem_, add, {store, sum},
                   {load, n}, {push, 1}, sub, {store, n}, {jump, 0}, halt, {load, sum}, halt]).

execute(Code, Pc, Stack, Vars) ->
    case element(Pc + 1, Code) of
        {push, N} -> execute(Code, Pc + 1, [N | Stack], Vars);
        {load, V} -> execute(Code, Pc + 1, [map_get(V, Vars) | Stack], Vars);
        {store, V} -> execute(Code, Pc + 1, tl(Stack), Vars#{V := hd(Stack)});
        {jump, To} -> execute(Code, To, Stack, Vars);
        {jump_if_zero, To} ->
            case Stack of
                [0 | S] -> execute(Code, To, S, Vars);
                [_ | S] -> execute(Code, Pc + 1, S, Vars)
            end;
        add -> [A, B | S] = Stack, execute(Code, Pc + 1, [B + A | S], Vars);
        sub -> [A, B | S] = Stack, execute(Code, Pc + 1, [B - A | S], Vars);
        rem_ -> [A, B | S] = Stack, execute(Code, Pc + 1, [B rem A | S], Vars);
        halt -> {hd(Stack), map_size(Vars)}
    end.
