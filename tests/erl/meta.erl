%% OTP's own front end on our machine: scan, parse, evaluate, compile, load and run.
-module(meta).
-export([main/1]).
-compile(no_copt).
-include("show.hrl").
%% skip gc-stress: runs the whole compiler

main(_Args) ->
    ?S(eval("1 + 2 * 3.")), ?S(eval("lists:map(fun(X) -> X * X end, [1, 2, 3]).")), ?S(eval("F = fun F(0) -> 1; F(N) -> N * F(N - 1) end, F(20).")), ?S(eval("case {a, 1} of {a, X} when X > 0 -> X; _ -> no end.")), ?S(eval("try error(x) catch error:R -> {caught, R} end.")), ?S(eval("<< <<X>> || X <- [1, 2] >>.")), ?S(eval("#{a => 1}.")), ?S(eval("1 / 0.")), ?S(eval("undefined_var_X.")), ?S(eval("X.")),
    ?S(erl_scan:string("foo(X) -> X + 1.5e3, \"str\", 'A b', $c, 16#ff.")), ?S(erl_scan:string("'unterminated")), ?S(erl_parse:parse_exprs(element(2, erl_scan:string("a b.")))), ?S(io_lib:format("~s", [erl_pp:form({function, 1, f, 1, [{clause, 1, [{var, 1, 'X'}], [], [{op, 1, '+', {var, 1, 'X'}, {integer, 1, 1}}]}]})])),
    ?S(compiled(["-module(made).", "-export([f/1, g/0]).", "f(X) -> [Y || Y <- X, Y > 1].", "g() -> maps:fold(fun(K, V, A) -> {K, V, A} end, [], #{a => 1})."])), ?S(made:f([1, 2, 3])), ?S(made:g()), ?S(erl_lint_error()), ?S(beam_lib:version(element(3, compile_forms(["-module(v).", "-vsn(7)."])))), ?S(io_lib:fread("~d-~s", "12-ab")), ?S(erl_anno:line(erl_anno:new(5))).

eval(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Exprs} = erl_parse:parse_exprs(Tokens),
    {value, V, _} = erl_eval:exprs(Exprs, []),
    V.

forms(Lines) -> [begin {ok, T, _} = erl_scan:string(L), {ok, F} = erl_parse:parse_form(T), F end || L <- Lines].
compile_forms(Lines) -> compile:forms(forms(Lines), [binary]).
compiled(Lines) -> {ok, M, B} = compile_forms(Lines), erlang:load_module(M, B).

erl_lint_error() -> compile:forms(forms(["-module(bad).", "f() -> X."]), [return]).
