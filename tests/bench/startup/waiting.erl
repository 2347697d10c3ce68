%% only on demand
-module(waiting).
-export([main/0]).

main() -> receive never -> ok end.
