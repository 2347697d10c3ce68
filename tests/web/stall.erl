%% A machine that has nothing to do.
-module(stall).
-export([main/0]).
main() -> io:format("ready~n"), receive stop -> ok end.
