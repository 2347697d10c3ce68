# ExUnit's formatter for tests/elixir/suite.erl: a line a test into the file of results. ExUnit's own
# tests run ExUnit: what those inner runs say is not written down.
defmodule Recorder do
  use GenServer

  def init(_) do
    if Process.whereis(__MODULE__) do
      {:ok, nil}
    else
      Process.register(self(), __MODULE__)
      :file.open(Application.get_env(:ex_unit, :recorder), [:append, :raw, :binary])
    end
  end

  def handle_cast({:test_finished, %ExUnit.Test{} = test}, file) when file != nil do
    note(file, state(test.state), test.module, Atom.to_string(test.name))
  end

  def handle_cast({:module_finished, %{state: {:failed, _}} = module}, file) when file != nil do
    note(file, "failed", module.name, "setup_all")
  end

  def handle_cast(_, file), do: {:noreply, file}

  defp state(nil), do: "passed"
  defp state({state, _}), do: Atom.to_string(state)

  defp note(file, state, module, name) do
    name = String.replace(name, ["\t", "\n"], " ")
    :ok = :file.write(file, [state, ?\t, inspect(module), ?\t, name, ?\n])
    {:noreply, file}
  end
end
