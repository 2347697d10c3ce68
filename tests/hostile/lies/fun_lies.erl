%% Funs from outside that claim another arity or other free variables than their code takes.
-module(fun_lies).
-export([main/1]).

main(_) ->
    A = [1, 2, 3], B = {x, y},
    Honest = term_to_binary(fun(X, Y) -> {X, Y, A, B} end),
    Lies = [changed(Honest, Arity, Free) || Arity <- lists:seq(0, 5), Free <- lists:seq(0, 6)],
    [called(binary_to_term(L), N) || L <- Lies, N <- lists:seq(0, 5)],
    {1, 2, A, B} = (binary_to_term(Honest))(1, 2),
    ok.

%% NEW_FUN_EXT: 131 112 Size Arity Uniq Index NumFree Module OldIndex OldUniq Pid Free...
changed(<<131, 112, Size:32, _, Uniq:16/binary, Index:32, _:32, Rest/binary>>, Arity, Free) ->
    <<131, 112, Size:32, Arity, Uniq/binary, Index:32, Free:32, Rest/binary,
      (binary:copy(<<97, 7>>, 6))/binary>>.

called(Fun, N) ->
    try apply(Fun, lists:seq(1, N)) of
        Result -> term_to_binary(Result)
    catch
        error:{badarity, _} -> ok;
        error:{badfun, _} -> ok
    end.
