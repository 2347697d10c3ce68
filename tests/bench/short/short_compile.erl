%% What erlc does with one module: its own generator of text, scanned, parsed and compiled by OTP's compiler.
-module(short_compile).
-export([run/0]).

run() ->
    Forms = forms(source(60)),
    {ok, made, Beam} = compile:forms(Forms, [binary, deterministic, no_spawn_compiler_process]),
    {module, made} = code:load_binary(made, "made.beam", Beam),
    made:f1(10).

forms(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    forms(Tokens, []).

forms([], Done) -> lists:reverse(Done);
forms(Tokens, Done) ->
    {Form, [Dot | Rest]} = lists:splitwith(fun(T) -> element(1, T) =/= dot end, Tokens),
    {ok, F} = erl_parse:parse_form(Form ++ [Dot]),
    forms(Rest, [F | Done]).

%% Functions that match, build, call each other and catch.
source(N) ->
    lists:flatten(["-module(made).\n-compile(export_all).\n" | [function(K, N) || K <- lists:seq(1, N)]]).

function(K, N) ->
    io_lib:format(
      "f~b(0) -> {ok, ~b};\n"
      "f~b([H | T] = L) when is_atom(H); length(L) > ~b -> case T of [] -> H; [X | _] -> {X, f~b(T)} end;\n"
      "f~b(X) when is_integer(X), X > 0 ->\n"
      "    Y = X - 1, Z = try f~b(Y) catch error:R -> {R, Y} end,\n"
      "    #{key => Z, ~b => [A || {ok, A} <- [Z]], b => <<Y:16, \"text\">>};\n"
      "f~b(#{key := V} = M) -> M#{key := fun(W) -> {V, W} end}.\n",
      [K, K, K, K, K, K, K rem N + 1, K, K]).
