# Agents: state that others read and change by functions.
#
#     whitebeam run -pa /usr/lib/elixir/lib/elixir/ebin -pa . Elixir.Agents
#
# Look at Account.move/3: two agents, and no way to change both at once; the function runs inside of the first, so it cannot be
# interrupted there, and compensates when the second refuses. `get_and_update` is the whole critical section.
defmodule Account do
  use Agent

  def start_link(balance), do: Agent.start_link(fn -> %{balance: balance, log: []} end)
  def balance(account), do: Agent.get(account, & &1.balance)
  def log(account), do: Agent.get(account, &Enum.reverse(&1.log))

  def change(account, amount) do
    Agent.get_and_update(account, fn
      %{balance: b} = state when b + amount < 0 -> {{:error, :insufficient}, state}
      state -> {:ok, %{state | balance: state.balance + amount, log: [amount | state.log]}}
    end)
  end

  def move(from, to, amount) do
    with :ok <- change(from, -amount) do
      case change(to, amount) do
        :ok -> :ok
        error -> change(from, amount) && error
      end
    end
  end
end

defmodule Agents do
  def main(_args) do
    {:ok, a} = Account.start_link(100)
    {:ok, b} = Account.start_link(0)
    IO.inspect(Account.move(a, b, 30))
    IO.inspect(Account.move(a, b, 300))
    IO.inspect({Account.balance(a), Account.balance(b)})

    1..50
    |> Enum.map(fn n -> Task.async(fn -> Account.move(a, b, rem(n, 3)) end) end)
    |> Enum.each(&Task.await/1)

    IO.inspect({Account.balance(a), Account.balance(b)}, label: "after fifty at once")
    IO.inspect(length(Account.log(b)))
    Agent.update(a, Map, :put, [:closed, true])
    IO.inspect(Agent.get(a, Map, :get, [:closed]))
    Agent.cast(b, &%{&1 | log: []})
    IO.inspect(Account.log(b))
    IO.inspect(Agent.stop(a))
    IO.inspect(catch_exit(fn -> Account.balance(a) end))
  end

  defp catch_exit(f) do
    f.()
  catch
    :exit, {reason, _call} -> {:exit, reason}
  end
end
