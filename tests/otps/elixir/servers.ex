# GenServer, Supervisor, DynamicSupervisor, Registry, Agent: restarts, names by Registry, timeouts, stop.
defmodule Servers.Counter do
  use GenServer

  def start_link(name), do: GenServer.start_link(__MODULE__, name, name: via(name))
  def via(name), do: {:via, Registry, {Servers.Registry, name}}
  def next(name), do: GenServer.call(via(name), :next)

  def init(name) do
    Process.flag(:trap_exit, true)
    {:ok, {name, 0}, {:continue, :ready}}
  end

  def handle_continue(:ready, {name, n}), do: {:noreply, {name, n + 1}}
  def handle_call(:next, _, {name, n}), do: {:reply, {name, n}, {name, n + 1}}
  def handle_call(:slow, _, s), do: {:noreply, s}
  def handle_call({:later, value}, from, s), do: {:noreply, s, {:continue, {:answer, from, value}}}
  def handle_cast(:crash, _), do: exit(:crashed)
  def handle_cast({:add, k}, {name, n}), do: {:noreply, {name, n + k}}
  def handle_info({:tell, pid}, s), do: {send(pid, {:told, s}), s} |> then(fn {_, s} -> {:noreply, s} end)
  def terminate(reason, {name, _}), do: IO.puts("#{name} ends: #{inspect(reason)}")
end

defmodule Servers do
  alias Servers.Counter

  def main(_) do
    Logger.configure(level: :none)
    {:ok, _} = Registry.start_link(keys: :unique, name: Servers.Registry)
    {:ok, _} = Registry.start_link(keys: :duplicate, name: Servers.Topics, partitions: 2)

    children = [
      Supervisor.child_spec({Counter, "a"}, id: :a),
      Supervisor.child_spec({Counter, "b"}, id: :b, restart: :transient),
      {DynamicSupervisor, name: Servers.Dynamic, strategy: :one_for_one}
    ]

    {:ok, sup} = Supervisor.start_link(children, strategy: :one_for_one, name: Servers.Supervisor)
    IO.inspect(for _ <- 1..3, do: Counter.next("a"))
    IO.inspect(Supervisor.count_children(sup) |> Enum.sort())
    IO.inspect(for {id, _, type, mods} <- Supervisor.which_children(sup), do: {id, type, mods})
    GenServer.cast(Counter.via("a"), {:add, 10})
    IO.inspect(Counter.next("a"))
    [{old, _}] = Registry.lookup(Servers.Registry, "a")
    ref = Process.monitor(old)
    GenServer.cast(Counter.via("a"), :crash)
    receive do: ({:DOWN, ^ref, _, _, reason} -> IO.inspect(reason))
    IO.inspect(wait(fn -> Counter.next("a") end))

    {:ok, pid} = DynamicSupervisor.start_child(Servers.Dynamic, {Counter, "c"})
    IO.inspect(Counter.next("c"))
    IO.inspect(DynamicSupervisor.terminate_child(Servers.Dynamic, pid))
    IO.inspect(Registry.count(Servers.Registry))
    IO.inspect(catch_exit(fn -> GenServer.call(Counter.via("b"), :slow, 20) end))
    IO.inspect(catch_exit(fn -> GenServer.call(Counter.via("nobody"), :next) end))
    IO.inspect(GenServer.call(Counter.via("b"), :next))
    IO.inspect(GenServer.whereis(Counter.via("none")))
    send(GenServer.whereis(Counter.via("b")), {:tell, self()})
    receive do: ({:told, s} -> IO.inspect(s))

    for t <- [:x, :x, :y], do: {:ok, _} = Registry.register(Servers.Topics, t, {t, :value})
    Registry.dispatch(Servers.Topics, :x, fn entries -> for {pid, v} <- entries, do: send(pid, v) end)
    IO.inspect(for _ <- 1..2, do: receive(do: (v -> v)))
    IO.inspect(Registry.keys(Servers.Topics, self()) |> Enum.sort())
    IO.inspect(Registry.match(Servers.Topics, :y, {:_, :value}) |> length())
    IO.inspect(Registry.select(Servers.Registry, [{{:"$1", :_, :_}, [], [:"$1"]}]) |> Enum.sort())

    {:ok, agent} = Agent.start_link(fn -> %{} end)
    Agent.update(agent, &Map.put(&1, :k, 1))
    IO.inspect({Agent.get(agent, & &1), Agent.get_and_update(agent, &{map_size(&1), %{}}), Agent.get(agent, & &1)})
    IO.inspect(Agent.stop(agent))
    IO.inspect(:sys.get_state(Counter.via("b")))
    IO.inspect(GenServer.stop(Counter.via("b"), :normal))
    IO.inspect(Supervisor.stop(sup))
    IO.inspect(Supervisor.start_link([{Servers.Refusing, []}], strategy: :one_for_one) |> elem(0))
  catch
    kind, reason -> IO.inspect({kind, reason})
  end

  defp wait(f) do
    f.()
  catch
    :exit, _ -> Process.sleep(5) && wait(f)
  end

  defp catch_exit(f) do
    f.()
  catch
    :exit, {reason, {GenServer, :call, [name | _]}} -> {:exit, reason, name}
  end
end
