# Tasks: one-off processes with an answer, alone, in streams, under a supervisor.
#
#     whitebeam run -pa /usr/lib/elixir/lib/elixir/ebin -pa . Elixir.Tasks
#
# Look at the three ways a failure shows: `await` of a linked task takes the caller along, `async_nolink` gives the reason to who
# asks, and `async_stream` of a supervisor carries on with the rest.
defmodule Tasks do
  def main(_args) do
    # What fails here is meant to.
    :logger.set_primary_config(:level, :none)
    IO.inspect(Task.await_many(for n <- 1..5, do: Task.async(fn -> n * n end)))

    # At most two at once, answers in the order of the input.
    1..6
    |> Task.async_stream(fn n -> (Process.sleep(rem(n, 3)) && n * 10) end, max_concurrency: 2)
    |> Enum.map(fn {:ok, x} -> x end)
    |> IO.inspect()

    IO.inspect(1..4 |> Task.async_stream(&(&1 + 1), ordered: false) |> Enum.map(&elem(&1, 1)) |> Enum.sort())

    slow = Task.async(fn -> Process.sleep(:infinity) end)
    IO.inspect(Task.yield(slow, 10))
    IO.inspect(Task.shutdown(slow, :brutal_kill))

    {:ok, supervisor} = Task.Supervisor.start_link()
    failing = Task.Supervisor.async_nolink(supervisor, fn -> exit(:broken) end)
    IO.inspect(Task.yield(failing, 1000))

    supervisor
    |> Task.Supervisor.async_stream_nolink([1, 0, 2], fn n -> if n == 0, do: exit(:zero), else: div(100, n) end)
    |> Enum.to_list()
    |> IO.inspect()

    parent = self()
    {:ok, _} = Task.Supervisor.start_child(supervisor, fn -> send(parent, {:from, :child}) end)
    receive do: ({:from, _} = message -> IO.inspect(message))

    {pid, monitor} = spawn_monitor(fn -> Task.await(Task.async(fn -> exit(:inside) end)) end)
    receive do: ({:DOWN, ^monitor, :process, ^pid, reason} -> IO.inspect(reason))
    IO.inspect(Supervisor.stop(supervisor))
  end
end
