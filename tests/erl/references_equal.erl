%% References of every kind are equal to themselves alone, however they are compared and wherever they have been.
-module(references_equal).
-export([main/1]).

main(_) ->
    Me = self(),
    P = spawn_link(fun Echo() -> receive {From, T} -> From ! {self(), T}, Echo() end end),
    Refs = [make_ref(), make_ref(), alias(), alias([reply]), monitor(process, P), monitor(process, P, [{alias, explicit_unalias}]),
            ets:new(t, []), atomics:new(1, []), element(2, counters:new(1, [])), erlang:start_timer(100_000, Me, x),
            binary_to_term(<<131, 90, 3:16, 119, 3, "a@b", 1:32, 1:32, 2:32, 3:32>>),
            binary_to_term(<<131, 90, 5:16, 119, 3, "a@b", 1:32, 1:32, 2:32, 3:32, 4:32, 5:32>>),
            binary_to_term(<<131, 90, 3:16, 119, 3, "a@b", 2:32, 1:32, 2:32, 3:32>>)],
    Copies = [begin P ! {Me, R}, receive {P, C} -> C end end || R <- Refs],
    Again = [binary_to_term(term_to_binary(R)) || R <- Refs],
    [io:format("~p~n", [{W, [[F(A, B) || B <- Bs] || A <- Refs]}])
     || Bs <- [Refs, Copies, Again], {W, F} <- [{exact, fun exact/2}, {equal, fun equal/2}, {matched, fun matched/2}, {key, fun key/2}, {in_tuple, fun in_tuple/2}]],
    io:format("~p~n", [[sign(A, B) + sign(B, A) || A <- Refs, B <- Copies]]),
    io:format("~p~n", [lists:sort(Refs) =:= lists:sort(Copies)]),
    [true = is_reference(R) || R <- Refs],
    [Me ! {R, K} || {K, R} <- lists:enumerate(Refs)],
    io:format("~p~n", [[receive {R, K} -> K end || R <- lists:reverse(Again)]]).

exact(A, B) -> bit(A =:= B).
equal(A, B) -> bit(A == B).
matched(A, B) -> case {A, B} of {X, X} -> 1; _ -> 0 end.
key(A, B) -> bit(is_map_key(A, #{B => x})).
in_tuple(A, B) -> bit({A, x, [A]} =:= {B, x, [B]}).
bit(true) -> 1;
bit(false) -> 0.
sign(A, B) when A < B -> -1;
sign(A, B) when A > B -> 1;
sign(_, _) -> 0.
