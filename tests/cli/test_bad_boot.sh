#!/bin/bash
# Boots of an OTP that is gone, was replaced or is of another release; few descriptors; a hundred starts in pairs that
# leave nothing. (tests/boot/cases/bad_boot.sh has what `erl` does alike.)
source "$(dirname "$0")/check.sh"
need erlc
otp=$("$WHITEBEAM" doctor | awk '$1 == "OTP" { print $2; exit }')
erts=$(cd "$otp" 2>/dev/null && echo erts-*)
[ -d "$otp/$erts/bin" ] || { echo "skipped: no OTP with its erts"; exit 77; }
export ERL_CRASH_DUMP=/dev/null

# No OTP, or another, after the directory was made: said before any Erlang runs.
mkdir "$scratch/otp"
for part in bin lib releases usr "$erts"; do [ ! -d "$otp/$part" ] || cp -as "$otp/$part" "$scratch/otp/$part"; done
expect 0 '' "$WHITEBEAM" install "$scratch/ours" --otp "$scratch/otp"
boot=("$scratch/ours/bin/erl" -noshell -eval 'io:format("up~n"), halt(3).')
expect 3 '^up$' "${boot[@]}"
for part in lib "$erts"; do
  mv "$scratch/otp/$part" "$scratch/away"
  expect 2 'no OTP.*ours' "${boot[@]}"
  mv "$scratch/away" "$scratch/otp/$part"
done
mv "$scratch/otp" "$scratch/away"
expect 2 'no OTP.*OTP 25 to 29' "${boot[@]}"
expect 2 'no OTP found' "$WHITEBEAM" install "$scratch/more" --otp "$scratch/otp"
expect 2 'no OTP found' "$WHITEBEAM" install "$scratch/more" --otp /etc/passwd
mv "$scratch/away" "$scratch/otp"
data=$scratch/otp/releases/start_erl.data
rm "$data"
expect 3 '^up$' "${boot[@]}"
for found in "12.3 24:OTP 24 with erts-12.3 .*cannot be booted; OTP 25 to 29 can" "19.0 31:OTP 31 .*cannot be booted" \
  "15.2.7 27:OTP 27 with erts-15.2.7 .*is not that of $erts"; do
  echo "${found%%:*}" >"$data"
  expect 2 "${found#*:}" "${boot[@]}"
done
emulator=("$scratch/ours/$erts/bin/beam.smp" --)
expect 2 'no OTP below /nonexistent' env BINDIR=/nonexistent "${emulator[@]}" -root /nonexistent -noshell
expect 2 'no OTP below ' env BINDIR=/nonexistent "${emulator[@]}"
rm "$data"

# Descriptors: an end that says why, or a boot.
limited() { ulimit -n "$1"; exec "${@:2}"; }
export -f limited
for n in 3 8 11 12 14 16 20 30 64; do  # the shell itself wants 11
  expect '0|1|2|3|126|127' 'up|emfile|descriptors|shared libraries|cannot|Too many|terminat|not found|[Ee]rror|Invalid argument' \
    bash -c 'limited "$@"' - $n "${boot[@]}"
done

# Starts in pairs leave no process, socket or temporary file.
mkdir -m 700 "$scratch/run" "$scratch/tmp"
export XDG_RUNTIME_DIR=$scratch/run TMPDIR=$scratch/tmp
start() { "$scratch/ours/bin/erl" -noshell -eval 'os:cmd("true"), {ok, _} = gen_udp:open(0), halt(3).' </dev/null >/dev/null 2>&1; echo $?; }
for _ in {1..50}; do
  start & start
done >"$scratch/codes"
wait
[ "$(sort "$scratch/codes" | uniq -c | tr -s ' ')" = " 100 3" ] || { echo "FAILED: 100 starts:"; sort "$scratch/codes" | uniq -c; failures=$((failures + 1)); }
left=$(find "$scratch/run" "$scratch/tmp" ! -type d)
[ -z "$left" ] || { echo "FAILED: files left: $left"; failures=$((failures + 1)); }
left=$(pgrep -fa "$scratch/ours")
[ -z "$left" ] || { echo "FAILED: processes left: $left"; failures=$((failures + 1)); }
finish
