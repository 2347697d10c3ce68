# `make install`: the program, an `erl` that runs on it, man pages and completions made of --help.
source "$(dirname "$0")/check.sh"
need erlc
need strip
build=$(dirname "$(dirname "$WHITEBEAM")")
install=$PWD/tools/packaging/install
prefix="$scratch/a prefix"
expect 0 'whitebeam is in .*a prefix/bin' "$install" "$build" "$prefix"
expect 0 '^whitebeam [0-9]' "$prefix/bin/whitebeam" --version
expect 0 'a prefix/lib/whitebeam/otp/bin$' "$prefix/bin/whitebeam" bindir
expect 0 'a prefix/bin/whitebeam' "$prefix/lib/whitebeam/otp/bin/erl" -noshell -eval \
  'io:format("~p~n", [file:read_link("/proc/self/exe")]), halt().'
expect 0 'a prefix' "$install" "$build" "$prefix"  # once more, over it
# A root for an OTP that is named, in the user's cache: made once, and again when it is not what it should be.
otp=$("$WHITEBEAM" doctor | awk '$1 == "OTP" { print $2; exit }')
place='io:format("~ts~n", [code:root_dir()]), halt().'
expect 0 'cache/whitebeam/otp/[0-9a-f]{16}/bin$' "$WHITEBEAM" bindir --otp "$otp"
root=$(dirname "$("$WHITEBEAM" bindir --otp "$otp")")
expect 0 "^$root\$" "$WHITEBEAM" erl --otp "$otp" -noshell -eval "$place"
expect 0 "^$root\$" "$WHITEBEAM" erl --otp="$otp" -noshell -eval "$place"
expect 0 "^$root\$" env WHITEBEAM_FLAGS="--otp $otp" "$WHITEBEAM" erl -noshell -eval "$place"
touch "$root/stays"
expect 0 '/bin$' "$WHITEBEAM" bindir --otp "$otp"
expect 0 '' test -e "$root/stays"
echo 'of another OTP' >"$root/whitebeam"
for _ in 1 2 3 4; do "$WHITEBEAM" bindir --otp "$otp" & done | sort -u >"$scratch/roots"
wait
expect 0 "^1\$" grep -c "^$root/bin\$" "$scratch/roots"
expect 1 '' test -e "$root/stays"
expect 0 "^$(basename "$root")\$" ls "$XDG_CACHE_HOME/whitebeam/otp"
expect 2 'cannot be booted' "$WHITEBEAM" erl --otp "$scratch" -noshell
expect 2 '/nowhere: No such file' "$WHITEBEAM" erl --otp /nowhere -noshell
expect 2 'this emulator is that of' env WHITEBEAM_FLAGS="--otp $scratch" "$root/bin/erl" -noshell
chmod 777 "$XDG_CACHE_HOME/whitebeam/otp"
expect 2 'not yours alone' "$WHITEBEAM" erl --otp "$otp" -noshell
chmod 700 "$XDG_CACHE_HOME/whitebeam/otp"
for page in whitebeam whitebeam-{run,build,observe,disasm,doctor,erl,install,bindir}; do
  expect 0 '^\.SH SYNOPSIS' cat "$prefix/share/man/man1/$page.1"
done
expect 0 '^\.B \\-\\-gc\\-stress' cat "$prefix/share/man/man1/whitebeam-run.1"
test -s "$prefix/share/whitebeam/grafana.json" || { echo "FAILED: no dashboard"; failures=$((failures + 1)); }
complete_() { # the words of a command line, the last to be completed
  source "$prefix/share/bash-completion/completions/whitebeam"
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _whitebeam; printf '%s\n' "${COMPREPLY[@]}"
}
export prefix; export -f complete_
expect 0 '^observe$' bash -c 'complete_ "$@"' - whitebeam ob
expect 0 '^--gc-stress$' bash -c 'complete_ "$@"' - whitebeam run --gc
expect 0 '^baseline-eager$' bash -c 'complete_ "$@"' - whitebeam run --jit base
! command -v zsh >/dev/null || expect 0 '' zsh -n "$prefix/share/zsh/site-functions/_whitebeam"
! command -v fish >/dev/null || expect 0 '' fish -n "$prefix/share/fish/vendor_completions.d/whitebeam.fish"
expect 0 'there, make the OTP root' "$install" "$build" /usr "$scratch/dest"
expect 0 '^whitebeam [0-9]' "$scratch/dest/usr/bin/whitebeam" --version
expect 2 'make build' "$install" "$scratch" "$prefix"
finish
