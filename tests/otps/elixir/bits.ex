# Binary patterns.
defmodule Bits do
  def main(_) do
    IO.inspect(for b <- ["GET /x HTTP/1.1", "POST /a b", "x", <<1, 2>>], do: request(b))
    IO.inspect(for b <- [<<1, 0, 5, "hello", 9>>, <<2, 255, 255, 255, 254>>, <<3, 3::16-little, 1.5::float>>, <<4, "zażó"::utf16>>, <<5>>, "", <<1::3>>], do: packet(b))
    IO.inspect(utf8("aż🦊"))
    IO.inspect({<<-1::16>>, <<1::size(4), 2::4>>, <<1.5::32-float>>, <<"ż"::utf32-little>>, <<300>>, <<1::1, 0::2>>})
    IO.inspect(sum(:binary.copy(<<1, 2, 3>>, 1000), 0))
    n = 5
    <<a::binary-size(n), b::bitstring>> = <<"hello", 1::7>>
    IO.inspect({a, b, bit_size(b), is_binary(b), is_bitstring(b)})
    <<x::signed-16, y::little-unsigned-16, z::signed-little-24, r::bits>> = <<255, 254, 1, 0, 1, 2, 255, 7::3>>
    IO.inspect({x, y, z, r})
    <<len, body::binary-size(len)-unit(8), tail::binary>> = <<3, "abcdef">>
    IO.inspect({len, body, tail})
    IO.inspect(match?(<<_::32, 3::32>>, <<1, 2, 3, 4, 0, 0, 0, 3>>))
    IO.inspect({binary_part("hello", 1, 3), :binary.match("hello", "ll"), :binary.split("a,b,c", ",", [:global]), :binary.at("abc", 1)})
    IO.inspect(for <<a::2, b::6 <- <<0b01_000011, 0b10_000001>> >>, do: {a, b})
    IO.inspect(for i <- 1..3, into: <<>>, do: <<i::4>>)
    IO.inspect(parse_csv("a,\"b,c\",d\n1,2,3\n"))
    IO.inspect(hex("żółw") <> Base.encode16("x"))
    IO.inspect(try do <<_::16, _::binary>> = "x" rescue e -> Exception.message(e) end)
    IO.inspect(try do <<hd(["x"])::16>> rescue e -> e.__struct__ end)
    IO.inspect(case <<0, 0, 1, 200>> do <<n::32>> when n > 400 -> {:big, n}; <<n::32>> -> n end)
    IO.inspect({:erlang.crc32("abc"), :erlang.md5("a") |> Base.encode16(), :binary.encode_unsigned(65537), :binary.decode_unsigned(<<1, 0, 1>>, :little)})
  end

  defp request("GET " <> rest), do: {:get, hd(String.split(rest))}
  defp request(<<"POST ", path::binary-size(2), _::binary>>), do: {:post, path}
  defp request(<<c>>), do: {:one, c}
  defp request(other), do: {:other, other}

  defp packet(<<1, n::16, s::binary-size(n), rest::binary>>), do: {:string, s, rest}
  defp packet(<<2, i::signed-32>>), do: {:int, i}
  defp packet(<<3, n::little-16, f::float>>), do: {:float, n, f}
  defp packet(<<4, rest::binary>>), do: {:utf16, for(<<c::utf16 <- rest>>, into: "", do: <<c::utf8>>)}
  defp packet(<<t, _::binary>>), do: {:unknown, t}
  defp packet(<<>>), do: :empty
  defp packet(b), do: {:bits, bit_size(b)}

  defp utf8(<<c::utf8, r::binary>>), do: [c | utf8(r)]
  defp utf8(""), do: []
  defp sum(<<a, b, c, r::binary>>, acc), do: sum(r, acc + a * b + c)
  defp sum(<<>>, acc), do: acc
  defp hex(<<h::4, l::4, r::binary>>), do: <<digit(h), digit(l)>> <> hex(r)
  defp hex(<<>>), do: ""
  defp digit(d) when d < 10, do: ?0 + d
  defp digit(d), do: ?a + d - 10

  defp parse_csv(b), do: csv(b, "", [], [])
  defp csv(<<>>, _, _, rows), do: Enum.reverse(rows)
  defp csv(<<?", r::binary>>, f, row, rows), do: quoted(r, f, row, rows)
  defp csv(<<?,, r::binary>>, f, row, rows), do: csv(r, "", [f | row], rows)
  defp csv(<<?\n, r::binary>>, f, row, rows), do: csv(r, "", [], [Enum.reverse([f | row]) | rows])
  defp csv(<<c, r::binary>>, f, row, rows), do: csv(r, <<f::binary, c>>, row, rows)
  defp quoted(<<?", r::binary>>, f, row, rows), do: csv(r, f, row, rows)
  defp quoted(<<c, r::binary>>, f, row, rows), do: quoted(r, <<f::binary, c>>, row, rows)
end
