# An ExUnit suite without mix: setup, tags, describe, parameters of tests, assert_receive, capture_io, failures with their
# diffs, exclusion, async modules. A formatter of its own prints what every run prints.
defmodule Exunit.Formatter do
  use GenServer

  def init(_), do: {:ok, []}

  def handle_cast({:test_finished, t}, seen) do
    state =
      case t.state do
        nil -> "passed"
        {:failed, failures} -> ExUnit.Formatter.format_test_failure(t, failures, 1, 80, fn _, text -> text end)
        {state, why} -> "#{state} #{why}"
      end

    {:noreply, ["#{inspect(t.module)} #{t.name}: #{state}" | seen]}
  end

  def handle_cast({:suite_finished, _}, seen) do
    seen |> Enum.sort() |> Enum.each(&IO.puts/1)
    {:noreply, []}
  end

  def handle_cast(_, seen), do: {:noreply, seen}
end

defmodule Exunit do
  def main(_) do
    ExUnit.start(autorun: false, formatters: [Exunit.Formatter], seed: 0, exclude: [:slow], colors: [enabled: false])

    Code.eval_string(~S'''
    defmodule Exunit.MathTest do
      use ExUnit.Case, async: true
      import ExUnit.CaptureIO
      setup_all do: {:ok, all: 1}
      setup context, do: {:ok, value: context[:value] || 0, all_again: context.all}

      test "plain", do: assert 1 + 1 == 2
      @tag value: 7
      test "context", %{value: v, all_again: a}, do: assert {v, a} == {7, 1}
      @tag :slow
      test "excluded", do: flunk("never run")
      @tag skip: "not today"
      test "skipped", do: flunk("never run")
      test "not written yet"

      describe "a group" do
        setup do: {:ok, in: :group}
        test "of tests", %{in: g}, do: assert g == :group
      end

      test "messages" do
        send(self(), {:hello, 1})
        assert_receive {:hello, n} when n > 0
        refute_received :other
        assert_raise ArgumentError, ~r/bad/, fn -> raise ArgumentError, "bad thing" end
        assert catch_throw(throw(:x)) == :x
        assert capture_io(fn -> IO.puts("out") end) == "out\n"
        assert_in_delta 1.0, 1.05, 0.1
        refute nil
      end

      for {name, n} <- [one: 1, two: 2], do: (test "number #{name}", do: assert is_integer(unquote(n)))
    end

    defmodule Exunit.FailingTest do
      use ExUnit.Case
      test "equal", do: assert [1, %{a: "abc"}, {:x, 1.5}] == [1, %{a: "abd"}, {:y, 1.5}]
      test "match", do: assert {:ok, _} = {:error, :reason}
      test "strings", do: assert "hello world" == "hallo welt"
      test "raise", do: raise "oops"
      test "exit", do: exit(:bye)
      test "throw", do: throw(:ball)
      test "truth", do: assert Enum.member?([1, 2], 3)
      test "receive", do: assert_receive :never, 5
      test "function clause", do: String.upcase(:atom)
      @tag timeout: 50
      test "too slow", do: (try do Process.sleep(:infinity) after :ok end)
    end
    ''', [], file: "suite.exs")

    result = ExUnit.run()
    IO.inspect(Enum.sort(result))
  end
end
