# Full disks, closed pipes, signals, limits: a clear end, no hang, nothing printed is lost.
source "$(dirname "$0")/check.sh"

program world <<'P'
-module(world).
-export([init/1, handle_event/2, main/1, forever/1, idle/1, listen/1, atoms/1, processes/1, heap/1, mail/1]).
main(_) -> [io:format("line ~b~n", [N]) || N <- lists:seq(1, 20000)], ok.
forever(_) -> io:format("started~n"), spin(0).
spin(N) -> spin(N + 1).
idle(_) -> io:format("started~n"), receive never -> ok end.
listen(_) ->
    ok = gen_event:swap_handler(erl_signal_server, {erl_signal_handler, []}, {?MODULE, self()}),
    [ok = os:set_signal(S, handle) || S <- [sigusr1, sigusr2, sigterm, sighup]],
    io:format("started~n"),
    [receive {got, S} -> io:format("~p~n", [S]) end || S <- [sigusr1, sigusr2, sigterm, sighup]],
    ok = os:set_signal(sigusr1, ignore),
    io:format("ignored~n"),
    receive {got, sigusr1} -> io:format("not ignored~n") after 300 -> ok end,
    ok = os:set_signal(sigusr1, default),
    io:format("default~n"),
    receive never -> ok end.
init({Pid, ok}) -> {ok, Pid}.
handle_event(Signal, Pid) -> Pid ! {got, Signal}, {ok, Pid}.
atoms(_) -> [list_to_atom("an_atom_" ++ integer_to_list(N)) || N <- lists:seq(1, 2000000)], ok.
processes(_) -> [spawn(fun() -> receive x -> ok end end) || _ <- lists:seq(1, 300000)], io:format("~p~n", [length(processes()) > 300000]).
heap(_) -> {_, R} = spawn_opt(fun() -> grow([]) end, [monitor, {max_heap_size, 1000000}]), receive {'DOWN', R, _, _, Why} -> io:format("~p~n", [Why]) end.
grow(L) -> grow([lists:seq(1, 1000) | L]).
mail(_) -> Self = self(), [spawn(fun() -> [Self ! {I, J} || J <- lists:seq(1, 1000)] end) || I <- lists:seq(1, 100)], io:format("~p~n", [count(100000)]).
count(0) -> done;
count(N) -> receive _ -> count(N - 1) end.
P
w=$scratch/world.erl
"$WHITEBEAM" run "$w" >"$scratch/out" || failures=$((failures + 1))
[ "$(tail -1 "$scratch/out")" = "line 20000" ] || { echo "FAILED: output is not complete"; failures=$((failures + 1)); }

# A closed pipe ends the program; a full disk is reported.
start=$SECONDS
timeout 60 "$WHITEBEAM" run "$w" 2>"$scratch/err" | head -1 >"$scratch/out"
code=${PIPESTATUS[0]}
[ "$code" != 124 ] || { echo "FAILED: hangs on a closed pipe"; failures=$((failures + 1)); }
[ "$code" -lt 128 ] || [ "$code" = 141 ] || { echo "FAILED: closed pipe: exit code $code"; failures=$((failures + 1)); }
full() { "$WHITEBEAM" run "$w" >/dev/full; }
export -f full; export WHITEBEAM w
expect 1 '.' bash -c full

# SIGTERM and SIGINT end it, busy or idle, with what was printed before complete.
for function in forever idle; do
  for signal in TERM INT; do
    expect $((128 + $(kill -l $signal))) '^started$' bash -c 'signalled "$@"' - $signal "$WHITEBEAM" run "$w" $function
  done
done

# A program may handle signals, ignore them, and give them back.
shown() { for _ in $(seq 600); do if grep -q "$1" "$scratch/signals"; then return 0; fi; sleep 0.1; done; echo "FAILED: signals: no '$1'"; failures=$((failures + 1)); }
"$WHITEBEAM" run "$w" listen >"$scratch/signals" 2>/dev/null &
pid=$!
shown started
for signal in USR1 USR2 TERM HUP; do kill -$signal $pid; shown "sig$(tr A-Z a-z <<<$signal)"; done
shown ignored
kill -USR1 $pid
shown default
kill -USR1 $pid
code=0
wait $pid 2>/dev/null || code=$?
[ "$code" = $((128 + $(kill -l USR1))) ] || { echo "FAILED: a signal given back ended with $code"; failures=$((failures + 1)); }

# An idle machine uses no processor, once it is ready. (One that is kept from running comes to that late.)
: >"$scratch/signals"
"$WHITEBEAM" run "$w" idle >"$scratch/signals" &
pid=$!
shown started
for _ in 1 2 3 4 5; do
  sleep 1
  before=$(awk '{ print $14 + $15 }' /proc/$pid/stat)
  sleep 2
  after=$(awk '{ print $14 + $15 }' /proc/$pid/stat)
  [ $((after - before)) -gt 2 ] || break
done
kill $pid
wait $pid 2>/dev/null
[ $((after - before)) -le 2 ] || { echo "FAILED: an idle VM used $((after - before)) ticks in 2 s"; failures=$((failures + 1)); }

# Limits.
expect 1 'atom' "$WHITEBEAM" run "$w" atoms
expect 0 'true' "$WHITEBEAM" run "$w" processes
expect 0 'killed' "$WHITEBEAM" run "$w" heap
expect 0 'done' "$WHITEBEAM" run "$w" mail
finish
