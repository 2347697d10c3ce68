%% Planets: tuples of floats taken apart and built anew.
-module(nbody).
-export([run/0]).
-include("../../erl/support/bodies.hrl").

-define(PI, 3.141592653589793).
-define(SOLAR_MASS, (4 * ?PI * ?PI)).
-define(YEAR, 365.24).

run() ->
    Bodies = offset_momentum(bodies()),
    energy(advance_times(25_000, Bodies, 0.01)).

bodies() ->
    [{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, ?SOLAR_MASS},
     {4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01,
      1.66007664274403694e-03 * ?YEAR, 7.69901118419740425e-03 * ?YEAR,
      -6.90460016972063023e-05 * ?YEAR, 9.54791938424326609e-04 * ?SOLAR_MASS},
     {8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01,
      -2.76742510726411938e-03 * ?YEAR, 4.99852801234917238e-03 * ?YEAR,
      2.30417297573763929e-05 * ?YEAR, 2.85885980666130812e-04 * ?SOLAR_MASS},
     {1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01,
      2.96460137564761618e-03 * ?YEAR, 2.37847173959480950e-03 * ?YEAR,
      -2.96589568540237556e-05 * ?YEAR, 4.36624404335156298e-05 * ?SOLAR_MASS},
     {1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01,
      2.68067772490389322e-03 * ?YEAR, 1.62824170038242295e-03 * ?YEAR,
      -9.51592254519715870e-05 * ?YEAR, 5.15138902046611451e-05 * ?SOLAR_MASS}].

offset_momentum([{X, Y, Z, _, _, _, M} | Rest] = Bodies) ->
    {Px, Py, Pz} = lists:foldl(fun({_, _, _, Vx, Vy, Vz, Mass}, {Ax, Ay, Az}) ->
                                   {Ax + Vx * Mass, Ay + Vy * Mass, Az + Vz * Mass}
                               end, {0.0, 0.0, 0.0}, Bodies),
    [{X, Y, Z, -Px / ?SOLAR_MASS, -Py / ?SOLAR_MASS, -Pz / ?SOLAR_MASS, M} | Rest].

energy([]) -> 0.0;
energy([{X, Y, Z, Vx, Vy, Vz, M} | Rest]) ->
    Kinetic = 0.5 * M * (Vx * Vx + Vy * Vy + Vz * Vz),
    Potential = lists:sum([M * M2 / math:sqrt((X - X2) * (X - X2) + (Y - Y2) * (Y - Y2)
                                              + (Z - Z2) * (Z - Z2))
                           || {X2, Y2, Z2, _, _, _, M2} <- Rest]),
    Kinetic - Potential + energy(Rest).
