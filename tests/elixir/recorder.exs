# ExUnit's formatter for tests/elixir/suite.erl: a line a test into the file of results, what failed
# in full to standard output.
defmodule Recorder do
  use GenServer

  def init(_) do
    {:ok, file} = :file.open(Application.get_env(:ex_unit, :recorder), [:append, :raw, :binary])
    {:ok, %{file: file, count: 0}}
  end

  def handle_cast({:test_finished, %ExUnit.Test{} = test}, s) do
    note(s, state(test.state), test.module, Atom.to_string(test.name))
    {:noreply, explain(test, test.state, s)}
  end

  def handle_cast({:module_finished, %ExUnit.TestModule{state: {:failed, _}} = module}, s) do
    note(s, "failed", module.name, "setup_all")
    {:noreply, explain(module, module.state, s)}
  end

  def handle_cast(_, s), do: {:noreply, s}

  defp state(nil), do: "passed"
  defp state({state, _}), do: Atom.to_string(state)

  defp note(s, state, module, name) do
    name = String.replace(name, ["\t", "\n"], " ")
    :ok = :file.write(s.file, [state, ?\t, inspect(module), ?\t, name, ?\n])
  end

  defp explain(test, {:failed, failures}, s) do
    count = s.count + 1

    text =
      case test do
        %ExUnit.Test{} ->
          ExUnit.Formatter.format_test_failure(test, failures, count, 100, fn _, t -> t end)

        %ExUnit.TestModule{} ->
          ExUnit.Formatter.format_test_all_failure(test, failures, count, 100, fn _, t -> t end)
      end

    IO.puts(:stdio, text)
    %{s | count: count}
  end

  defp explain(_, _, s), do: s
end
