%% apply in every shape: module and function known or not, any arity, BIFs, missing functions.
-module(apply_calls).
-export([main/1, f/0, f/1, f/2, f/3, f/12, loop/2, '$handle_undefined_function'/2]).
-include("show.hrl").

main(_Args) ->
    ?S(apply(?MODULE, f, [])), ?S(apply(?MODULE, id(f), [1])), ?S(apply(id(?MODULE), f, [1, 2])), ?S(apply(id(?MODULE), id(f), id([1, 2, 3]))),
    ?S(apply(?MODULE, f, lists:seq(1, 12))), ?S((id(?MODULE)):f()), ?S((id(?MODULE)):f(1)), ?S(?MODULE:(id(f))(1, 2)), ?S((id(?MODULE)):(id(f))(1, 2, 3)),
    ?S((id(lists)):reverse([1, 2])), ?S((id(erlang)):(id('+'))(1, 2)), ?S((id(erlang)):(id(element))(1, {a})), ?S(apply(erlang, abs, [-1])), ?S(apply(erlang, id(abs), [x])),
    ?S((id(lists)):nosuch(1)), ?S((id(nomodule)):f(1)), ?S(nomodule:f(1, 2)), ?S(apply(lists, reverse, id([1 | 2]))), ?S(apply(lists, reverse, id(x))), ?S(apply(id("x"), f, [])),
    ?S(apply(lists, id(1), [])), ?S((id({tuple, module})):f()), ?S(?MODULE:undefined_here(1, 2)), ?S((id(?MODULE)):(id(something))()), ?S(apply(erlang, apply, [lists, reverse, [[1, 2]]])),
    ?S(apply(erlang, apply, [fun(X) -> X end, [5]])), ?S(erlang:apply(fun erlang:apply/2, [fun() -> deep end, []])), ?S(?MODULE:loop(100000, 0)), ?S(loop_dynamic(?MODULE, loop, 100000)),
    ?S(apply(fun lists:sum/1, [[1, 2, 3]])), ?S([M:F(A) || {M, F, A} <- [{lists, sum, [1, 2]}, {erlang, length, [1]}, {math, sqrt, 4}]]), ?S(erlang:hibernate_not_a_function(1)),
    ?S(spawned()), ?S(apply(erlang, spawn, [fun() -> ok end]) =/= self()), ?S(length(apply(erlang, processes, [])) > 0), ?S(erlang:function_exported(?MODULE, f, 12)), ?S(erlang:function_exported(?MODULE, f, 11)),
    ?S(erlang:function_exported(lists, reverse, 2)), ?S(erlang:function_exported(a, b, 2)), ?S(module_info_test()), ?S(erlang:is_builtin(erlang, abs, 1)), ?S(erlang:is_builtin(lists, map, 2)),
    [?S({N, raised(N)}) || N <- lists:seq(1, 11)].

f() -> zero.
f(A) -> {one, A}.
f(A, B) -> {two, A, B}.
f(A, B, C) -> {three, A, B, C}.
f(A, B, C, D, E, F, G, H, I, J, K, L) -> [A, B, C, D, E, F, G, H, I, J, K, L].

loop(0, Acc) -> Acc;
loop(N, Acc) -> ?MODULE:loop(N - 1, Acc + 1).

loop_dynamic(M, F, N) -> M:F(N, 0).

'$handle_undefined_function'(F, Args) -> {caught, F, Args}.

spawned() ->
    Self = self(),
    Pid = spawn(erlang, send, [Self, from_spawned_bif]),
    receive from_spawned_bif -> is_pid(Pid) end.

%% A function that ends by applying a BIF that raises shows in the trace; one that applies another does not.
raised(N) ->
    try raise(N), none catch C:R:S -> {C, R, [{F, A} || {apply_calls, F, A, _} <- lists:sublist(S, 3)]} end.
raise(1) -> apply(erlang, error, id([one]));
raise(2) -> apply(erlang, error, id([two, []]));
raise(3) -> apply(erlang, exit, id([three]));
raise(4) -> apply(erlang, throw, id([four]));
raise(5) -> (id(erlang)):(id(error))(id(five));
raise(6) -> apply(id(fun erlang:error/1), id([six]));
raise(7) -> apply(erlang, atom_to_list, id([7]));
raise(8) -> X = apply(erlang, error, id([eight])), {X};
raise(9) -> apply(id(erlang), id(apply), [id(erlang), id(error), id([nine])]);
raise(10) -> apply(id(erlang), id(apply), [id(erlang), id(apply), [id(erlang), id(throw), id([ten])]]);
raise(11) -> X = apply(id(erlang), id(apply), [id(erlang), id(error), id([eleven])]), {X}.

module_info_test() ->
    {lists:sort([F || {F, _} <- ?MODULE:module_info(exports)]), ?MODULE:module_info(module), is_list(?MODULE:module_info(attributes)), length(?MODULE:module_info())}.
