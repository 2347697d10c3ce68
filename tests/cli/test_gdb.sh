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
# Stopped twice a second when it has its number written, until it is seen to spin.
stop() {
  for _ in {1..600}; do [ -s "$scratch/pid" ] && break; sleep 0.1; done
  while sleep 0.5 && kill -TRAP "$(cat "$scratch/pid")" 2>/dev/null; do :; done
}
cat >"$scratch/look" <<'EOF'
set $stops = 0
run
pipe thread apply all backtrace 1 | grep spin:spin/2
while $_shell_exitcode != 0 && $stops < 40
  set $stops = $stops + 1
  continue
  pipe thread apply all backtrace 1 | grep spin:spin/2
end
kill
EOF
stop &
expect 0 'spin:spin/2' gdb -batch -x "$scratch/look" \
  --args "$WHITEBEAM" run --gdb-symbols --schedulers 1 "$scratch/spin.beam" main "$scratch/pid"
wait
finish
