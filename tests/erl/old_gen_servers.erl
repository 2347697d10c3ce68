%% gen_servers.erl as the compiler of OTP 22 would have written it (Debian's Elixir still is).
-module(old_gen_servers).
-compile(r22).
-define(OLD_COMPILER, true).
-include("gen_servers.erl").
