%% Planets that pull at each other: tuples {X, Y, Z, Vx, Vy, Vz, Mass} taken apart and built anew.

advance_times(0, Bodies, _) -> Bodies;
advance_times(N, Bodies, Dt) -> advance_times(N - 1, move(advance(Bodies, Dt), Dt), Dt).

advance([], _) -> [];
advance([B | Rest], Dt) ->
    {B1, Rest1} = pull(B, Rest, Dt, []),
    [B1 | advance(Rest1, Dt)].

pull(B, [], _, Done) -> {B, lists:reverse(Done)};
pull({X, Y, Z, Vx, Vy, Vz, M}, [{X2, Y2, Z2, Vx2, Vy2, Vz2, M2} | Rest], Dt, Done) ->
    Dx = X - X2,
    Dy = Y - Y2,
    Dz = Z - Z2,
    D2 = Dx * Dx + Dy * Dy + Dz * Dz,
    Mag = Dt / (D2 * math:sqrt(D2)),
    A = M2 * Mag,
    B = M * Mag,
    pull({X, Y, Z, Vx - Dx * A, Vy - Dy * A, Vz - Dz * A, M}, Rest, Dt,
         [{X2, Y2, Z2, Vx2 + Dx * B, Vy2 + Dy * B, Vz2 + Dz * B, M2} | Done]).

move(Bodies, Dt) ->
    [{X + Dt * Vx, Y + Dt * Vy, Z + Dt * Vz, Vx, Vy, Vz, M} || {X, Y, Z, Vx, Vy, Vz, M} <- Bodies].
