%% gauss_integration with more work in each process, for scaling.sh.
%% only on demand
-module(scaling_gauss).
-export([run/0]).

run() -> gauss_integration:integral(100_000).
