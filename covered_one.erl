-module(covered_one).
-export([f/1]).
f(1) -> one;
f(_) -> other.
