# A ping server in Elixir: compiled by elixirc, run with Elixir's own modules.
#
#     whitebeam run -pa /usr/lib/elixir/lib/elixir/ebin -pa . Elixir.PingServer
#
# A GenServer counts pings per name; clients are tasks; the report uses Enum, String, pipes,
# comprehensions, protocols and string interpolation.
defmodule PingServer.Pong do
  defstruct name: "", count: 0

  defimpl String.Chars do
    def to_string(%{name: name, count: count}), do: "pong #{count} for #{name}"
  end
end

defmodule PingServer do
  use GenServer
  alias PingServer.Pong

  def main(_args) do
    {:ok, server} = GenServer.start_link(__MODULE__, %{}, name: :ping_server)

    ["ada", "bob", "eve"]
    |> Enum.map(fn name -> Task.async(fn -> for _ <- 1..5, do: ping(server, name) end) end)
    |> Enum.map(&Task.await/1)
    |> Enum.map(&List.last/1)
    |> Enum.each(&IO.puts/1)

    IO.puts(ping(:ping_server, String.upcase("żółw")))
    IO.inspect(GenServer.call(server, :counts), label: "counts")
    IO.inspect(Enum.reduce(1..10, 0, &+/2))
    IO.puts(Enum.join(for(<<c <- "whitebeam">>, c in ?a..?h, do: <<c>>), ","))

    try do
      GenServer.call(server, :unknown, 60_000)
    catch
      :exit, {{%RuntimeError{message: message}, _stack}, _call} -> IO.puts("the server raised: #{message}")
    end
  end

  def ping(server, name), do: GenServer.call(server, {:ping, name})

  @impl true
  def init(counts) do
    {:ok, counts}
  end

  @impl true
  def handle_call({:ping, name}, _from, counts) do
    counts = Map.update(counts, name, 1, &(&1 + 1))
    {:reply, %Pong{name: name, count: counts[name]}, counts}
  end

  def handle_call(:counts, _from, counts), do: {:reply, counts, counts}

  def handle_call(:unknown, {client, _}, _counts) do
    Process.unlink(client)
    raise "I only know ping"
  end
end
