# needs: mix
# mix release, with erts and without, copied elsewhere: start, eval, rpc, pid, remote, daemon, stop, restart.
export ERL_EPMD_PORT=$((20000 + $$ % 20000)) n=rel$$
trap 'epmd -kill > /dev/null 2>&1' EXIT
mix new demo --sup > /dev/null; cd demo
cat > lib/demo.ex <<'F'
defmodule Demo do
  use GenServer
  def start_link(_), do: GenServer.start_link(__MODULE__, 0, name: __MODULE__)
  def init(n), do: {:ok, n}
  def next, do: GenServer.call(__MODULE__, :next)
  def handle_call(:next, _, n), do: {:reply, n + 1, n + 1}
  def root, do: String.ends_with?(to_string(:code.root_dir()), System.get_env("EXPECTED_ROOT", "?"))
end
F
sed -i 's/# {Demo.Worker, arg}/Demo/' lib/demo/application.ex
sed -i 's/      deps: deps()/      deps: deps(), releases: [with_erts: [include_executables_for: [:unix]], without: [include_erts: false]]/' mix.exs
mkdir -p config; printf 'import Config\nconfig :demo, key: :from_config\n' > config/config.exs
printf 'import Config\nconfig :demo, at_start: System.get_env("AT_START", "unset")\n' > config/runtime.exs
export MIX_ENV=prod AT_START=given RELEASE_COOKIE=cook
for r in with_erts without; do
  echo "== $r"
  mix release $r 2>&1 | grep -a 'Release\|warning\|error' | sed 's/^.*\* //'
  cp -a _build/prod/rel/$r ../moved_$r; rm -rf _build/prod/rel/$r
  bin=$PWD/../moved_$r/bin/$r
  [ $r = with_erts ] && { ls ../moved_$r; ls ../moved_$r/erts-*/bin | tr '\n' ' '; echo; }
  export RELEASE_NODE=${n}_$r
  "$bin" version
  "$bin" eval 'IO.inspect({1 + 1, node(), Application.get_env(:demo, :key)})'; echo $?
  "$bin" eval 'System.halt(3)'; echo $?
  "$bin" eval 'raise "no"' 2>&1 | grep -a RuntimeError; echo "${PIPESTATUS[0]}"
  "$bin" start > out 2>&1 & p=$!
  for _ in {1..100}; do "$bin" pid > /dev/null 2>&1 && break; sleep 0.2; done
  "$bin" rpc 'IO.inspect({Demo.next(), Application.fetch_env!(:demo, :at_start), Application.fetch_env!(:demo, :key)})'; echo $?
  "$bin" rpc 'IO.inspect({Demo.next(), System.get_env("RELEASE_NAME"), System.get_env("RELEASE_VSN")})'
  [ "$("$bin" pid)" = "$("$bin" rpc 'IO.puts(System.pid())')" ] && echo 'its pid'
  "$bin" rpc 'exit(:oops)' > /dev/null 2>&1; echo $?
  (echo 'Demo.next() * 100'; sleep 3) | "$bin" remote 2>&1 | grep -ao '300'
  "$bin" restart; sleep 1
  for _ in {1..100}; do [ "$("$bin" rpc 'IO.puts(Demo.next())' 2> /dev/null)" = 1 ] && break; sleep 0.2; done; echo 'counts anew'
  "$bin" stop; echo $?; wait $p; echo "ended $?"
  "$bin" stop > /dev/null 2>&1; echo $?
  "$bin" daemon; echo $?
  for _ in {1..100}; do "$bin" pid > /dev/null 2>&1 && break; sleep 0.2; done
  "$bin" rpc 'IO.inspect(Demo.next())'
  pid=$("$bin" pid); kill -TERM "$pid"; for _ in {1..100}; do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done; kill -0 "$pid" 2>/dev/null; echo $?
done
