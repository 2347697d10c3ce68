# JSON, with protocols of one's own.
defmodule Json.Point do
  @derive JSON.Encoder
  defstruct [:x, :y]
end

defmodule Json.Secret do
  @derive {JSON.Encoder, only: [:shown]}
  defstruct [:shown, :hidden]
end

defmodule Json do
  def main(_) do
    for t <- [1, -1.5, 1.0e30, "ż\"\n\u0001🦊", nil, true, :atom, [], [1, [2]], %{}, %{"k" => [1]}, %{1 => :a}, ~D[2024-01-01],
              %Json.Point{x: 1, y: nil}, %Json.Secret{shown: 1, hidden: 2}, [%{a: "b"}], 0.1, 1.0e-7, 123456789012345678901234567890] do
      IO.puts(JSON.encode!(t))
    end

    IO.inspect(JSON.encode!(%{a: 1, b: 2}) |> JSON.decode!() |> Enum.sort())

    for s <- ["1", " [1, 2.5e3, -0.0, \"a\\u017c\\ud83e\\udd8a\"] ", "{\"a\":{\"b\":[true,false,null]}}", "\"\\n\\/\"", "[1,]", "{\"a\" 1}", "", "nul", "\"\xff\"", "1 2", "[", "\"\\ud83e\"", "01", "1e5", "[]"] do
      IO.inspect(JSON.decode(s))
    end

    IO.inspect(JSON.decode("{\"a\":[1,{\"b\":2}],\"c\":3}", :acc, object_push: fn k, v, acc -> [{String.to_atom(k), v} | acc] end, object_start: fn _ -> [] end, object_finish: fn acc, old -> {Enum.reverse(acc), old} end))

    try do
      JSON.decode!("[1, x]")
    rescue
      e -> IO.inspect({e.__struct__, Exception.message(e)})
    end

    try do
      JSON.encode!({1, 2})
    rescue
      e -> IO.inspect(e.__struct__)
    end

    big = for i <- 1..500, do: %{"id" => i, "name" => "name #{i}", "tags" => ["a", "b"], "v" => i / 3}
    text = JSON.encode!(big)
    IO.inspect(JSON.decode!(text) == big)
    IO.inspect(:json.decode("{\"x\":[1,null]}") |> Map.to_list())
    IO.puts(:json.encode([1, "a", %{b: :null}]))
    IO.puts(:json.format([1, %{"a" => [2, 3]}]))
  end
end
