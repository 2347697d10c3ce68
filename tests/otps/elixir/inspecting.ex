# IO.inspect and inspect/2: terms of every kind, options, widths. Maps are printed sorted: since OTP 26 their own
# order is that of atom numbers, an accident of each run.
defmodule Inspecting.User do
  @derive {Inspect, only: [:name]}
  defstruct [:name, :password]
end

defmodule Inspecting.Point do
  defstruct x: 0, y: 0
end

defmodule Inspecting do
  alias Inspecting.{Point, User}

  def main(_) do
    sorted = [custom_options: [sort_maps: true]]

    terms = [
      1, -7, 1_000_000_000_000_000_000_000, 1.0, -0.0, 1.0e100, :atom, :"an atom", nil, true, Enum, :"Elixir.lower",
      "text", "with \"quotes\" and \n", <<255, 1>>, <<1::3>>, ~c"charlist", [1, 2 | 3], [a: 1, b: 2], [{:a, 1}, 2],
      {}, {1, {2}}, %{}, %{a: 1, b: 2}, %{"k" => 1, 2 => 3, :c => 4}, ~r/a.c/iu, 1..10, 1..10//3, 10..1//-1,
      MapSet.new([3, 1, 2]), %Point{x: 1}, %User{name: "n", password: "p"}, ~D[2024-02-29], ~T[12:00:00.123],
      ~N[2024-01-01 00:00:00], ~U[2024-01-01 00:00:00Z], &Enum.map/2, "żółw", [?ż, ?ó], "\u0000\e", :żółw,
      %RuntimeError{message: "oops"}, %{__struct__: :unknown, a: 1}, URI.parse("http://a.b/c?d=e"), Version.parse!("1.2.3-rc.1")
    ]

    for t <- terms, do: IO.inspect(t, sorted)
    IO.inspect(terms, [limit: 5] ++ sorted)
    IO.inspect(Enum.to_list(1..100))
    IO.inspect(Enum.to_list(1..20), width: 20)
    IO.inspect(%{a: %{b: %{c: [1, 2, {:d, "e"}]}}}, [width: 10] ++ sorted)
    IO.inspect("binary", binaries: :as_binaries)
    IO.inspect(~c"chars", charlists: :as_lists)
    IO.inspect([10, 255], base: :hex)
    IO.inspect(1234567, base: :octal)
    IO.inspect({:label, 1}, label: "label")
    IO.inspect(%Point{x: 1, y: 2}, structs: false, custom_options: [sort_maps: true])
    IO.inspect({1, "a", :b}, syntax_colors: [number: :red, string: :green, atom: :blue])
    IO.puts(inspect(String.duplicate("long ", 30), printable_limit: 20))
    IO.puts("#{inspect(:erlang.make_ref()) =~ ~r/^#Reference<[0-9.]+>$/} #{inspect(self()) =~ ~r/^#PID</}")
    IO.puts(inspect(fn x -> x end) =~ ~r/^#Function<[0-9.]+ in Inspecting.main/)
    dbg_result = 1 |> Kernel.+(1) |> dbg()
    IO.inspect(dbg_result)
    IO.puts(:stderr, "to standard error")
    IO.write(["io", ?\s, ["data" | " improper"], 10])
  end
end
