# Logger as programs use it, and what Application, Config, Mix-less Version and System say.
defmodule Logging do
  require Logger

  def main(_) do
    {:ok, _} = Application.ensure_all_started(:ex_unit)
    log = ExUnit.CaptureLog.capture_log([format: "$level $metadata$message\n", metadata: [:user], colors: [enabled: false]], fn ->
      Logger.info("hello", user: 7)
      Logger.warning(fn -> "lazy #{1 + 1}" end)
      Logger.error("bad: #{inspect({:a, "b"})}")
      Logger.debug(%{report: 1})
    end)
    IO.puts(log)
    IO.inspect({Logger.level() in Logger.levels(), Logger.compare_levels(:info, :error)})
    Logger.put_module_level(Logging, :error)
    IO.puts(ExUnit.CaptureLog.capture_log([format: "$message\n", colors: [enabled: false]], fn -> Logger.info("not seen"); Logger.error("seen") end))
    IO.inspect({Application.get_env(:nothing, :x, :default), Application.put_env(:mine, :k, 1), Application.fetch_env!(:mine, :k)})
    IO.inspect({Version.match?("1.2.3", "~> 1.2"), Version.compare("1.0.0-rc", "1.0.0"), Version.parse("x")})
    IO.inspect(Enum.map([:elixir, :logger], &(Application.spec(&1, :vsn) == String.to_charlist(System.version()))))
    IO.inspect(System.otp_release() |> String.to_integer() >= 27)
    IO.inspect(Supervisor.child_spec({Agent, fn -> 1 end}, id: :x) |> Map.take([:id]))
    IO.inspect({System.unique_integer([:positive, :monotonic]) > 0, System.convert_time_unit(1, :second, :millisecond), is_integer(System.os_time())})
    IO.inspect({:persistent_term.get(:nothing, 1), :counters.new(1, []) |> then(fn c -> :counters.add(c, 1, 5); :counters.get(c, 1) end)})
  end
end
