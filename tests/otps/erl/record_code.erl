%% since: 29
%% What compilers make of native records, without any function that knows them: it runs with the library of OTP 25, too.
-module(record_code).
-export([main/0, main/1]).
-record #point{x = 0, y = [origin, "text", <<"b">>, 1.5, 1180591620717411303424, #{a => {}}]}.
-record #wide{a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i}.
-record #none{}.
-export_record([point, wide]).

main(_) -> main().

main() ->
    Values = [#point{}, #point{x = 1}, (id(#point{x = 2}))#point{y = 3}, wide(9), #none{}, {point, 1, 2}, #{x => 1}, 5],
    [io:format("~p: ~p~n", [Name, [tried(F, V) || V <- Values]])
     || {Name, F} <- [{get, fun get_x/1}, {any, fun any/1}, {set, fun set/1}, {many, fun many/1}, {match, fun match/1},
                      {guards, fun guards/1}, {here, fun here/1}, {tests, fun tests/1}]],
    io:format("~p~n", [[compare(A, B) || A <- Values, B <- Values]]),
    io:format("~p~n", [[tried(F, x) || F <- [fun(_) -> #nowhere:none{} end, fun(_) -> #nowhere:none{a = 1} end]]]),
    io:format("~p~n", [loop(3000, wide(0), 0)]),
    Self = self(),
    Pid = spawn_link(fun() -> receive R -> Self ! {self(), R#wide{a = R#wide.i}} end end),
    Pid ! wide([1, 2, 3]),
    io:format("~p~n", [receive {Pid, #wide{a = A, i = I}} -> {A, I} end]).

id(X) -> X.
wide(I) -> #wide{i = I}.
tried(F, V) ->
    try F(V) catch error:{What, R} -> {What, shown(R)}; error:R -> R end.
shown(R) when is_record(R, point) -> {a, point, R#point.x};
shown(R) when is_record(R) -> record;
shown(R) -> R.

get_x(R) -> R#point.x.
any(R) -> R#_.x.
set(R) -> shown(R#point{x = [R#point.x]}).
many(R) ->
    #wide{a = A, c = C, h = H, i = I} = R#wide{h = R#wide.a, a = {R#wide.i}, c = R#wide.b},
    {A, C, H, I}.
match(#point{x = 1, y = [_ | T]}) -> {one, T};
match(#point{x = X}) -> {other, X};
match(#_{i = I}) -> {i, I};
match(#none{}) -> none;
match(_) -> no.
guards(R) when R#point.x > 1; R#_.i =:= 9 -> big;
guards(R) when is_record(R, none); is_record(R, record_code, wide) -> none;
guards(R) when is_record(R) -> record;
guards(_) -> no.
here(R) -> R#record_code:point.x.
tests(R) when is_record(R) -> {is_record(R), is_record(R, point), is_record(R, record_code, none), is_tuple(R), is_map(R)};
tests(R) -> {is_record(R), is_tuple(R), is_map(R)}.

compare(A, B) when A =:= B -> $=;
compare(A, B) when A < B -> $<;
compare(_, _) -> $>.

loop(0, R, S) -> S + R#wide.a + length(R#wide.i);
loop(N, R, S) ->
    Next = R#wide{a = N, i = lists:seq(1, N rem 5)},
    P = #point{x = Next, y = S},
    case P of
        #point{x = #wide{a = A}} when A rem 3 =:= 0 -> loop(N - 1, Next, P#point.y + A);
        _ -> loop(N - 1, Next#wide{b = P}#wide{b = N}, S)
    end.
