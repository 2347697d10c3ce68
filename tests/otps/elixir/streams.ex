# Stream and for: lazy, infinite, with resources; comprehensions of every form.
defmodule Streams do
  require Integer

  def main(_) do
    IO.inspect(Stream.iterate(1, &(&1 * 2)) |> Stream.reject(&(rem(&1, 3) == 1)) |> Enum.take(5))
    IO.inspect(Stream.unfold({0, 1}, fn {a, b} -> {a, {b, a + b}} end) |> Stream.take_while(&(&1 < 100)) |> Enum.to_list())
    IO.inspect(1..3 |> Stream.cycle() |> Stream.zip(~w(a b c d)) |> Enum.to_list())
    IO.inspect(1..10 |> Stream.chunk_every(3, 2, :discard) |> Enum.to_list())
    IO.inspect(1..10 |> Stream.chunk_by(&(div(&1, 4))) |> Stream.map(&Enum.sum/1) |> Enum.to_list())
    IO.inspect([1, 1, 2, 3, 3] |> Stream.dedup() |> Stream.with_index(10) |> Enum.to_list())
    IO.inspect(1..4 |> Stream.scan(&(&1 + &2)) |> Stream.flat_map(&[&1, -&1]) |> Enum.to_list())
    IO.inspect(1..5 |> Stream.transform(0, fn x, acc -> if acc > 5, do: {:halt, acc}, else: {[x, acc], acc + x} end) |> Enum.to_list())

    resource =
      Stream.resource(
        fn -> IO.puts("open"); 3 end,
        fn 0 -> {:halt, 0}; n -> {[n], n - 1} end,
        fn n -> IO.puts("close at #{n}") end
      )

    IO.inspect(Enum.to_list(resource))
    IO.inspect(Enum.take(resource, 1))

    try do
      Enum.each(resource, fn 2 -> raise "two"; n -> n end)
    rescue
      e -> IO.puts(e.message)
    end

    IO.inspect(Stream.interval(5) |> Enum.take(3))
    IO.inspect(Stream.repeatedly(fn -> :r end) |> Stream.uniq() |> Stream.take(1) |> Enum.to_list())
    IO.inspect(Stream.concat(1..2, [:x]) |> Stream.intersperse(0) |> Enum.to_list())
    IO.inspect(Enum.zip_with([[1, 2], [3, 4]], &Enum.sum/1))

    IO.inspect(for x <- 1..4, y <- x..4, x * y == 4, do: {x, y})
  rescue
    e -> IO.inspect(e)
  after
    more()
  end

  defp more do
    IO.inspect(for({k, v} when v > 1 <- [a: 1, b: 2, c: 3], into: %{}, do: {k, v * v}) |> Enum.sort())
    IO.inspect(for <<r::4, g::4 <- <<0x12, 0x34>> >>, do: r * g)
    IO.inspect(for c <- ~c"hello", into: "", do: <<c + 1>>)
    IO.inspect(for(x <- [1, 2, 1], uniq: true, do: x))
    IO.inspect(for w <- ~w(a b a c a), reduce: %{} do acc -> Map.update(acc, w, 1, &(&1 + 1)) end)
    IO.inspect(for(<<b <- "abc">>, b != ?b, into: <<>>, do: <<b, b>>))
    IO.inspect(for n <- 1..3, Integer.is_odd(n), m = n * 2, do: m)
    IO.inspect(for {:ok, v} <- [{:ok, 1}, :error, {:ok, 2}], do: v)
    IO.inspect(Enum.group_by(1..10, &rem(&1, 3)) |> Enum.sort())
    IO.inspect(Enum.frequencies(~w(a b a)) |> Enum.sort())
    IO.inspect(Enum.reduce_while(1..100, 0, fn x, a -> if a > 10, do: {:halt, a}, else: {:cont, a + x} end))
    IO.inspect({Enum.min_max([3, 1, 2]), Enum.sort_by(~w(bbb a cc), &String.length/1, :desc), Enum.split_with(1..6, &(&1 > 3))})
    IO.inspect({Enum.chunk_while([1, 2, 3, 4], [], fn x, a -> if rem(x, 2) == 0, do: {:cont, Enum.reverse([x | a]), []}, else: {:cont, [x | a]} end, fn a -> {:cont, a} end)})
    IO.inspect({Enum.slide(1..5, 0, 3), Enum.product(1..5), Enum.map_reduce(1..3, 0, &{&1 * 2, &1 + &2}), Enum.flat_map_reduce(1..3, 0, &{[&1, &1], &1 + &2})})
    :rand.seed(:exsss, {1, 2, 3})
    IO.inspect({Enum.shuffle(1..10), Enum.random(1..100), Enum.take_random(1..20, 3)})
    IO.inspect(Range.new(1, 10, 4) |> Enum.to_list() |> Enum.with_index(fn a, b -> a * b end))
    IO.inspect(MapSet.union(MapSet.new(1..3), MapSet.new(3..5)) |> MapSet.to_list() |> Enum.sort())
    IO.inspect(Keyword.merge([a: 1, b: 2], [b: 3], fn _, x, y -> x + y end))
  end
end
