%% A million binaries of 128 bytes.
-module(binaries_in_list).
-export([measure/0]).

measure() -> data_size:of_each("binaries", 1_000_000, fun() -> [<<N:1024>> || N <- lists:seq(1, 1_000_000)] end).
