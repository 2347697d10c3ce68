%% The integral of exp(-x*x), its range cut into pieces for 64 processes.
-module(gauss_integration).
-export([run/0, integral/1]).

run() -> integral(5000).

integral(Steps) ->
    Self = self(),
    Pieces = 64,
    Width = 10.0 / Pieces,
    Refs = [begin
                Ref = make_ref(),
                spawn_link(fun() -> Self ! {Ref, integrate(-5.0 + K * Width, Width, Steps)} end),
                Ref
            end || K <- lists:seq(0, Pieces - 1)],
    lists:sum([receive {R, X} -> X end || R <- Refs]).

integrate(From, Width, Steps) -> integrate(From, Width / Steps, Steps, 0.0).

integrate(_, H, 0, Sum) -> Sum * H;
integrate(X, H, N, Sum) -> integrate(X + H, H, N - 1, Sum + math:exp(-X * X)).
