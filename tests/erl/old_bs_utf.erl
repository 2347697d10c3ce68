%% bs_utf.erl as the compiler of OTP 22 would have written it (Debian's Elixir still is).
-module(old_bs_utf).
-compile(r22).
-define(OLD_COMPILER, true).
-include("bs_utf.erl").
