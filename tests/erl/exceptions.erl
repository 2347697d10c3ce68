%% Classes, reasons and stack traces: what was raised, where, and which frames are seen.
-ifndef(OLD_COMPILER).
-module(exceptions).
-endif.
-export([main/1, deep/1, function_clause/2]).
-include("show.hrl").
-record(r, {a}).

main(_Args) ->
    ?S(begin X0 = (id(2))(1), {X0} end), ?S(begin X1 = (id(fun(_, _) -> ok end))(1), {X1} end), ?S(+id(a)), ?S(id(a) - 0), ?S(<<1>> - 0), ?S(-0.0 - 0), ?S(id(-0.0) - 0), ?S(apply(lists, id(sort), lists:seq(1, 300))),
    ?S(<<(id(1.0)):12/float>>), ?S(erts_debug:map_info(id(1))),
    ?S(error(boom)), ?S(error(boom, [arg1, arg2])), ?S(throw(ball)), ?S(exit(bye)), ?S(erlang:error(e, none)), ?S(erlang:raise(error, custom, [])),
    ?S(erlang:raise(throw, t, [{m, f, [a], []}, {m, g, 1, [{file, "x"}, {line, 3}]}])), ?S(erlang:raise(bad, r, [])), ?S(erlang:raise(error, r, not_a_list)),
    ?S(deep(5)), ?S(tail_position(5)), ?S(body(id(5))), ?S(function_clause(1, x)), ?S(function_clause(a, [b])), ?S(local_clause(id(7))),
    ?S(case id(1) of 2 -> x end), ?S(if_clause(id(3))), ?S(begin {a, _} = id({b, 1}), ok end), ?S(try_clause(id(z))), ?S((id(#r{a = 1}))#r.a), ?S((id({s, 1}))#r.a),
    ?S(fun_clause()), ?S((id(fun(X) -> X end))(1, 2)), ?S((id(atom))(1)), ?S(lists:map(fun(X) -> 1 / X end, [1, 0])), ?S(lists:nth(5, [1])),
    ?S(maps:get(k, #{})), ?S(maps:fold(fun(_, _, _) -> error(inner) end, 0, #{a => 1})), ?S(gen_server:call(nobody_here, hello)), ?S(binary_to_term(<<"junk">>)),
    ?S(nomodule:nofunction(1, 2)), ?S(lists:no_such(3)), ?S(?MODULE:hidden()), ?S(element(7, id({}))), ?S(list_to_atom(id([a]))), ?S(atom_to_list(id(1))),
    ?S(hd(id([]))), ?S(length(id([a | b]))), ?S(id(1) + id(a)), ?S(binary_to_list(id(x))), ?S(spawn(id(1))), ?S(register(id(1), self())), ?S(self() ! id(x)), ?S(no_such_name ! x),
    ?S(process_flag(trap_exit, perhaps)), ?S(tuple_to_list(id([]))), ?S(id(1) =:= 1 orelse error(x)), ?S(begin {'EXIT', {boom, S}} = (catch error(boom)), lists:flatten(show:stack(S)) end),
    ?S(catch throw(t)), ?S(catch exit(e)), ?S(begin {'EXIT', {badarith, [{M, F, _, I} | _]}} = (catch 1 + id(a)), {M, F, is_list(I)} end),
    ?S(rethrow(error, again)), ?S(rethrow(throw, again)), ?S(reraise_in_fun()), ?S(after_raise()), ?S(stack_of_nested()), ?S(mutual(3)), ?S(error_info(fun() -> element(3, id({a})) end)), ?S(error_info(fun() -> error(x, [y], [{error_info, #{cause => c}}]) end)),
    ?S(depth()), ?S(long_args()), ?S(change_class()).

deep(0) -> error(bottom);
deep(N) -> 1 + deep(N - 1).

tail_position(0) -> error(bottom);
tail_position(N) -> tail_position(N - 1).

body(N) ->
    A = helper_a(N),
    B = helper_b(A),
    A + B.

helper_a(X) -> X * 2.
helper_b(X) -> X + id(atom).

function_clause(X, Y) when X > Y, is_atom(Y) -> X;
function_clause(1, 2) -> one_two.

local_clause(1) -> one;
local_clause(2) -> two.

if_clause(X) -> if X > 5 -> big; X < 0 -> small end.

try_clause(X) -> try X of a -> 1; b -> 2 catch throw:_ -> 3 end.

fun_clause() -> (id(fun(a, b) -> c end))(1, [2]).

rethrow(Class, Reason) ->
    try erlang:Class(Reason)
    catch C:R:S -> erlang:raise(C, {wrapped, R}, S)
    end.

reraise_in_fun() ->
    F = fun(G) -> try G() catch error:R:S -> erlang:raise(exit, {was_error, R}, S) end end,
    F(fun() -> deep(1) end).

after_raise() ->
    try error(first) after put(cleaned, yes) end.

stack_of_nested() ->
    try
        try deep(2) catch error:bottom -> throw({inner, get(cleaned)}) end
    catch throw:T:S -> {T, lists:flatten(show:stack(S))}
    end.

mutual(N) -> 1 + mutual_b(N).
mutual_b(0) -> exit(done);
mutual_b(N) -> [mutual(N - 1)].

error_info(F) ->
    try F() catch error:_:S -> proplists:get_value(error_info, element(4, hd(S))) end.

depth() ->
    Old = erlang:system_flag(backtrace_depth, 3),
    R = try deep(20) catch _:_:S -> length(S) end,
    erlang:system_flag(backtrace_depth, Old),
    {Old, R, try deep(20) catch _:_:S2 -> length(S2) end, [depths(D) || D <- [0, 1, 2, 6, 9]]}.

depths(D) ->
    Old = erlang:system_flag(backtrace_depth, D),
    Given = [{m, f, N, []} || N <- lists:seq(1, 12)],
    Raised = try erlang:raise(error, given, Given) catch _:_:S1 -> length(S1) end,
    Failed = try deep(20) catch _:_:S2 -> length(S2) end,
    InBif = try element(3, id({})) catch _:_:S3 -> min(2, length(S3)) end,
    {_, Now} = process_info(self(), current_stacktrace),
    erlang:system_flag(backtrace_depth, Old),
    {Raised, Failed, InBif, min(2, length(Now))}.

%% The new class stays, also where the exception is passed on.
change_class() ->
    try
        try
            try throw(ball) catch throw:R:S -> erlang:raise(error, R, S) end
        after
            id(done)
        end
    catch Class:What -> {Class, What}
    end.

long_args() -> try function_clause(lists:seq(1, 20), #{}) catch error:function_clause:S -> element(3, hd(S)) end.
