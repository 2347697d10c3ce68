# Damaged modules: refused with a message (exit code 2) or run to an end; never a crash or a hang.
source "$(dirname "$0")/check.sh"

program victim <<'P'
-module(victim).
-export([main/1]).
main(_) ->
    L = [X * 2 || X <- lists:seq(1, 10), X > 3],
    B = << <<Y:16>> || Y <- L >>,
    F = fun(Z) -> Z + length(L) end,
    M = #{a => F(1), b => B},
    try maps:get(c, M) catch error:{badkey, c} -> io:format("~p~n", [M]) end,
    self() ! hello,
    receive hello -> 1.5 * F(2) after 100 -> nothing end.
P
(cd "$scratch" && erlc +debug_info victim.erl)
beam=$scratch/victim.beam
size=$(stat -c %s "$beam")
expect 0 'a => 8' "$WHITEBEAM" run "$beam"

# Each damaged copy must end by itself, not by a signal (128 and more; 124 is a timeout).
attempt() {
  local code=0
  timeout 60 "$WHITEBEAM" run "$scratch/bad/victim.beam" >"$scratch/out" 2>&1 </dev/null || code=$?
  if [ $code -ge 124 ]; then
    echo "FAILED: exit code $code: $1"
    tail -5 "$scratch/out"
    mkdir -p build/crashes && cp "$scratch/bad/victim.beam" "build/crashes/victim-$2.beam"
    failures=$((failures + 1))
  fi
}
mkdir -p "$scratch/bad"
step=$((size / 25))
for ((n = 0; n < size; n += step)); do
  head -c $n "$beam" >"$scratch/bad/victim.beam"
  attempt "the first $n of $size bytes" "cut-$n"
done
RANDOM=${SEED:-1}
for ((i = 0; i < 60; i++)); do
  offset=$(((RANDOM * 32768 + RANDOM) % size))
  byte=$((RANDOM % 256))
  cp "$beam" "$scratch/bad/victim.beam"
  printf "\\x$(printf %02x $byte)" | dd of="$scratch/bad/victim.beam" bs=1 seek=$offset conv=notrunc status=none
  attempt "byte $offset set to $byte" "byte-$offset-$byte"
done
head -c 5000 /dev/urandom >"$scratch/bad/victim.beam"
attempt "noise" noise
cp "$(ls /usr/lib/erlang/lib/stdlib-*/ebin/lists.beam)" "$scratch/bad/victim.beam"
expect 2 '.' "$WHITEBEAM" run "$scratch/bad/victim.beam"
finish
