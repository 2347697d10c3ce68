%% try, of, catch, after and the old catch: nesting, values, order of side effects.
-ifndef(OLD_COMPILER).
-module(try_catch).
-endif.
-export([main/1]).
-include("show.hrl").

main(_Args) ->
    [?S(all(K)) || K <- [value, other, throw, throw2, error, exit, badmatch, badarg]],
    [?S(with_after(K)) || K <- [value, throw, error, exit]], ?S(trace_order()), ?S(nested(1)), ?S(nested(2)), ?S(nested(3)),
    ?S(catch 1), ?S(catch throw(x)), ?S({catch throw(a), catch throw(b)}), ?S([catch X / Y || {X, Y} <- [{4, 2}]]), ?S(old(throw)), ?S(old(value)),
    ?S(after_overrides()), ?S(try throw(in_after) catch throw:in_after -> caught after ok end), ?S(in_catch()), ?S(in_of()), ?S(vars(5)), ?S(vars(a)), ?S(loop(1000, 0)),
    ?S(many_catches(100000)), ?S(unwind(10000)), ?S(guard_in_catch({a, 1})), ?S(guard_in_catch({b, 2})), ?S(guard_in_catch(c)), ?S(tail_try(3)), ?S(live_across()), ?S(no_match()),
    ?S(catch_in_guarded_list([1, a, 2.0, "x"])), ?S(receive_in_try()), ?S(stack_twice()), ?S(class_var()), ?S(after_keeps_stack()).

act(value) -> value;
act(other) -> other;
act(throw) -> throw(ball);
act(throw2) -> throw({ball, 2});
act(error) -> error(wrong);
act(exit) -> exit(leaving);
act(badmatch) -> value = id(x);
act(badarg) -> atom_to_list(id(1)).

all(K) ->
    try act(K) of
        value -> {of_, value};
        X -> {of_other, X}
    catch
        ball -> thrown;
        throw:{ball, N} -> {thrown, N};
        error:wrong -> an_error;
        error:{badmatch, V} -> {badmatch, V};
        exit:R -> {exited, R};
        C:R -> {C, R}
    end.

with_after(K) ->
    put(log, []),
    R = try
            try act(K) of V -> log({of_, V}), V after log(after_) end
        catch C:X -> log(caught), {C, X}
        end,
    {R, lists:reverse(get(log))}.

log(X) -> put(log, [X | get(log)]).

trace_order() ->
    put(log, []),
    try
        try
            try log(1), throw(a) after log(2) end
        catch a -> log(3), throw(b)
        after log(4)
        end
    catch b -> log(5)
    after log(6)
    end,
    lists:reverse(get(log)).

nested(K) ->
    try
        try case K of 1 -> throw(one); 2 -> error(two); 3 -> exit(three) end
        catch throw:X -> {inner, X}
        end
    catch error:Y -> {outer, Y}; _:Z -> {any, Z}
    end.

old(K) -> case catch act(K) of {'EXIT', R} -> {exit, R}; V -> {value, V} end.

after_overrides() -> try throw(first) after throw(second) end.

in_catch() -> try try throw(x) catch x -> error(from_catch) end catch error:E -> E end.

in_of() -> try try ok of ok -> throw(from_of) catch _:_ -> must_not end catch T -> {outer, T} end.

vars(X) ->
    A = id(X),
    B = try A + 1 catch error:badarith -> {no_number, A} end,
    {A, B}.

loop(0, Acc) -> Acc;
loop(N, Acc) -> loop(N - 1, Acc + (try act(case N rem 3 of 0 -> value; 1 -> throw; 2 -> error end) of value -> 1 catch throw:_ -> 10; error:_ -> 100 end)).

many_catches(0) -> done;
many_catches(N) -> catch throw(N), many_catches(N - 1).

unwind(N) -> try down(N) catch throw:{bottom, X} -> X end.
down(0) -> throw({bottom, reached});
down(N) -> [down(N - 1)].

guard_in_catch(T) ->
    try throw(T)
    catch
        throw:{a, N} when N > 0 -> positive;
        throw:{_, N} when is_integer(N) -> integer;
        throw:_ -> rest
    end.

tail_try(0) -> done;
tail_try(N) -> try error(N) catch error:N -> tail_try(N - 1) end.

live_across() ->
    A = id([1, 2, 3]), B = id(<<"bin">>), C = id(#{k => v}),
    try erlang:garbage_collect(), throw({A, B}) catch throw:{A, X} -> erlang:garbage_collect(), {A, X, B, C} end.

no_match() -> try throw(unmatched) catch error:_ -> error; throw:other -> other end.

catch_in_guarded_list(L) -> [case catch X + 1 of {'EXIT', {badarith, _}} -> bad; Y -> Y end || X <- L].

receive_in_try() ->
    self() ! {msg, 1},
    try receive {msg, N} -> throw({got, N}) after 0 -> none end catch throw:{got, M} -> M end.

stack_twice() ->
    try act(error)
    catch _:_:S1 ->
        try act(exit) catch _:_:S2 -> {S1 =/= S2, element(2, hd(S1)), element(2, hd(S2))} end
    end.

class_var() -> [try erlang:C(r) catch C:r -> {same, C}; D:_ -> {different, D} end || C <- [throw, error, exit]].

after_keeps_stack() -> try try act(badarg) after id(lists:seq(1, 100)) end catch _:_:S -> lists:flatten(show:stack(S)) end.
