%% Float arithmetic in a tight loop.
-module(mandelbrot).
-export([run/0]).

-define(SIZE, 200).

run() ->
    lists:sum([point(2.0 * X / ?SIZE - 1.5, 2.0 * Y / ?SIZE - 1.0)
               || Y <- lists:seq(0, ?SIZE - 1), X <- lists:seq(0, ?SIZE - 1)]).

point(Cr, Ci) -> iterate(0.0, 0.0, Cr, Ci, 50).

iterate(_, _, _, _, 0) -> 1;
iterate(Zr, Zi, Cr, Ci, N) ->
    Zr2 = Zr * Zr,
    Zi2 = Zi * Zi,
    if Zr2 + Zi2 > 4.0 -> 0;
       true -> iterate(Zr2 - Zi2 + Cr, 2.0 * Zr * Zi + Ci, Cr, Ci, N - 1)
    end.
