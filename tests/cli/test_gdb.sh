# A debugger sees names of native code (--gdb-symbols).
source "$(dirname "$0")/check.sh"

command -v gdb >/dev/null && gdb -batch -ex run true 2>&1 | grep -q 'exited normally' ||
  { echo "skipped: no gdb that may debug"; exit 77; }
"$WHITEBEAM" doctor | grep -q 'baseline' || { echo "skipped: no native code"; exit 77; }

program spin <<'EOF'
-module(spin).
-export([main/1]).
main([File]) ->
    spin(10, 0),
    ok = file:write_file(File, os:getpid()),
    spin(1 bsl 58, 0).
spin(0, Sum) -> Sum;
spin(N, Sum) -> spin(N - 1, (Sum + N) rem 1000).
EOF
erlc -o "$scratch" "$scratch/spin.erl"
# Stopped when it has its number written and spins.
stop() {
  for _ in {1..600}; do [ -s "$scratch/pid" ] && break; sleep 0.1; done
  sleep 1
  kill -TRAP "$(cat "$scratch/pid")"
}
stop &
expect 0 'spin:spin/2' gdb -batch -ex run -ex 'thread apply all backtrace 1' -ex kill \
  --args "$WHITEBEAM" run --gdb-symbols --schedulers 1 "$scratch/spin.beam" main "$scratch/pid"
finish
