# needs: rebar3
rebar3 new lib demo; cd demo
printf -- '-module(demo).\n-export([f/1]).\n-include_lib("eunit/include/eunit.hrl").\nf(X) -> X + 1.\nf_test() -> ?assertEqual(2, f(1)).\n' > src/demo.erl
rebar3 compile
rebar3 eunit | sed 's/in [0-9.]* seconds//'
