# What surrounds the program: descriptors, stacks, threads, directories, the environment, signals.
source "$(dirname "$0")/check.sh"

program here <<'P2'
-module(here).
-export([main/1, cwd/1, descriptors/1, environment/1, arguments/1, full/1, idle/1, input/1, big/1, io_dies/1]).
main(_) -> io:format("here~n").
cwd(_) -> io:format("~p~n", [file:get_cwd()]).
descriptors(_) ->
    R = [file:open("/dev/null", [read, raw]) || _ <- lists:seq(1, 100)],
    io:format("~p~n", [lists:usort([E || {error, E} <- R])]).
environment(_) -> io:format("~p ~p~n", [os:getenv("HOME"), os:getenv("TERM")]).
arguments(A) -> io:format("~w ~ts~n", [A, [228, 8364]]).
full(_) ->
    {ok, Raw} = file:open("/dev/full", [write, raw]),
    {ok, F} = file:open("/dev/full", [write]),
    io:format("~p~n", [[file:write(Raw, "x"), file:write_file("/dev/full", "x"), file:write(F, "x"), file:close(F)]]).
idle(_) -> io:format("started~n"), receive never -> ok end.
input(_) -> io:format("~p~n", [count(0)]).
count(N) -> case io:get_line("") of eof -> N; L when is_list(L) -> count(N + length(L)); Error -> {N, Error} end.
big(_) -> io:put_chars([[integer_to_list(N), $\n] || N <- lists:seq(1, 300000)]), halt(0).
io_dies(_) -> exit(whereis(user), kill), io:format("never~n").
P2
(cd "$scratch" && erlc here.erl)
h=$scratch/here.beam
run=("$WHITEBEAM" run "$h")
with() { eval "$1"; shift; exec "$@"; }
export -f with

# Descriptors, stacks, threads.
expect '0|1' 'emfile|undef' bash -c 'with "ulimit -n 20" "$@"' - "${run[@]}" descriptors
for n in 4 5 6 7 8 10; do  # 127: too few for the shared libraries
  expect '0|1|2|127' 'here|shared libraries|cannot|undef|No such|no OTP|not ' bash -c "with 'ulimit -n $n' \"\$@\"" - "${run[@]}"
done
expect 0 '^here$' bash -c 'with "ulimit -s 64" "$@"' - "${run[@]}"
expect 0 '^here$' bash -c 'with "ulimit -s unlimited" "$@"' - "${run[@]}"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  chmod 755 "$scratch" "$XDG_CACHE_HOME" 2>/dev/null
  cp "$WHITEBEAM" "$scratch/whitebeam"
  nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  expect '0|2' 'here|no thread' "${nobody[@]}" bash -c 'with "ulimit -u 3" "$@"' - "$scratch/whitebeam" run --schedulers 64 "$h"
  chmod 000 "$h"
  expect 2 'Permission denied' "${nobody[@]}" "$scratch/whitebeam" run "$h"
  chmod 644 "$h"
fi

# Directories, environment, locale, arguments that are no UTF-8. (Text is Latin-1 unless a program asks for more.)
mkdir "$scratch/gone"
expect 0 'error,enoent' bash -c "cd $scratch/gone && rmdir ../gone && exec \"\$@\"" - "${run[@]}" cwd
expect 0 '^false false$' env -i "${run[@]}" environment
expect 0 '^here$' env -i "$WHITEBEAM" run "$scratch/here.erl"
expect 0 '^\[\[228\]\] ' env LC_ALL=C "${run[@]}" arguments ä
expect 0 'x\{20AC\}$' env LC_ALL=POSIX "${run[@]}" arguments $'\xffa'
expect 0 '^here$' env TERM= "${run[@]}"

# Full disks, closed pipes, no input.
expect 0 '^\[\{error,enospc\},\{error,enospc\},\{error,enospc\},ok\]$' "${run[@]}" full
expect 1 'standard output: No space left' bash -c 'exec "$@" >/dev/full' - "${run[@]}" big
expect 0 '^0$' "${run[@]}" input
expect 0 '^0$' bash -c 'exec "$@" <&-' - "${run[@]}" input
expect 1 'standard output: Bad file' bash -c 'exec "$@" >&-' - "${run[@]}" input
expect 1 '' bash -c 'exec "$@" >&- 2>&- <&-' - "${run[@]}"
expect 0 '^588895$' bash -c 'seq 100000 | "$@" input' - "${run[@]}"
expect 0 '^1000001$' bash -c '{ head -c 1000000 /dev/zero | tr "\0" x; echo; } | "$@" input' - "${run[@]}"
# halt with megabytes on their way into a slow pipe: all of them arrive
expect 0 '^300000 300000$' bash -c '"$@" big | { sleep 1; awk "END { print NR, \$0 }"; }' - "${run[@]}"
expect '0|1|130|137' '' timeout 50 "${run[@]}" io_dies

# Signals: an orderly end, 128 and the number; SIGUSR1 as BEAM; a killed one leaves nothing behind.
for want in HUP:129 INT:130 QUIT:131 TERM:143 USR1:1; do
  expect "${want#*:}" '^started$' bash -c 'signalled "$@"' - "${want%:*}" "${run[@]}" idle
done
finish
