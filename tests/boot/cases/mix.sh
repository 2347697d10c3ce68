# needs: mix
mix new demo | sed 's/in [0-9.]* seconds//'
cd demo
mix compile
mix test 2>&1 | sed 's/in [0-9.]* seconds.*//; s/seed:* [0-9]*//'
mix run -e 'IO.inspect(Demo.hello())'
mix format --check-formatted; echo $?
printf 'defmodule DemoTest do\n  use ExUnit.Case\n  test "wrong" do\n    assert Demo.hello() == :moon\n  end\nend\n' > test/demo_test.exs
mix test 2>&1 | sed 's/in [0-9.]* seconds.*//; s/seed:* [0-9]*//'; echo "${PIPESTATUS[0]}"
