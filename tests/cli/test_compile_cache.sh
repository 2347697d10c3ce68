# The cache of compiled sources: races, interruptions, places that cannot be written.
source "$(dirname "$0")/check.sh"

program twice <<'P2'
-module(twice).
-export([main/1]).
main(_) -> io:format("once~n").
P2
t=$scratch/twice.erl
# Six at once: all of them run, one result remains.
for ((i = 0; i < 6; i++)); do timeout 60 "$WHITEBEAM" run "$t" >"$scratch/out$i" 2>&1 & done
wait
for ((i = 0; i < 6; i++)); do
  [ "$(cat "$scratch/out$i")" = once ] || { echo "FAILED: compiling at once: $(cat "$scratch/out$i")"; failures=$((failures + 1)); }
done
files() { find "$XDG_CACHE_HOME/whitebeam" -name images -prune -o -type f -print | sort | xargs -n1 basename | tr '\n' ' '; }
[ "$(files)" = "made_from twice.beam " ] || { echo "FAILED: in the cache: $(files)"; failures=$((failures + 1)); }

# Killed while it compiles: nothing half-finished is used, and the next one clears up.
sed -i 's/once/again/' "$t"
for delay in 0.05 0.1 0.2 0.4; do timeout -s KILL $delay "$WHITEBEAM" run "$t" >/dev/null 2>&1; done
compiles() { local f; for f in /proc/[0-9]*/cmdline; do [[ $(tr '\0' ' ' 2>/dev/null <"$f") != *"$scratch"* ]] || return 0; done; return 1; }
for _ in $(seq 600); do compiles || break; sleep 0.1; done 2>/dev/null
expect 0 '^again$' "$WHITEBEAM" run "$t"
rm -rf "$XDG_CACHE_HOME/whitebeam"/*/
mkdir -p "$XDG_CACHE_HOME/whitebeam"
sed -i 's/again/three/' "$t"
expect 0 '^three$' "$WHITEBEAM" run "$t"
made=$(dirname "$(find "$XDG_CACHE_HOME/whitebeam" -name twice.beam)")
mkdir "$made.4194303"  # no process has this number
: >"$made/twice.beam"
touch -d '2001-01-01' "$made/twice.beam"
expect 0 '^three$' "$WHITEBEAM" run "$t"
[ ! -e "$made.4194303" ] || { echo "FAILED: the leftovers of a killed one remain"; failures=$((failures + 1)); }

# Not writable, not there, not named.
expect 0 '^three$' env XDG_CACHE_HOME=/proc/nowhere TMPDIR="$scratch" "$WHITEBEAM" run "$t"
expect 0 '^three$' env -u XDG_CACHE_HOME -u HOME TMPDIR="$scratch" "$WHITEBEAM" run "$t"
rm -rf "$scratch"/whitebeam-*
mkdir -m 777 "$scratch/whitebeam-$(id -u)"
expect 2 'not ours' env XDG_CACHE_HOME=/proc/nowhere TMPDIR="$scratch" "$WHITEBEAM" run "$t"

# Sources that cannot be compiled; no compiler.
program wrong <<'P2'
-module(wrong).
main( -> ok.
P2
expect 2 'wrong.erl:2.*syntax error' "$WHITEBEAM" run "$scratch/wrong.erl"
program named <<'P2'
-module(other_name).
-export([main/1]).
main(_) -> ok.
P2
expect 2 'other_name|named' "$WHITEBEAM" run "$scratch/named.erl"
: >"$scratch/empty.erl"
expect 2 'empty.erl' "$WHITEBEAM" run "$scratch/empty.erl"
mkdir -p "$scratch/otp" "$scratch/bin"
ln -sfn /usr/lib/erlang/lib "$scratch/otp/lib"
expect 2 'no erlc found' env PATH="$scratch/bin" "$WHITEBEAM" run --otp "$scratch/otp" "$t"
finish
