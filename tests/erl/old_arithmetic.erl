%% arithmetic.erl as the compiler of OTP 23 would have written it (Debian's Elixir still is).
-module(old_arithmetic).
-compile(r23).
-define(OLD_COMPILER, true).
-include("arithmetic.erl").
