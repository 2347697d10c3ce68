%% A million pairs in a list.
-module(tuples_in_list).
-export([measure/0]).

measure() -> data_size:of_each("pairs", 1_000_000, fun() -> [{N, N} || N <- lists:seq(1, 1_000_000)] end).
