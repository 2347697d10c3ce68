%% Takeuchi's function: calls with three arguments, comparisons of registers.
-module(tak).
-export([run/0]).

run() -> [tak(18, 12, 6) || _ <- lists:seq(1, 60)].

tak(X, Y, Z) when Y >= X -> Z;
tak(X, Y, Z) -> tak(tak(X - 1, Y, Z), tak(Y - 1, Z, X), tak(Z - 1, X, Y)).
