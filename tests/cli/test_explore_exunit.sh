# whitebeam explore --exunit: tests of ExUnit, of a project of mix and of a file by itself; what goes wrong before them is said.
source "$(dirname "$0")/check.sh"
need elixir

cd "$scratch" || exit 1
shorthand explore explore --exunit
mkdir alone
cat >alone/counter_test.exs <<'X'
ExUnit.start()
defmodule CounterTest do
  use ExUnit.Case, async: true
  setup do
    on_exit(fn -> :ok end)
    %{counter: start_supervised!({Agent, fn -> 0 end})}
  end
  defp twice(fun), do: [1, 2] |> Enum.map(fn _ -> Task.async(fun) end) |> Enum.each(&Task.await/1)
  test "in two steps", %{counter: c} do
    twice(fn ->
      n = Agent.get(c, & &1)
      Agent.update(c, fn _ -> n + 1 end)
    end)
    assert Agent.get(c, & &1) == 2
  end
  describe "in one step" do
    test "counts", %{counter: c, test: name} do
      assert name == :"test in one step counts"
      twice(fn -> Agent.update(c, &(&1 + 1)) end)
      assert Agent.get(c, & &1) == 2
    end
  end
  @tag :skip
  test "not wanted", do: flunk("no")
end
X
mkdir kept
explore alone --runs 200 --save kept >out 2>&1
code=$?
expect 0 'see it: .*/kept/1-CounterTest--test-in-two-steps-crash-1\.story' cat out
expect 0 '^CounterTest: test in two steps: crash' "$WHITEBEAM" observe kept/1-CounterTest--test-in-two-steps-crash-1.story
expect 0 '^1-CounterTest--test-in-two-steps-crash-1.story$' ls kept
expect 0 '1' echo "$code"
expect 0 'runs of CounterTest: test in two steps' cat out
expect 0 "crash +main ended with \{'ExUnit.AssertionError',\"Assertion with == failed code:  assert Agent.get\(c, & &1\) == 2 left:  1 right: 2\"\}" cat out
expect 0 "'test in two steps'/1 \(alone/counter_test.exs:14\)" cat out
expect 0 '    alone/counter_test.exs:11 ' cat out
expect 0 '200  result +as the usual run' cat out
expect 1 '^$' grep -E 'not wanted|do not repeat' out
expect 0 'in one step counts' explore alone/counter_test.exs:18 --runs 20
expect 2 'notes.txt: not a file of tests' bash -c 'touch notes.txt; explore notes.txt'
echo 'defmodule Broken do' >alone/broken_test.exs
expect 2 'broken_test.exs' explore alone/broken_test.exs
echo 'raise "not today"' >alone/broken_test.exs
expect 2 'not today' explore alone/broken_test.exs
echo 'Process.sleep(:infinity)' >alone/broken_test.exs
expect 2 'never end' explore alone/broken_test.exs
echo 'System.halt(3)' >alone/broken_test.exs
expect 2 'has ended the machine' explore alone/broken_test.exs
rm alone/broken_test.exs
expect 2 'no_such.exs: No such file' explore no_such.exs
mkdir empty
expect 2 'no files \*_test.exs' explore empty
expect 2 'one of them' explore --eunit alone

need mix
mkdir -p shop/lib shop/test shop/config
cat >shop/mix.exs <<'X'
defmodule Shop.MixProject do
  use Mix.Project
  def project, do: [app: :shop, version: "0.1.0"]
  def application, do: [extra_applications: [:logger], mod: {Shop, []}]
end
X
echo 'import Config
config :shop, pieces: 10' >shop/config/config.exs
cat >shop/lib/shop.ex <<'X'
defmodule Shop do
  use Application
  def start(_, _), do: Supervisor.start_link([{Shop.Stock, name: Shop.Stock}, Shop.Clock], strategy: :one_for_one)
end
defmodule Shop.Clock do
  use GenServer
  def start_link(_), do: GenServer.start_link(__MODULE__, nil)
  def init(_), do: {:ok, :timer.send_interval(10, :tick)}
  def handle_info(:tick, s), do: {:noreply, s}
end
defmodule Shop.Stock do
  use GenServer
  def start_link(options), do: GenServer.start_link(__MODULE__, Application.fetch_env!(:shop, :pieces), options)
  def init(n), do: {:ok, n}
  def handle_call(:count, _, n), do: {:reply, n, n}
  def handle_call({:put, n}, _, _), do: {:reply, :ok, n}
  def sell(s), do: GenServer.call(s, {:put, GenServer.call(s, :count) - 1})
end
X
echo 'ExUnit.start(exclude: [:slow])' >shop/test/test_helper.exs
cat >shop/test/shop_test.exs <<'X'
defmodule ShopTest do
  use ExUnit.Case
  setup_all do: {:ok, pieces: 10}
  test "two sell", %{pieces: pieces} do
    1..2 |> Enum.map(fn _ -> Task.async(fn -> Shop.Stock.sell(Shop.Stock) end) end) |> Enum.each(&Task.await/1)
    assert GenServer.call(Shop.Stock, :count) == pieces - 2
  end
  @tag :slow
  test "left out", do: :ok
  test "waits for what never comes" do
    receive do: (:never -> :ok)
  end
end
X
explore shop --runs 200 >out 2>&1
expect 0 'crash +main ended with .*== pieces - 2 left:  9 right: 8' cat out
expect 0 '^    test/shop_test.exs:5 ' cat out
expect 0 '200  deadlock' cat out
expect 1 '^$' grep -E 'left out|do not repeat' out
finish
