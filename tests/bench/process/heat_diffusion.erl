%% A rod cut into 32 pieces, one process each; neighbours exchange their borders at each step.
-module(heat_diffusion).
-export([run/0]).

-define(STEPS, 400).

run() ->
    Main = self(),
    Pids = [spawn_link(fun() -> start(K, Main) end) || K <- lists:seq(1, 32)],
    connect([none | Pids]),
    lists:sum([receive {heat, P, H} -> H end || P <- Pids]).

connect([Left, Pid | Rest]) ->
    Right = case Rest of [R | _] -> R; [] -> none end,
    Pid ! {neighbours, Left, Right},
    connect([Pid | Rest]);
connect([_]) -> ok.

start(K, Main) ->
    Cells = [float((K * 37 + I * 11) rem 100) || I <- lists:seq(1, 50)],
    receive {neighbours, Left, Right} -> step(?STEPS, Cells, Left, Right, Main) end.

step(0, Cells, _, _, Main) -> Main ! {heat, self(), lists:sum(Cells)};
step(N, Cells, Left, Right, Main) ->
    tell(Left, {N, from_right, hd(Cells)}),
    tell(Right, {N, from_left, lists:last(Cells)}),
    L = hear(Left, N, from_left),
    R = hear(Right, N, from_right),
    step(N - 1, smooth(L, Cells, R), Left, Right, Main).

tell(none, _) -> ok;
tell(Pid, M) -> Pid ! M.

hear(none, _, _) -> 0.0;
hear(_, N, Side) -> receive {N, Side, X} -> X end.

smooth(L, [X], R) -> [X + 0.1 * (L - 2.0 * X + R)];
smooth(L, [X | [Y | _] = Rest], R) -> [X + 0.1 * (L - 2.0 * X + Y) | smooth(X, Rest, R)].
