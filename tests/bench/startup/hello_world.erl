%% only on demand
-module(hello_world).
-export([main/0]).

main() -> io:format("hello, world~n").

