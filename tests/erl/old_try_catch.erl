%% try_catch.erl as the compiler of OTP 22 would have written it (Debian's Elixir still is).
-module(old_try_catch).
-compile(r22).
-define(OLD_COMPILER, true).
-include("try_catch.erl").
