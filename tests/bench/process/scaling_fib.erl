%% parallel_fib with more work in each process, for scaling.sh.
%% only on demand
-module(scaling_fib).
-export([run/0]).

run() -> parallel_fib:fib(35, 8).
