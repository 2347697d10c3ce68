%% A map of a million keys.
-module(keys_in_map).
-export([measure/0]).

measure() -> data_size:of_each("keys", 1_000_000, fun() -> maps:from_list([{N, N} || N <- lists:seq(1, 1_000_000)]) end).
