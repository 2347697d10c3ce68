%% A fun whose code is gone: of a module that is loaded without it, and of one that is not there at all.
-module(funs_of_lost_code).
-export([main/1]).

main(_) ->
    F = version("one", 1),
    true = code:delete(lost), G = version("another", 2), code:purge(lost),
    io:format("~p~n~p~n~p~n", [called(F), G(), in_place(F)]),
    code:delete(lost), code:purge(lost),
    io:format("~p~n~p~n", [called(F), called(G)]).

called(F) ->
    try F() catch C:{badfun, X}:_ -> {C, badfun, X =:= F}; C:R:_ -> {C, R} end.

in_place(F) ->
    try [F() | tail] catch C:{badfun, X}:_ -> {C, badfun, X =:= F}; C:R:_ -> {C, R} end.

version(Result, N) ->
    Forms = [parsed(T) || T <- ["-module(lost).", "-export([new/1]).",
        "new(N) -> fun() -> {\"" ++ Result ++ "\", N, " ++ integer_to_list(N) ++ "} end."]],
    {ok, lost, Code} = compile:forms(Forms, []),
    {module, lost} = code:load_binary(lost, "lost.beam", Code),
    lost:new(x).

parsed(Text) -> {ok, Tokens, _} = erl_scan:string(Text), {ok, Form} = erl_parse:parse_form(Tokens), Form.
