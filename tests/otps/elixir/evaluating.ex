# Code.eval_string with defmodule, quote and macros at run time, warnings and errors of the compiler, Code.format_string!.
defmodule Evaluating do
  def main(_) do
    {value, binding} = Code.eval_string("a = 1; b = a + 1; a * 10 + b")
    IO.inspect({value, Enum.sort(binding)})

    {{:module, name, code, result}, _} =
      Code.eval_string("""
      defmodule Evaluated do
        @moduledoc false
        @answer 42
        defstruct [:a, b: 2]
        defmacro twice(e), do: quote(do: unquote(e) + unquote(e))
        def answer(x \\\\ 0), do: @answer + x
        def fact(0), do: 1
        def fact(n) when n > 0, do: n * fact(n - 1)
        def binary(<<"v", n::16, rest::binary>>), do: {n, rest}
        def binary(other), do: other
        defp hidden, do: :hidden
        def show, do: hidden()
      end
      """)

    IO.inspect({name, is_binary(code), result})
    IO.inspect(apply(name, :answer, [1]))
    IO.inspect({name.answer(), name.fact(20), name.show(), name.binary("v\x00\x05rest"), name.binary(1)})
    IO.inspect(struct(name, a: 1), custom_options: [sort_maps: true])
    IO.inspect(Code.eval_string("require Evaluated; Evaluated.twice(x)", x: 21) |> elem(0))
    IO.inspect(name.__info__(:functions))
    IO.inspect(rescue_kind(fn -> name.fact(-1) end))

    Code.eval_quoted(quote do
      defmodule Evaluating.Macro do
        defmacro __using__(opts) do
          quote do
            def opts, do: unquote(opts)
            @before_compile Evaluating.Macro
          end
        end

        defmacro __before_compile__(env), do: quote(do: (def mod, do: unquote(env.module)))
      end
    end)

    Code.eval_string("defmodule Evaluating.User do use Evaluating.Macro, a: 1; def z, do: :z end")
    IO.inspect({apply(Evaluating.User, :opts, []), apply(Evaluating.User, :mod, []), apply(Evaluating.User, :z, [])})
    IO.inspect(rescue_kind(fn -> Code.eval_string("1 +") end))
    IO.inspect(rescue_kind(fn -> Code.eval_string("raise \"x\"") end))
    IO.inspect(rescue_kind(fn -> Code.eval_string("foo = ") end))
    {_, diagnostics} = Code.with_diagnostics(fn -> Code.eval_string("fn -> unused = 1 end") end)
    IO.inspect(for d <- diagnostics, do: {d.severity, d.message, d.position})
    {_, errors} = Code.with_diagnostics(fn -> rescue_kind(fn -> Code.eval_string("undefined_thing + 1") end) end)
    IO.inspect(for d <- errors, do: {d.severity, d.message})
    IO.puts(Code.format_string!("x=1;if x==1 do [a: 1,b: 2] else {:a,:b} end"))
    IO.inspect(Code.string_to_quoted!("a |> b(1)"))
    IO.puts(Macro.to_string(quote do: (fn x, y -> x + y * 2 end)))
    IO.puts(Macro.expand(quote(do: unless(a, do: b)), __ENV__) |> Macro.to_string())
    IO.inspect({Code.ensure_loaded?(Evaluated), Code.ensure_loaded(:nothing), function_exported?(Evaluated, :answer, 1), macro_exported?(Evaluated, :twice, 1)})
    IO.inspect(Code.compile_string("defmodule Evaluating.C do def x, do: __MODULE__ end") |> Enum.map(&elem(&1, 0)))
    IO.inspect(:erlang.fun_info(Code.eval_string("fn a, b -> a + b end") |> elem(0), :arity))
    IO.inspect((Code.eval_string("fn a, b -> a <> b end") |> elem(0)).("x", "y"))
    IO.inspect(:code.purge(name) || :code.delete(name))
    IO.inspect(Code.fetch_docs(Enum) |> elem(0))
    IO.inspect(EEx.eval_string("<%= for x <- xs do %>[<%= x %>]<% end %>", xs: [1, 2]))
  end

  defp rescue_kind(f) do
    f.()
  rescue
    e -> {e.__struct__, Exception.message(e)}
  end
end
