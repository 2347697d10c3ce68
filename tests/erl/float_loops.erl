%% Loops of floats with frames, calls, tuples and lists: what hot code keeps in registers has to be
%% where it belongs when a step fails, room is missing, or somebody else goes on.
-module(float_loops).
-export([main/1, advance_times/3, sums/3, roots/2, orbit/5, weigh/4, root/1]).
-include("show.hrl").
-include("bodies.hrl").

main(_Args) ->
    fine(), failing(), all_roots(), traced(), preempted().

fine() ->
    ?S(advance_times(200, planets(), 0.01)),
    ?S(sums(fun(I, J) -> 1.0 / (I + J + 1) end, 0, lists:seq(1, 300))),
    ?S(sums(fun weighed/2, 0, [1, 2.5, 1 bsl 70, 4])),
    ?S(roots([1.0, 2, 4.0, 1 bsl 80, 0.0, -0.0], [])),
    ?S(orbit(0.0, 0.0, 0.25, 0.5, 1000)),
    ?S(orbit(0.0, 0.0, 1, 1, 5)),
    ?S(weigh([{1.5, 2}, {3, 4.5}, {1 bsl 62, 0.5}], 0.0, 1.0, [])).

weighed(I, J) -> I * 0.5 + J.

planets() ->
    [{X * 1.0, X + 0.5, 1.0 - X, 0.01 * X, -0.02, 0.0, 1.0 + X / 10} || X <- lists:seq(1, 4)].

sums(F, I, Xs) -> row(F, I, 0, Xs, 0.0).

row(_, _, _, [], Sum) -> Sum;
row(F, I, J, [X | Xs], Sum) -> row(F, I, J + 1, Xs, Sum + F(I, J) * X).

roots([], Done) -> Done;
roots([X | Xs], Done) -> roots(Xs, [math:sqrt(X) * 2.0 | Done]).

root(X) -> math:sqrt(X).

orbit(Zr, Zi, _, _, 0) -> {Zr, Zi};
orbit(Zr, Zi, Cr, Ci, N) ->
    Zr2 = Zr * Zr,
    Zi2 = Zi * Zi,
    orbit(Zr2 - Zi2 + Cr, 2.0 * Zr * Zi + Ci, Cr, Ci, N - 1).

weigh([], Sum, Product, Done) -> {Sum, Product, lists:reverse(Done)};
weigh([{A, B} | Rest], Sum, Product, Done) ->
    Half = A / 2,
    Both = Half * B,
    Longer = erlang:max(Both, Sum),
    weigh(Rest, Sum + Both, Product * B, [{Half, Longer, tuple_size({A, B})} | Done]).

%% Each planet in turn has something in it that does not do, after the loop has gone around.
failing() ->
    Planets = planets(),
    [?S(advance_times(3, bad(K, At, What, Planets), 0.01))
     || K <- [1, 3, 4], At <- lists:seq(1, 7), What <- [a, 1.0e200, 1 bsl 1100, [1.0]]],
    [?S(advance_times(3, [T | Planets], 0.01))
     || T <- [{}, {1.0}, x, [], {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}]],
    ?S(advance_times(2, Planets ++ hd(Planets), 0.01)),
    ?S(advance_times(2, [hd(Planets) | Planets], 0.01)),
    [?S(sums(fun(I, J) when J < 2 -> I + J * 1.0; (_, _) -> X end, 5, [1.0, 2.0, 3.0, 4.0]))
     || X <- [a, 1.0e308, 1 bsl 70, 1 bsl 1100]],
    [?S(sums(fun weighed/2, 1, [1.0, 2.0, X | Tail])) || X <- [b, 1.0e308, 3], Tail <- [[4.0], c]],
    ?S(sums(fun(I) -> I end, 1, [1.0])), ?S(sums(weighed, 1, [1.0])),
    [?S(orbit(A, B, C, D, 2000))
     || {A, B, C, D} <- [{0.0, 0.0, 2.0, 2.0}, {a, 0.0, 1.0, 1.0}, {0.0, [], 1.0, 1.0},
                         {0.0, 0.0, b, 1.0}, {0.0, 0.0, 1.0, {}}, {1.0e200, 0.0, 0.0, 0.0},
                         {1 bsl 1100, 0.0, 0.0, 0.0}, {1 bsl 600, 1, 0.0, 0.0}]],
    [?S(weigh([{1.0, 2.0}, X, {3.0, 4.0}], 0.0, 1.0, []))
     || X <- [{a, 1.0}, {1.0, a}, {1.0e308, 1.0e308}, {1.0}, x, {2, 3}]].

bad(K, At, What, Planets) ->
    {Before, [P | After]} = lists:split(K - 1, Planets),
    Before ++ [setelement(At, P, What) | After].

all_roots() ->
    Xs = [0.0, -0.0, 1, 2.25, 1.0e308, 5.0e-324, -1.0, -5.0e-324, -1, 1 bsl 70, 1 bsl 1100, a, "x"],
    [?S(root(X)) || X <- Xs],
    [?S(roots([4.0, X, 9.0], [])) || X <- Xs].

%% A root in a loop that runs already is traced from when it is asked for.
traced() ->
    {module, math} = code:ensure_loaded(math),
    Self = self(),
    Worker = spawn_link(fun() -> rooting(Self, 4.0) end),
    receive {Worker, ready} -> ok end,
    Worker ! {go, 3},
    receive {Worker, R1} -> ?S(R1) end,
    erlang:trace(Worker, true, [call]),
    ?S(erlang:trace_pattern({math, sqrt, 1}, [{'_', [], [{return_trace}]}], [global])),
    Worker ! {go, 2},
    receive {Worker, R2} -> ?S(R2) end,
    ?S(flushed(Worker)),
    ?S(erlang:trace_pattern({math, sqrt, 1}, false, [global])),
    Worker ! {go, 2},
    receive {Worker, R3} -> ?S(R3) end,
    erlang:trace(Worker, false, [call]),
    ?S(flushed(Worker)),
    Worker ! stop.

rooting(To, X) ->
    To ! {self(), ready},
    rooted(To, X).

rooted(To, X) ->
    receive
        {go, N} -> To ! {self(), loop_roots(N, X, [])}, rooted(To, X);
        stop -> ok
    end.

loop_roots(0, _, Done) -> Done;
loop_roots(N, X, Done) -> loop_roots(N - 1, X + 0.5, [math:sqrt(X) | Done]).

flushed(Worker) ->
    Ref = erlang:trace_delivered(Worker),
    receive {trace_delivered, Worker, Ref} -> ok end,
    flush(Worker, []).

flush(Worker, Seen) ->
    receive
        {trace, Worker, call, {M, F, As}} -> flush(Worker, [{call, M, F, As} | Seen]);
        {trace, Worker, return_from, {M, F, A}, V} -> flush(Worker, [{return, M, F, A, V} | Seen])
    after 0 -> lists:reverse(Seen)
    end.

%% Slices end anywhere in loops; results are those of one that is alone.
preempted() ->
    Alone = {advance_times(40, planets(), 0.02), orbit(0.0, 0.0, 0.25, 0.5, 20000),
             sums(fun weighed/2, 0, lists:seq(1, 9000))},
    Self = self(),
    Pids = [spawn_link(fun() ->
                Self ! {self(), {advance_times(40, planets(), 0.02),
                                 orbit(0.0, 0.0, 0.25, 0.5, 20000),
                                 sums(fun weighed/2, 0, lists:seq(1, 9000))}}
            end) || _ <- lists:seq(1, 8)],
    ?S([receive {Pid, R} -> R =:= Alone end || Pid <- Pids]).
