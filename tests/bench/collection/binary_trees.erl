%% Many short-lived trees beside a long-lived one.
-module(binary_trees).
-export([run/0]).

run() ->
    Long = make(16),
    {[check(make(D)) || D <- lists:seq(4, 15), _ <- lists:seq(1, 1 bsl (16 - D))], check(Long)}.

make(0) -> {nil, nil};
make(D) -> {make(D - 1), make(D - 1)}.

check({nil, nil}) -> 1;
check({L, R}) -> 1 + check(L) + check(R).
