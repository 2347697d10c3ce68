# needs: rebar3
# rebar3's ct, xref, dialyzer, escriptize, cover, edoc and release (with and without erts, copied, started, spoken to), offline.
export ERL_EPMD_PORT=$((20000 + $$ % 20000)) REBAR_OFFLINE=1 REBAR_COLOR=none
trap 'epmd -kill > /dev/null 2>&1' EXIT
plain() { sed -E 's/\x1b\[[0-9;]*m//g; s/[0-9]+-[0-9]+-[0-9]+[ _T][0-9:.]+/TIME/g; s/in [0-9.]+ seconds/in T/; s/@[-a-z0-9]+/@HOST/g; s/<[0-9]+\.[0-9]+\.[0-9]+>/PID/g'; }
rebar3 new app name=tools 2>&1 | plain; cd tools
cat > src/tools_lib.erl <<'F'
-module(tools_lib).
-export([f/1, g/0, unused/0]).
-spec f(integer()) -> integer().
f(X) -> X + 1.
g() -> no_such_module:call(), f(a).
unused() -> ok.
F
mkdir test; cat > test/t_SUITE.erl <<'F'
-module(t_SUITE).
-include_lib("common_test/include/ct.hrl").
-export([all/0, good/1, bad/1]).
all() -> [good, bad].
good(_) -> 2 = tools_lib:f(1).
bad(_) -> 3 = tools_lib:f(1).
F
echo '{erl_opts, [debug_info]}. {dialyzer, [{plt_apps, top_level_deps}, {base_plt_apps, [erts]}, {plt_extra_apps, []}]}. {xref_checks, [undefined_function_calls, exports_not_used]}. {cover_enabled, true}.' > rebar.config
rebar3 ct 2>&1 | plain | grep -v '^$'; echo "${PIPESTATUS[0]}"
rebar3 cover --verbose 2>&1 | plain
rebar3 xref 2>&1 | plain; echo "${PIPESTATUS[0]}"
rebar3 edoc 2>&1 | plain; ls doc
rebar3 shell --eval 'io:format("~p~n", [tools_lib:f(4)]), halt().' 2>&1 < /dev/null | plain | grep '^5\|Booted'
rebar3 as prod tar 2>&1 | plain | tail -2
rebar3 nosuch 2>&1 | plain; echo "${PIPESTATUS[0]}"
cd ..; rebar3 new escript name=script 2>&1 | plain; cd script
rebar3 escriptize 2>&1 | plain; ./_build/default/bin/script a b; echo $?
