# Task: async, await_many, yield, async_stream with its options, supervised tasks, failures.
defmodule Tasks do
  def main(_) do
    Logger.configure(level: :none)
    Process.flag(:trap_exit, true)
    IO.inspect(1..10 |> Task.async_stream(&(&1 * &1)) |> Enum.to_list())
    IO.inspect(1..5 |> Task.async_stream(&slow/1, max_concurrency: 5, ordered: true) |> Enum.map(&elem(&1, 1)))
    IO.inspect(1..5 |> Task.async_stream(&slow/1, ordered: false, max_concurrency: 2) |> Enum.sort())

    IO.inspect(
      [1, 1000, 2]
      |> Task.async_stream(fn n -> Process.sleep(n) && n end, timeout: 100, on_timeout: :kill_task, zip_input_on_exit: true)
      |> Enum.to_list()
    )

    IO.inspect(["a", "b"] |> Task.async_stream(String, :upcase, []) |> Enum.to_list())
    tasks = for n <- 1..4, do: Task.async(fn -> n * 10 end)
    IO.inspect(Task.await_many(tasks))
    never = Task.async(fn -> Process.sleep(:infinity) end)
    IO.inspect({Task.yield(never, 10), Task.shutdown(never, :brutal_kill)})
    done = Task.async(fn -> :done end)
    IO.inspect(Task.yield(done, 1000))
    failing = Task.async(fn -> raise ArgumentError, "no" end)

    try do
      Task.await(failing)
    catch
      :exit, {{%ArgumentError{message: m}, _}, {Task, :await, [_, 5000]}} -> IO.puts("failed: #{m}")
    end

    {:ok, sup} = Task.Supervisor.start_link()
    t = Task.Supervisor.async_nolink(sup, fn -> exit(:bad) end)
    ref = t.ref
    receive do: ({:DOWN, ^ref, _, _, r} -> IO.inspect(r))

    IO.inspect(
      Task.Supervisor.async_stream_nolink(sup, [1, 2, 3], fn 2 -> exit(:two); n -> n end) |> Enum.to_list()
    )

    {:ok, pid} = Task.start_link(fn -> exit(:shutdown) end)
    receive do: ({:EXIT, ^pid, r} -> IO.inspect(r))
    IO.inspect(Task.completed(:x) |> Task.await())
    me = self()
    Task.async(fn -> send(me, Process.get(:"$callers") == [me]) end) |> Task.await()
    receive do: (b when is_boolean(b) -> IO.inspect(b))
  end

  defp slow(n) do
    Process.sleep(10 * n)
    n
  end
end
