%% only on demand
-module(hello_world).
-export([main/0, sleep/0]).

main() -> io:format("hello, world~n").

%% For idle.sh.
sleep() -> timer:sleep(3000).
