# Date, Time, DateTime, Duration, Calendar.
defmodule Dates do
  def main(_) do
    d = ~D[2024-02-29]
    IO.inspect([Date.add(d, 366), Date.shift(d, year: 1), Date.shift(d, month: -12, day: 3), Date.beginning_of_week(d), Date.end_of_month(d)])
    IO.inspect([Date.day_of_week(d), Date.day_of_year(d), Date.leap_year?(d), Date.diff(d, ~D[2000-01-01]), Date.quarter_of_year(d)])
    IO.inspect([Date.new(2023, 2, 29), Date.from_iso8601("2024-13-01"), Date.compare(d, ~D[2024-03-01]), Date.range(d, ~D[2024-03-03]) |> Enum.count()])
    IO.inspect(Date.range(d, ~D[2024-02-20], -3))
    IO.inspect(Duration.new!(year: 1, month: 2, day: -3, hour: 4, microsecond: {123, 6}))
    IO.inspect(Duration.add(Duration.new!(hour: 1), Duration.new!(minute: 30)) |> Duration.to_iso8601())
    IO.inspect([Duration.from_iso8601("P1Y2M3DT4H5M6.7S"), Duration.negate(Duration.new!(week: 2)), Duration.multiply(Duration.new!(second: 2), 3)])
    IO.inspect([Duration.from_iso8601("P"), Duration.to_string(Duration.new!(day: 1, second: 90))])
    IO.inspect([Time.add(~T[23:59:59], 2), Time.shift(~T[10:00:00], minute: -61), Time.diff(~T[12:00:00], ~T[11:00:00.5], :millisecond), Time.truncate(~T[01:02:03.456], :second)])
    dt = ~U[2024-02-29 12:34:56.789Z]
    IO.inspect([DateTime.add(dt, 1, :day), DateTime.shift(dt, month: 1, hour: -13), DateTime.to_unix(dt, :millisecond), DateTime.from_unix!(1_700_000_000)])
    IO.inspect([DateTime.to_iso8601(dt), DateTime.from_iso8601("2024-01-01T00:00:00+02:00"), DateTime.diff(dt, ~U[2024-01-01 00:00:00Z], :hour)])
    IO.inspect([NaiveDateTime.shift(~N[2024-01-31 00:00:00], month: 1), NaiveDateTime.from_erl({{2024, 1, 1}, {0, 0, 0}}), NaiveDateTime.to_gregorian_seconds(~N[2024-01-01 00:00:00])])
    IO.inspect(Calendar.strftime(dt, "%A, %-d. %B %Y %H:%M:%S.%f %p %j %y %Z %a %b"))
    IO.inspect([DateTime.compare(dt, DateTime.add(dt, 1)), Enum.max([~D[2024-01-01], ~D[2023-12-31]], Date), Enum.sort([~D[2024-02-01], ~D[2023-03-01]], {:desc, Date})])
    IO.inspect([Calendar.ISO.days_in_month(2023, 2), Calendar.ISO.iso_days_to_unit({1, {0, 1}}, :second), Calendar.compatible_calendars?(Calendar.ISO, Calendar.ISO)])
    IO.inspect(rescue_message(fn -> Date.new!(2024, 2, 30) end))
    IO.inspect(rescue_message(fn -> Date.shift(d, hour: 1) end))
    IO.inspect(rescue_message(fn -> DateTime.now!("Europe/Warsaw") end))
    IO.inspect(DateTime.utc_now().year >= 2024)
    IO.puts("#{d} #{~T[00:00:00]} #{dt} #{~N[2024-01-01 01:02:03.4]}")
  end

  defp rescue_message(f) do
    f.()
  rescue
    e -> {e.__struct__, Exception.message(e)}
  end
end
