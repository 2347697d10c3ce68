%% Savina, trapezoidal approximation: workers integrate a function, each its part.
-module(savina_trapezoid).
-export([run/0, small/0]).

run() -> run(10_000_000, 100, 1.0, 5.0).
small() -> run(1_000, 10, 1.0, 5.0).

run(Pieces, Workers, Left, Right) ->
    Main = self(),
    Width = (Right - Left) / Pieces,
    Each = Pieces div Workers,
    [spawn_link(fun() ->
         Main ! {area, I, area(Each, Left + (I - 1) * Each * Width, Width, 0.0)}
     end) || I <- lists:seq(1, Workers)],
    lists:sum(savina:numbered(area, Workers)).

area(0, _, _, Area) -> Area;
area(N, Left, Width, Area) ->
    Right = Left + Width,
    area(N - 1, Right, Width, Area + 0.5 * (f(Left) + f(Right)) * Width).

f(X) -> math:sin(math:pow(X, 3) - 1) / (X + 1) * math:sqrt(1 + math:exp(math:sqrt(2 * X))).
