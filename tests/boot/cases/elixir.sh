# needs: elixir
# quick
elixir -e ':ok'; echo $?
elixir -e 'IO.puts("hi é"); IO.inspect(System.argv()); System.halt(3)' -- a b; echo $?
cat > a.exs <<'F'
defmodule A do
  def f(x), do: Enum.map(x, & &1 * 2)
end
IO.inspect(A.f([1, 2, 3]))
IO.inspect(System.argv())
IO.inspect(String.upcase("straße"))
raise "oops"
F
elixir a.exs 1 2 2>&1; echo $?
elixir --version | tail -1
printf 'defmodule B do\n  def x, do: 1\nend\n' > b.ex
elixirc b.ex && elixir -e 'IO.inspect(B.x())'
elixir -e 'IO.gets("") |> IO.inspect' <<< "line"
