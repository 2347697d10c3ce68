%% memory.erl with sizes that a collection at every safe point can bear.
-module(memory_small).
-define(SCALE, 50).
-define(LESS, 6).
-include("memory.erl").
