# needs: rebar3
# rebar3 release, with erts and without, copied elsewhere, by its extended start script.
export ERL_EPMD_PORT=$((20000 + $$ % 20000)) n=rel$$
trap 'epmd -kill > /dev/null 2>&1' EXIT
rebar3 new release demo > /dev/null; cd demo
cp "$WB_CASES/../wb_marker.erl" apps/demo/src  # embedded mode loads it from nowhere else
cat > apps/demo/src/demo.erl <<'F'
-module(demo).
-export([f/1, root/0]).
f(X) -> {X, application:get_env(demo, key)}.
root() -> filename:basename(code:root_dir()).
F
sed -i 's/{env,\[\]}/{env,[{key,of_app}]}/; s/{env, *\[\]}/{env,[{key,of_app}]}/' apps/demo/src/demo.app.src
printf '[{demo, [{key, of_config}]}].\n' > config/sys.config
for erts in true false; do
  echo "== include_erts $erts"
  printf -- '-sname %s\n-setcookie cook\n+S 2\n' "$n$erts" > config/vm.args
  cat > rebar.config <<F
{erl_opts, [debug_info]}.
{relx, [{release, {demo, "0.1.0"}, [demo, sasl]}, {mode, prod}, {include_erts, $erts}, {sys_config, "./config/sys.config"}, {vm_args, "./config/vm.args"}]}.
F
  rm -rf _build; rebar3 release 2>&1 | grep -a 'error\|===> Release\|===> Assembl' | sed 's/from .*//'
  cp -a _build/default/rel/demo "../moved $erts" 2>/dev/null; rm -rf "../moved_$erts"; mv "../moved $erts" "../moved_$erts"; rm -rf _build
  bin=$PWD/../moved_$erts/bin/demo
  ls ../moved_$erts | tr '\n' ' '; echo
  "$bin" foreground > "out$erts" 2>&1 & p=$!
  for _ in {1..60}; do [ "$("$bin" ping 2> /dev/null)" = pong ] && break; sleep 0.5; done
  "$bin" ping; echo $?
  "$bin" eval 'demo:f(7).'; "$bin" eval 'length([a,b'; echo $?
  "$bin" rpc demo f '[8].'; "$bin" rpc erlang error '[x].' > /dev/null 2>&1; echo $?
  [ $erts = true ] && "$bin" eval 'demo:root().'
  "$bin" versions | sed 's/  */ /g'
  [ "$("$bin" pid)" = "$("$bin" eval 'os:getpid().' | tr -d '"')" ] && echo 'its pid'
  (sleep 1; echo '6 * 7.'; sleep 2; printf '\007q\n') | "$bin" remote_console 2>&1 | grep -ao '^42'
  "$bin" stop; echo $?; wait $p; echo "ended $?"
  "$bin" ping 2>&1 | grep -ao 'not responding'; 
  "$bin" daemon; echo $?
  for _ in {1..60}; do [ "$("$bin" ping 2> /dev/null)" = pong ] && break; sleep 0.5; done
  "$bin" rpc demo f '[9].'
  pid=$("$bin" pid); "$bin" stop; for _ in {1..100}; do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done; kill -0 "$pid" 2>/dev/null; echo $?
done
