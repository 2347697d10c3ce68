%% The same with ten million. Needs some 6 GB on Whitebeam and 30 GB on erl:
%%     tests/bench/run --rounds 1 ten_million_processes
%% only on demand
%% erl: +P 20000000
-module(ten_million_processes).
-export([measure/0]).

measure() -> idle_processes:cost(10_000_000).
