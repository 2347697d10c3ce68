%% bs_sizes.erl as the compiler of OTP 22 would have written it.
-module(old_bs_sizes).
%% args gc-stress: few
-compile(r22).
-define(OLD_COMPILER, true).
-include("bs_sizes.erl").
