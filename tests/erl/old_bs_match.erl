%% bs_match.erl as the compiler of OTP 22 would have written it (Debian's Elixir still is).
-module(old_bs_match).
-compile(r22).
-define(OLD_COMPILER, true).
-include("bs_match.erl").
