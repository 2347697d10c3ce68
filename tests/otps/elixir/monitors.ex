# Processes: monitors, links, timers, aliases, exits, dictionaries, exceptions with stack traces.
defmodule Monitors do
  def main(_) do
    Logger.configure(level: :none)
    {pid, ref} = spawn_monitor(fn -> exit(:why) end)
    receive do: ({:DOWN, ^ref, :process, ^pid, r} -> IO.inspect(r))
    {_, ref} = spawn_monitor(fn -> raise "oops" end)
    receive do: ({:DOWN, ^ref, _, _, {e, [{m, f, a, _} | _]}} -> IO.inspect({e, m, a, f |> to_string() |> String.starts_with?("-main")}))
    ref = Process.monitor(:nobody_here)
    receive do: ({:DOWN, ^ref, :process, {name, _}, r} -> IO.inspect({name, r}))
    ref = Process.monitor(pid)
    receive do: ({:DOWN, ^ref, _, _, r} -> IO.inspect(r))
    live = spawn(fn -> receive do: (:stop -> :ok) end)
    ref = Process.monitor(live)
    IO.inspect({Process.demonitor(ref, [:flush, :info]), Process.alive?(live)})
    Process.flag(:trap_exit, true)
    Process.link(live)
    Process.exit(live, :kill)
    receive do: ({:EXIT, ^live, r} -> IO.inspect(r))
    linked = spawn_link(fn -> receive do: ({:EXIT, _, _} -> :never) end)
    Process.exit(linked, :shutdown)
    receive do: ({:EXIT, ^linked, r} -> IO.inspect(r))

    Process.send_after(self(), :second, 30)
    Process.send_after(self(), :first, 5)
    IO.inspect(for _ <- 1..2, do: receive(do: (m -> m)))
    t = Process.send_after(self(), :never, 10_000)
    IO.inspect({Process.read_timer(t) > 9000, Process.cancel_timer(t) > 9000, Process.cancel_timer(t)})
    {:ok, tref} = :timer.send_interval(3, :tick)
    IO.inspect(for _ <- 1..3, do: receive(do: (m -> m)))
    {:ok, :cancel} = :timer.cancel(tref)
    {:ok, _} = :timer.apply_after(5, Kernel, :send, [self(), :applied])
    flush_until(:applied)
    IO.inspect(:timer.tc(fn -> Process.sleep(15) end) |> elem(0) >= 15_000)
    IO.inspect(receive do :nothing -> 1 after 5 -> :timeout end)

    a = Process.alias([:reply])
    spawn(fn -> send(a, 1); send(a, 2) end)
    IO.inspect({receive(do: (m -> m)), receive(do: (m -> m), after: (20 -> :inactive)), Process.unalias(a)})

    Process.register(self(), :me)
    send(:me, :by_name)
    IO.inspect({receive(do: (m -> m)), Process.whereis(:me) == self(), :me in Process.registered(), Process.unregister(:me)})
    IO.inspect(rescue_message(fn -> Process.register(self(), nil) end))
    IO.inspect(rescue_message(fn -> send(:nobody_here, 1) end))
    Process.put(:k, 1)
    IO.inspect({Process.get(:k), Process.put(:k, 2), Process.delete(:k), Process.get(:k, :none), Process.info(self(), :message_queue_len)})
    Process.set_label({:label, 1})
    IO.inspect(Process.info(self(), :label))
    IO.inspect(Process.info(live))
    IO.inspect(catching(fn -> throw(:ball) end))
    IO.inspect(catching(fn -> exit({:shutdown, 1}) end))
    IO.inspect(catching(fn -> :erlang.error(:badarg) end))
    IO.inspect(catching(fn -> hd([]) end))
    IO.inspect(catching(fn -> 1 / hd([0]) end))
    IO.inspect(catching(fn -> apply(Nothing, :at_all, [1]) end))
    IO.inspect(catching(fn -> (fn 1 -> 1 end).(hd([2])) end))
    IO.inspect(catching(fn -> Map.fetch!(%{a: 1}, :b) end))
    IO.inspect(catching(fn -> String.to_integer("x") end))
    IO.inspect(catching(fn -> raise(KeyError, key: :k, term: []) end))
    IO.inspect(catching(fn -> case hd([3]) do 1 -> 1 end end))
    IO.inspect(catching(fn -> %{a: x} = hd([%{}]); x end))
    IO.inspect(catching(fn -> with {:ok, x} <- hd([:no]) do x else :yes -> 1 end end))
    IO.inspect(catching(fn -> cond do hd([false]) -> 1 end end))
    IO.puts(blame(fn -> Monitors.only(3, :b) end))
    IO.puts(blame(fn -> Keyword.fetch!([a: 1], :z) end))
    IO.puts(Exception.format_exit({:noproc, {GenServer, :call, [:x, :y, 5000]}}))
    try do
      raise "first"
    rescue
      e ->
        IO.puts(Exception.format(:error, e, [{Monitors, :f, 1, [file: ~c"a.ex", line: 3]}, {:lists, :map, 2, []}]))
    after
      IO.puts("after")
    end
  end

  def only(1, :a), do: :ok
  def only(x, y) when is_atom(x) and y != :b, do: :ok

  defp flush_until(m) do
    receive do
      ^m -> IO.inspect(m)
      _ -> flush_until(m)
    end
  end

  defp rescue_message(f) do
    f.()
  rescue
    e -> {e.__struct__, Exception.message(e)}
  end

  defp catching(f) do
    f.()
  catch
    kind, reason -> {kind, Exception.format_banner(kind, reason, __STACKTRACE__)}
  end

  defp blame(f) do
    f.()
  rescue
    e ->
      {e, stack} = Exception.blame(:error, e, __STACKTRACE__)
      Exception.format_banner(:error, e, stack)
  end
end
