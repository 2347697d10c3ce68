# Structs and protocols: derive, fallback to any, consolidation or not, Enumerable and Collectable of one's own, behaviours.
defprotocol Protocols.Size do
  @fallback_to_any true
  @doc "how large"
  def size(data)
end

defimpl Protocols.Size, for: [BitString, Atom] do
  def size(x), do: {@for, x |> to_string() |> String.length()}
end

defimpl Protocols.Size, for: Map, do: (def size(m), do: map_size(m))
defimpl Protocols.Size, for: Any, do: (def size(_), do: :any)

defprotocol Protocols.Strict do
  def it(x)
end

defmodule Protocols.Money do
  @enforce_keys [:amount]
  defstruct [:amount, currency: :pln]
  @type t :: %__MODULE__{amount: integer, currency: atom}

  defimpl String.Chars, do: (def to_string(m), do: "#{m.amount} #{m.currency}")

  defimpl Inspect do
    import Inspect.Algebra
    def inspect(m, opts), do: concat(["#Money<", to_doc(m.amount, opts), ">"])
  end
end

defmodule Protocols.Countdown do
  defstruct from: 0

  defimpl Enumerable do
    def count(c), do: {:ok, c.from}
    def member?(_, _), do: {:error, __MODULE__}
    def slice(_), do: {:error, __MODULE__}
    def reduce(_, {:halt, acc}, _), do: {:halted, acc}
    def reduce(c, {:suspend, acc}, f), do: {:suspended, acc, &reduce(c, &1, f)}
    def reduce(%{from: 0}, {:cont, acc}, _), do: {:done, acc}
    def reduce(c, {:cont, acc}, f), do: reduce(%{c | from: c.from - 1}, f.(c.from, acc), f)
  end

  defimpl Collectable do
    def into(c) do
      {c, fn
        acc, {:cont, n} -> %{acc | from: acc.from + n}
        acc, :done -> acc
        _, :halt -> :ok
      end}
    end
  end
end

defmodule Protocols.Shape do
  @callback area(term) :: number
  @optional_callbacks name: 0
  @callback name() :: String.t()
end

defmodule Protocols.Square do
  @behaviour Protocols.Shape
  @impl true
  def area(a), do: a * a
end

defmodule Protocols do
  alias Protocols.{Countdown, Money, Size, Square, Strict}

  def main(_) do
    m = %Money{amount: 5}
    IO.puts("#{m}")
    IO.inspect([m, {m}])
    IO.inspect(%{m | amount: 7}.amount)
    IO.inspect(Map.from_struct(m), custom_options: [sort_maps: true])
    IO.inspect(for x <- ["żaba", :atom, %{a: 1}, 1, m], do: Size.size(x))
    IO.inspect(Enum.to_list(%Countdown{from: 4}))
    IO.inspect({Enum.count(%Countdown{from: 4}), 2 in %Countdown{from: 4}, Enum.zip(%Countdown{from: 2}, [:a, :b])})
    IO.inspect(Enum.into([1, 2, 3], %Countdown{}) |> Map.from_struct())
    IO.inspect(Enum.map(%Countdown{from: 3}, &(&1 * 2)) |> Enum.sum())
    IO.inspect(rescue_message(fn -> Strict.it(1) end))
    IO.inspect(rescue_message(fn -> Strict.it(m) end))
    IO.inspect(rescue_message(fn -> struct!(Money, currency: :eur) end))
    IO.inspect(rescue_message(fn -> struct!(Money, amount: 1, nothing: 2) end))
    IO.inspect(rescue_message(fn -> m.nothing end))
    IO.inspect(rescue_message(fn -> %{a: 1}.b end))
    IO.inspect(rescue_message(fn -> Enum.map(1, & &1) end))
    IO.inspect({Size.impl_for(1), Size.impl_for!("x"), Strict.impl_for(1), Size.__protocol__(:functions)})
    IO.inspect({Square.area(3), Protocols.Shape.behaviour_info(:callbacks) |> Enum.sort()})
    IO.inspect({is_struct(m), is_struct(m, Money), is_struct(%{}), is_exception(%ArgumentError{})})
    IO.inspect({match?(%Money{amount: a} when a > 3, m), match?(%_{}, %{}), match?(%{__struct__: _}, m)})
    IO.inspect({put_in(m.amount, 9).amount, update_in(%{a: [x: 1]}, [:a, :x], &(&1 + 1)), get_in(%{a: [%{b: 1}, %{b: 2}]}, [:a, Access.all(), :b])})
    IO.inspect({pop_in(%{a: %{b: 1}}, [:a, :b]), Map.pop(%{a: 1}, :a), Access.get([k: 1], :k)})
  end

  defp rescue_message(f) do
    f.()
  rescue
    e -> {e.__struct__, Exception.message(e)}
  end
end
