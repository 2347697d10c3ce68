# needs: iex
printf '1 + 2\nx = [1, 2]\nEnum.sum(x)\nraise "a"\n:erlang.system_info(:otp_release)\n' | iex 2>&1 | sed 's/^Erlang.*//'
