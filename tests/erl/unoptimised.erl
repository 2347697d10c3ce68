%% What the compiler leaves as it is with its optimisations off (`--variant`): jumps to jumps, room that is reserved
%% early, calls that raise behind a frame.
-module(unoptimised).
-export([main/1]).
-include("show.hrl").

-record(config, {interval}).
-record(state, {result, config}).

main(_Args) ->
    [io:format("~w~n", [{N, waits(N)}]) || N <- [0, 1, 3]],
    ?S(waits_on(#state{result = id(ok), config = #config{interval = id(20)}})),
    ?S(waits_on(#state{result = id(ok), config = #config{interval = id(x)}})), ?S(waits_on(id(#state{}))), ?S(waits_on(id({state}))),
    ?S(selects(id(10))), ?S(selects(id(infinite))), ?S(selects(id(1 bsl 40))),
    [?S(empty(B)) || B <- [id(<<"abc">>), id(<<1:3>>), id([])]], ?S(made([1, 2, 3], <<>>)), ?S(nested([{a, <<1>>}, {b, <<2, 3>>}, c])),
    [?S(fails(M)) || M <- [#{a => 1}, [], {true, #{a => 2}}, {true, 1}, 7, 1.5]],
    [?S(chosen(A, B)) || A <- [1, a, {1, 2}, <<1, 2, 3>>], B <- [1, 1.0, a, <<1, 2, 3>>]],
    [?S(caught(F)) || F <- [fun() -> 1 end, fun() -> throw(x) end, fun() -> error(y) end, fun() -> exit(z) end]].

%% Woken by messages that nobody wants, so often, before the time is over.
waits(N) ->
    Me = self(),
    spawn(fun() -> [begin Me ! {other, K}, erlang:yield() end || K <- lists:seq(1, N)] end),
    Result = waits_on(#state{result = {waited, N}, config = #config{interval = 50}}),
    {Result, [receive {other, K} -> K end || K <- lists:seq(1, N)]}.

waits_on(S) ->
    C = S#state.config,
    receive after C#config.interval -> S#state.result end.

%% A wait with clauses; one message is for nobody.
selects(T) ->
    self() ! {for, nobody},
    R = receive {for, me} -> mine after T -> receive {for, Who} -> {over, Who} after 0 -> over end end,
    [R | receive M -> [M] after 0 -> [] end].

empty(B) -> [<< <<X:1>> || true, <<X:1>> <= B >>, << B/binary >>, << <<1>> || is_binary(B) >>].

made([X | Xs], Acc) -> made(Xs, <<Acc/binary, X, (length(Xs)):16>>);
made([], Acc) -> {Acc, [Acc], <<Acc/binary, 0>>, [Acc | Acc]}.

nested(Xs) -> [{T, << <<Y, Z>> || <<Y>> <= B, Z <- [1, 2] >>, [T || <<_>> <= B]} || {T, B} <- Xs].

fails(M) ->
    case begin R = case M of #{} -> error(badmap); {true, Map} when is_map(Map) -> Map; [] -> exit(empty); _ -> M end, {is_map(R), R} end of
        {true, #{a := X}} -> {map, X};
        {false, X} when X > 5; is_float(X) -> {number, X};
        {false, X} -> erlang:error({other, X}, [M])
    end.

chosen(A, B) ->
    if
        A =:= B -> same;
        A == B, is_number(A) -> equal;
        (A < B) and not is_atom(A) or (is_binary(A) xor is_binary(B)) -> less;
        is_tuple(A) orelse element(1, A) -> tuple;
        true -> other
    end.

caught(F) ->
    X = try F() of V -> {value, V} catch throw:T -> {thrown, T}; error:E -> {failed, E} after put(after_it, F) end,
    {X, catch F(), is_function(get(after_it))}.
