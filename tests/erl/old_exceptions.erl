%% exceptions.erl as the compiler of OTP 22 would have written it (Debian's Elixir still is).
-module(old_exceptions).
-compile(r22).
-define(OLD_COMPILER, true).
-include("exceptions.erl").
