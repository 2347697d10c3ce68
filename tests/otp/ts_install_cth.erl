%% OTP's suites name this hook, which configures and makes their data: `run` has made it.
-module(ts_install_cth).
-export([id/1, init/2]).

id(_) -> ?MODULE.
init(_, _) -> {ok, nothing}.
