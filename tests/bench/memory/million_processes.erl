%% A million processes that wait: bytes of each by what the machine gives (RSS), time to make and kill.
%% erl: +P 2000000
-module(million_processes).
-export([run/0]).

-define(COUNT, 1_000_000).

run() ->
    {measured, idle_processes:measure(?COUNT)}.
