%% A million processes that wait: bytes of each by what the machine gives (RSS), time to make and kill.
%% erl: +P 2000000
-module(million_processes).
-export([measure/0]).

measure() -> idle_processes:cost(1_000_000).
