%% What cannot be called, subtracted, sent to: reasons, and the first frames of their traces.
-module(calls_refused).
-export([main/1, call/2, call_last/2, apply3/2, apply3_last/2, minus/1, minus_last/1, minus_two/1, minus_small/1, minus_one/1, plus/1]).

call(F, Args) -> X = apply(F, Args), {X}.
call_last(F, Args) -> apply(F, Args).
apply3(F, Args) -> X = apply(lists, F, Args), {X}.
apply3_last(F, Args) -> apply(lists, F, Args).
minus(A) -> X = A - -1, {X}.
minus_last(A) -> A - -1.
minus_two(A) -> A - -2.
minus_small(A) -> A - -576460752303423488.
minus_one(A) -> A - 1.
plus(A) -> A + -1.

negated(A) when is_float(A) -> -A.
negated_twice(A) when is_float(A) -> X = -A, -(X * 2.0).

main(_) ->
    Many = lists:duplicate(300, 0),
    [show(?MODULE, C, [F, Args]) || C <- [call, call_last], F <- [0, fun(X) -> X end, fun lists:reverse/1, fun ?MODULE:none/1], Args <- [[], a, [a | b], [b], Many]],
    [show(?MODULE, C, [F, Args]) || C <- [apply3, apply3_last], F <- [1, none], Args <- [[], a, [a | b], [b], Many]],
    [show(?MODULE, C, [A]) || C <- [minus, minus_last, minus_two, minus_small, minus_one, plus], A <- [a, 1.5, 1 bsl 59 - 1, -(1 bsl 59), 1 bsl 64]],
    io:format("~p~n", [[{negated(A), negated_twice(A)} || A <- [0.0, -0.0, 1.5]]]),
    Port = binary_to_term(<<131, 89, 100, 0, 3, "a@b", 0, 0, 0, 9, 0, 0, 0, 5>>),
    Pid = binary_to_term(<<131, 88, 100, 0, 3, "a@b", 0, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0, 1>>),
    Ref = binary_to_term(<<131, 90, 0, 3, 100, 0, 3, "a@b", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3>>),
    [show(erlang, F, [To, M]) || To <- [Port, Pid], F <- [send, '!', send_nosuspend], M <- [b, {x, {command, "x"}}]],
    [show(erlang, F, [To, b, O]) || To <- [Port, Pid], F <- [send, send_nosuspend], O <- [[], [nosuspend], [noconnect, nosuspend], [x]]],
    [show(erlang, cancel_timer, [Ref, O]) || O <- [[], [{info, false}], [{info, true}], [{async, true}, {info, false}], [x]]],
    [show(erlang, spawn_request, As) || As <- [[lists, '', 3, [1, 2 | 3]], [lists, false, 3, Ref], [lists, false, [], x], [lists, a, [b | c], [x]], [1, a, [], []]]].

show(M, F, Args) ->
    Result = try apply(M, F, Args)
             catch C:R:S -> {C, erlang:phash2(known(R)), [{M1, F1, known(As), Info} || {M1, F1, As, Info} <- lists:sublist(S, 3), M1 =/= on_erl]}
             end,
    io:format("~p:~p ~P: ~0p~n", [M, F, known(Args), 8, known(Result)]).

known(F) when is_function(F) -> {a_fun, erlang:fun_info(F, arity)};
known(P) when is_pid(P), node(P) =/= node() -> external_pid;
known(P) when is_port(P) -> external_port;
known(R) when is_reference(R) -> reference;
known(L) when length(L) > 100 -> {long, length(L)};
known([H | T]) -> [known(H) | known(T)];
known(T) when is_tuple(T) -> list_to_tuple(known(tuple_to_list(T)));
known(X) -> X.
