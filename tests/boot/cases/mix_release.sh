# needs: mix
# mix release, with erts and without, copied elsewhere: start, eval, rpc, pid, remote, daemon, stop, restart.
export ERL_EPMD_PORT=$((20000 + $$ % 20000)) n=rel$$
trap 'epmd -kill > /dev/null 2>&1' EXIT
mix new demo --sup > /dev/null; cd demo
mkdir src; cp "$WB_CASES/../wb_marker.erl" src  # since 26 embedded mode loads it from nowhere else
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
up() { for _ in {1..60}; do "$bin" rpc 'IO.puts(:up)' > /dev/null 2>&1 && return; sleep 0.5; done; echo 'does not come up'; }
gone() { for _ in {1..100}; do kill -0 "$1" 2> /dev/null || break; sleep 0.1; done; kill -0 "$1" 2> /dev/null; echo "gone: $?"; }
for r in with_erts without; do
  echo "== $r"
  mix release $r 2>&1 | grep -a 'Release\|warning\|error' | sed 's/^.*\* //'
  mv _build/prod/rel/$r ../moved_$r
  bin=$PWD/../moved_$r/bin/$r
  export RELEASE_NODE=${n}_$r
  "$bin" eval 'IO.inspect({1 + 1, node(), Application.get_env(:demo, :key)}); System.halt(3)'; echo $?
  "$bin" start > out 2>&1 & p=$!
  up
  "$bin" rpc 'IO.inspect({Demo.next(), Application.fetch_env!(:demo, :at_start), System.get_env("RELEASE_NAME"), System.get_env("RELEASE_VSN")})'; echo $?
  if [ $r = with_erts ]; then
    ls ../moved_$r ../moved_$r/erts-*/bin | grep -v '\.src$\|dialyzer\|typer\|preloaded\|\.so$\|moved' | tr '\n' ' '; echo
    "$bin" version
    "$bin" eval 'raise "no"' 2>&1 | grep -a RuntimeError; echo "${PIPESTATUS[0]}"
    [ "$("$bin" pid)" = "$("$bin" rpc 'IO.puts(System.pid())')" ] && echo 'its pid'
    "$bin" rpc 'exit(:oops)' > /dev/null 2>&1; echo $?
    (sleep 4; echo 'Demo.next() * 100'; sleep 3) | "$bin" remote 2>&1 | grep -ao '200'
  fi
  "$bin" stop; echo $?; wait $p; echo "ended $?"
  [ $r = with_erts ] || continue
  "$bin" daemon; echo $?
  up
  "$bin" rpc 'IO.inspect(Demo.next())'
  pid=$("$bin" pid); kill -TERM "$pid"; gone "$pid"
done
