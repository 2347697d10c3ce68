%% What the compilers of OTP 26 and later have instructions of their own for: records with some fields new, and what
%% stands beside them in usual code.
-module(record_updates).
-export([main/1]).
-import(show, [id/1]).
%% Without text: releases differ in what bytes they print as letters.
-define(S(E), io:format("~s = ~w~n", [??E, fun() -> E end()])).
-record(point, {x = 0, y = 0, z = 0, name = none, tags = [], weight = 1.5}).
-record(one, {value}).

main(_Args) ->
    P = id(#point{x = 1, name = origin}),
    ?S(P), ?S(P#point{y = 2}), ?S(P#point{x = P#point.x + 1, z = P}), ?S(same(P, P#point{x = 1})), ?S(P#point{x = 7, y = 8, z = 9, name = a, tags = [b], weight = c}),
    ?S((id(#one{}))#one{value = P}), ?S(moved(P, 3)), ?S(moved(P#point{weight = 0.5}, 3)),
    ?S([try bump(T) catch error:R -> R end || T <- [P, #one{value = 1}, point, {point, 1}, {point}, {}, [], 1.0, #{}]]),
    ?S(lists:foldl(fun(I, Q) -> Q#point{tags = [I | Q#point.tags], y = I * Q#point.weight} end, P, lists:seq(1, 20))),
    ?S(kept(P, first, second)), ?S(nested(P, 4)), ?S(many(#one{value = 0}, 1000)),
    ?S(built(1, 2.5, <<"abc">>, 5)), ?S(built(-1, -0.25, <<1:3>>, 12)), ?S([try built(A, B, C, D) catch error:E -> E end || {A, B, C, D} <- [{a, 1.0, <<>>, 1}, {1, x, <<>>, 1}, {1, 1.0, y, 1}, {1, 1.0, <<>>, -1}]]),
    ?S(<< <<X:4, Y:12/little>> || <<X:8, Y:8>> <= <<1, 2, 3, 4, 5>> >>), ?S([X || <<X:3>> <= <<16#F0F0:16>>, X > 1]),
    ?S(maps_of(#{a => 1, b => #{c => P}}, a)), ?S(maps_of(#{}, a)), ?S(maps_of(#{1 => 2}, 1)),
    ?S([try caught(C) catch K:V -> {K, V} end || C <- [ok, throw, exit, error, badmatch, case_clause, 'if', after_it]]),
    ?S(answers(self())), ?S(lists:sort([select(V) || V <- [1, 2, 3, a, b, {}, {1}, {1, 2}, "s", 1.0, -1, 1 bsl 70]])).

same(A, B) -> A =:= B.
moved(#point{x = X, weight = W} = P, D) when W > 1 -> P#point{x = X + D, y = X * D};
moved(#point{} = P, D) -> P#point{z = D}.
bump(P) -> P#point{x = 10}.
kept(P, A, B) -> Q = P#point{name = A}, R = Q#point{tags = [B]}, {P, Q, R}.
nested(P, 0) -> P;
nested(P, N) -> P#point{z = nested(P#point{x = N}, N - 1)}.
many(O, 0) -> O;
many(#one{value = V} = O, N) -> many(O#one{value = V + N}, N - 1).

built(A, B, C, D) -> <<A:16/signed, B/float, D, C/bits, A:D/little, "text", D/utf8, (bit_size(C)):7, B:32/float-little>>.

maps_of(M, K) ->
    case M of
        #{K := V, b := #{c := #point{name = N}}} -> {V, N, pairs(M#{K := V + 1})};
        #{K := V} when is_map_key(V, M); map_size(M) =:= 1 -> {V, pairs(M#{new => K, K => x})};
        _ -> M#{K => M}
    end.
pairs(M) -> lists:sort(maps:to_list(M)).

caught(C) ->
    try
        case C of
            ok -> fine;
            throw -> throw({thrown, C});
            exit -> exit(C);
            error -> error(C);
            badmatch -> {a, _} = id(C);
            'if' -> if C =:= x -> y end;
            after_it -> after_it
        end
    of
        fine -> good;
        Other -> {other, Other}
    catch
        throw:{thrown, T} -> {caught, T};
        error:{badmatch, B} -> {badmatch, B}
    after
        put(last, C)
    end.

answers(Me) ->
    Ref = make_ref(),
    Child = spawn(fun() -> receive {From, R} -> From ! {R, yes} end end),
    Me ! noise,
    Child ! {Me, Ref},
    Answer = receive {Ref, A} -> A after 5000 -> nothing end,
    receive Noise -> {Answer, Noise} end.

select(V) ->
    case V of 1 -> one; 2 -> two; 3 -> three; a -> la; b -> lb; {} -> zero; {_} -> single; {_, _} -> pair; [_ | _] -> list; X when is_float(X) -> float; X when X < 0 -> minus; _ -> large end.
