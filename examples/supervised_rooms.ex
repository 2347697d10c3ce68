# Rooms that are found by name and started when first entered: Registry, DynamicSupervisor, GenServer, Supervisor.
#
#     whitebeam run -pa /usr/lib/elixir/lib/elixir/ebin -pa . Elixir.SupervisedRooms
#
# Look at Room.enter/2: nobody keeps a room's pid. The name goes through the Registry (`:via`), so a room that crashed is found
# again as soon as its supervisor has started it anew; and at init of Rooms: if the Registry crashed, all rooms would be
# restarted with it (`:rest_for_one`), because their names would be gone.
defmodule Room do
  use GenServer, restart: :transient

  def start_link(name), do: GenServer.start_link(__MODULE__, name, name: via(name))
  def via(name), do: {:via, Registry, {Rooms.Names, name, :room}}

  def enter(name, who) do
    case DynamicSupervisor.start_child(Rooms.Supervisor, {__MODULE__, name}) do
      {:ok, _} -> :started
      {:error, {:already_started, _}} -> :there
    end
    |> then(&{&1, GenServer.call(via(name), {:enter, who})})
  end

  def guests(name), do: GenServer.call(via(name), :guests)
  def leave(name, who), do: GenServer.cast(via(name), {:leave, who})

  @impl true
  def init(name), do: {:ok, {name, []}}

  @impl true
  def handle_call({:enter, who}, _from, {name, guests}), do: {:reply, length(guests) + 1, {name, [who | guests]}}
  def handle_call(:guests, _from, {_, guests} = state), do: {:reply, Enum.sort(guests), state}

  @impl true
  def handle_cast({:leave, who}, {name, guests}) do
    case List.delete(guests, who) do
      [] -> {:stop, :normal, {name, []}}
      left -> {:noreply, {name, left}}
    end
  end
end

defmodule Rooms do
  use Supervisor
  def start_link(arg), do: Supervisor.start_link(__MODULE__, arg, name: __MODULE__)

  @impl true
  def init(_) do
    Supervisor.init(
      [
        {Registry, keys: :unique, name: Rooms.Names},
        {DynamicSupervisor, name: Rooms.Supervisor, strategy: :one_for_one}
      ],
      strategy: :rest_for_one
    )
  end
end

defmodule SupervisedRooms do
  def main(_args) do
    :logger.set_primary_config(:level, :none)
    Process.flag(:trap_exit, true)
    {:ok, top} = Rooms.start_link([])
    IO.inspect(for who <- [:ada, :bob, :eve], do: Room.enter(:library, who))
    IO.inspect(Room.enter(:garden, :ada))
    IO.inspect(Room.guests(:library))
    IO.inspect(Enum.sort(Registry.select(Rooms.Names, [{{:"$1", :_, :"$2"}, [], [{{:"$1", :"$2"}}]}])))
    IO.inspect(DynamicSupervisor.count_children(Rooms.Supervisor))

    # It is killed, started anew, found by its name, and has forgotten its guests.
    [{pid, :room}] = Registry.lookup(Rooms.Names, :library)
    monitor = Process.monitor(pid)
    Process.exit(pid, :kill)
    receive do: ({:DOWN, ^monitor, _, _, reason} -> IO.inspect(reason))
    again = wait(fn -> Enum.find(Registry.lookup(Rooms.Names, :library), fn {p, _} -> p != pid end) end)
    IO.inspect({elem(again, 0) == pid, Room.guests(:library)})

    # The last one out ends the room: `:transient` means that a normal end is no crash.
    Room.leave(:garden, :ada)
    wait(fn -> Registry.lookup(Rooms.Names, :garden) == [] end)
    IO.inspect(DynamicSupervisor.count_children(Rooms.Supervisor).active)
    IO.inspect(Enum.map(Supervisor.which_children(top), fn {id, _, type, _} -> {id, type} end) |> Enum.sort())
    IO.inspect(Supervisor.stop(top))
  end

  defp wait(f) do
    f.() || (Process.sleep(5) && wait(f))
  end
end
