# gen_tcp and gen_udp: since OTP 26 what is sent begins with a reference that comes back with the answer.
defmodule Sockets do
  def main(_) do
    {:ok, listener} = :gen_tcp.listen(0, [:binary, active: false, packet: 4, reuseaddr: true])
    {:ok, port} = :inet.port(listener)
    server = Task.async(fn -> serve(listener) end)
    {:ok, s} = :gen_tcp.connect(~c"localhost", port, [:binary, active: false, packet: 4])
    IO.inspect({:gen_tcp.send(s, "hello"), :gen_tcp.recv(s, 0, 5000)})
    IO.inspect({:gen_tcp.send(s, ["io", ?l, ["ist" | "!"]]), :gen_tcp.recv(s, 0, 5000)})
    big = :binary.copy("żółw", 300_000)
    sender = Task.async(fn -> :gen_tcp.send(s, big) end)
    {:ok, back} = :gen_tcp.recv(s, 0, 20_000)
    IO.inspect({Task.await(sender), back == big})
    IO.inspect(for(n <- 1..50, do: :gen_tcp.send(s, <<n>>)) |> Enum.uniq())
    IO.inspect(for(_ <- 1..50, do: :gen_tcp.recv(s, 0, 5000)) |> Enum.map(fn {:ok, <<n>>} -> n end) |> Enum.sum())
    IO.inspect({:gen_tcp.close(s), :gen_tcp.send(s, "x"), Task.await(server)})

    {:ok, a} = :gen_udp.open(0, [:binary, active: false])
    {:ok, b} = :gen_udp.open(0, [:binary, active: true])
    {:ok, to} = :inet.port(b)
    IO.inspect(:gen_udp.send(a, {127, 0, 0, 1}, to, ["data", "gram"]))
    receive do: ({:udp, ^b, {127, 0, 0, 1}, _, data} -> IO.inspect(data))
    IO.inspect(Process.info(self(), :message_queue_len))
  end

  defp serve(listener) do
    {:ok, s} = :gen_tcp.accept(listener)
    echo(s)
  end

  defp echo(s) do
    case :gen_tcp.recv(s, 0) do
      {:ok, data} -> :ok = :gen_tcp.send(s, data)
        echo(s)
      {:error, reason} -> reason
    end
  end
end
