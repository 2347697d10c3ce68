%% Funs: environments, captured by nesting, sent, compared, applied with wrong arity; fun_info.
-ifndef(OLD_COMPILER).
-module(funs).
-endif.
-export([main/1, exported/2, twice/1, undefined_lambda/3]).
-include("show.hrl").

main(_Args) ->
    Add = adder(id(10)),
    ?S(Add(5)), ?S((adder(1))(2)), ?S(Add(1, 2)), ?S((id(not_a_fun))(1)), ?S((id(fun exported/2))(1, 2)), ?S((id(fun ?MODULE:exported/2))(1, 2)),
    ?S((id(fun ?MODULE:exported/3))(1, 2, 3)), ?S((id(fun nowhere:f/0))()), ?S((id(fun erlang:abs/1))(-5)), ?S((id(fun lists:nth/2))(2, [a, b])),
    ?S(many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)), ?S(nested(1)), ?S(recursive(20)), ?S((compose([fun(X) -> X + 1 end, fun(X) -> X * 2 end, Add]))(3)),
    ?S(lists:map(fun ?MODULE:twice/1, [1, 2])), ?S(lists:foldl(fun(X, A) -> [X * Y || Y <- A] end, [1, 2], [3, 4])),
    ?S(erlang:fun_info(Add, arity)), ?S(erlang:fun_info(Add, module)), ?S(erlang:fun_info(Add, env)), ?S(erlang:fun_info(Add, type)), ?S(erlang:fun_info(Add, name)),
    ?S(erlang:fun_info(fun lists:map/2)), ?S(erlang:fun_info(fun lists:map/2, env)), ?S(erlang:fun_info(Add, foo)), ?S(erlang:fun_info(x, arity)), ?S([K || {K, _} <- erlang:fun_info(Add)]),
    ?S(is_function(Add)), ?S(is_function(Add, 1)), ?S(is_function(Add, 2)), ?S(Add =:= adder(10)), ?S(Add =:= adder(11)), ?S(Add == id(Add)),
    ?S(sent(Add)), ?S(fun_key()), ?S(guarded(fun() -> x end)), ?S(io_lib:format("~w", [fun lists:map/2])), ?S(erlang:fun_to_list(fun lists:map/2)), ?S(string:prefix(erlang:fun_to_list(Add), "#Fun<" ++ atom_to_list(?MODULE) ++ ".")  =/= nomatch),
    ?S(clauses([{a, 1}, {b, 2}, 3, "x"])), ?S(catch (fun({a, X}) -> X end)(b)), ?S(named(10)), ?S(y_combinator(6)), ?S(erlang:make_fun(lists, reverse, 1) =:= fun lists:reverse/1),
    ?S((erlang:make_fun(lists, reverse, 1))([1, 2])), ?S(erlang:make_fun(a, b, -1)), ?S(apply(Add, [7])), ?S(apply(Add, [])), ?S(apply(Add, [1 | 2])), ?S(apply(x, [])), ?S(erlang:phash2(fun lists:map/2)), 
    ?S(binary_to_term(term_to_binary(fun lists:map/2))), ?S((binary_to_term(term_to_binary(Add)))(4)), ?S(binary_to_term(term_to_binary(Add)) =:= Add), ?S(counter()), ?S(no_code()).

adder(N) -> fun(X) -> X + N end.

exported(A, B) -> {A, B}.
twice(X) -> X * 2.

many(A, B, C, D, E, F, G, H, I, J) ->
    Fun = fun(X) -> fun(Y) -> [A, B, C, D, E, F, G, H, I, J, X, Y] end end,
    (Fun(x))(y).

nested(A) ->
    F = fun(B) -> G = fun(C) -> H = fun(D) -> {A, B, C, D} end, H(B + C) end, G(A + B) end,
    F(2).

recursive(N) ->
    Fib = fun Fib(0) -> 0; Fib(1) -> 1; Fib(K) -> Fib(K - 1) + Fib(K - 2) end,
    Fib(N).

compose(Fs) -> fun(X) -> lists:foldl(fun(F, Acc) -> F(Acc) end, X, Fs) end.

sent(F) ->
    Self = self(),
    spawn(fun() -> receive {G, From} -> From ! {result, G(100)} end end) ! {F, Self},
    receive {result, R} -> R end.

fun_key() ->
    F = adder(3),
    M = #{F => found, fun lists:map/2 => export},
    {maps:get(adder(3), M), maps:get(fun lists:map/2, M), maps:get(adder(4), M, none)}.

guarded(F) when is_function(F, 0) -> F();
guarded(_) -> no.

clauses(L) ->
    F = fun({a, X}) -> {first, X}; ({b, X}) when X > 1 -> {second, X}; (X) when is_integer(X) -> int; (_) -> other end,
    lists:map(F, L).

named(N) -> (fun Loop(0, Acc) -> Acc; Loop(K, Acc) -> Loop(K - 1, Acc + K) end)(N, 0).

y_combinator(N) ->
    Y = fun(F) -> (fun(X) -> F(fun(A) -> (X(X))(A) end) end)(fun(X) -> F(fun(A) -> (X(X))(A) end) end) end,
    (Y(fun(Self) -> fun(0) -> 1; (K) -> K * Self(K - 1) end end))(N).

counter() ->
    Next = fun Next(N) -> {N, fun() -> Next(N + 1) end} end,
    {A, F} = Next(1), {B, G} = F(), {C, _} = G(),
    {A, B, C}.

%% A fun of a module that does not exist: the error handler is asked.
no_code() ->
    F = binary_to_term(<<131,112,0,0,0,84,3,109,96,69,208,5,175,207,75,36,93,112,218,232,222,22,251,0,0,0,0,0,0,0,1,100,0,11,"foobarblurf",97,0,98,5,
          244,197,144,103,100,0,13,"nonode@nohost",0,0,0,46,0,0,0,0,0,104,3,97,1,97,2,97,3>>),
    A = show:quiet(fun() -> F(1, 2, 3) end), B = show:quiet(fun() -> apply(F, [1, 2, 3]) end), C = show:quiet(fun() -> F(1) end),
    T = try id(F(1, 2, 3)) catch error:undef:Stack -> {F, Args, []} = hd(Stack), Args end,
    process_flag(error_handler, ?MODULE),
    D = [F(1, 2, 3), F(4, 5, 6)],
    process_flag(error_handler, error_handler),
    {A, B, C, T, D}.
undefined_lambda(Module, F, Args) when is_function(F) -> {Module, Args}.
