# Native code that an earlier run has left: taken by the next, replaced where it is no good, never in anybody's way.
source "$(dirname "$0")/check.sh"

program loops <<'P'
-module(loops).
-export([main/1, op/1]).
-define(ROUNDS, 400000).
main([]) -> main(["int"]);
main(["first" | More]) ->  % other atoms than in the run before
    _ = [list_to_atom("new" ++ integer_to_list(N)) || N <- lists:seq(1, 777)],
    main(More);
main(["float"]) -> io:format("~p~n", [sum(?ROUNDS, 0.5, 1.5)]), main([]);
main(["traced"]) ->
    _ = ops(100, [add, tick], 0),
    _ = erlang:trace_pattern({?MODULE, op, 1}, true, [call_count]),
    _ = ops(5, [add, tick], 0),
    io:format("~p~n", [erlang:trace_info({?MODULE, op, 1}, call_count)]);
main(["int"]) ->
    io:format("~p ~p ~p ~p ~p~n",
              [sum(?ROUNDS, 0, 3), ops(?ROUNDS, [add, tick, none, {sub, 1}, halve, neg], 0),
               bytes(binary:copy(<<"abcdefgh">>, 40000), 0), mapped(?ROUNDS, #{a => 0, b => "lit"}),
               folded(?ROUNDS div 4)]).
sum(0, S, _) -> S;
sum(N, S, D) -> sum(N - 1, S + D, D).
ops(0, _, S) -> S;
ops(N, [O | More], S) -> ops(N - 1, More ++ [O], S + op(O)).
op(add) -> 7; op(tick) -> 1; op(none) -> 0; op({sub, X}) -> -X; op(halve) -> 2; op(neg) -> -3; op(mul) -> 9; op(shift) -> 11;
op(other) -> 12.
bytes(<<B, Rest/binary>>, S) when B > $b -> bytes(Rest, (S * 31 + B) band 16#ffffff);
bytes(<<_, Rest/binary>>, S) -> bytes(Rest, S);
bytes(<<>>, S) -> S.
mapped(0, M) -> M;
mapped(N, #{a := A, b := "lit"} = M) -> mapped(N - 1, M#{a := A + 1}).
folded(N) -> lists:foldl(fun(X, A) -> A bxor (X * 5) end, 1, lists:seq(1, N)).
P
p=$scratch/loops.erl
images=$XDG_CACHE_HOME/whitebeam/images
eager=("$WHITEBEAM" run --jit always --stats)
"${eager[@]}" "$p" >"$scratch/first" 2>"$scratch/first.err"
grep -q 'functions compiled' "$scratch/first.err" || exit 1
grep -q 'compiled by LLVM' "$scratch/first.err" && [ -n "$(find "$images" -name 'hot-*')" ] || exit 77  # no LLVM here
said="^$(head -1 "$scratch/first")\$"

compiled() { sed -n '/compiled by LLVM/,$p' "$1" | sed -n 's/^  functions *\([0-9,]*\) .*/\1/p'; }
kept() { sed -n 's/^  kept *\([0-9,]*\) .*/\1/p' "$1"; }
# again OPTION... -- ARGUMENT...: says the same; then `compiled` and `kept` are of that run
again() {
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  expect 0 "$said" "$WHITEBEAM" run --stats "${options[@]}" "$p" "$@"
  "$WHITEBEAM" run --stats "${options[@]}" "$p" "$@" >/dev/null 2>"$scratch/err"
}
check() { [ "$1" ] && [ "$((${1//,/}))" "$2" "$3" ] || { echo "FAILED: $4: $1 is not $2 $3"; failures=$((failures + 1)); }; }

# kept_in_the_end N PROGRAM...: more than N; a run beside much else has no time to compile all
kept_in_the_end() {
  local n
  for _ in {1..10}; do
    "$WHITEBEAM" run --stats "${@:2}" >/dev/null 2>"$scratch/err"
    n=$(kept "$scratch/err")
    [ "${n:-0}" -gt "$1" ] && return
  done
  check "${n:-0}" -gt "$1" "kept of ${*:2}"
}

again --jit always --
check "$(kept "$scratch/err")" -gt 20 'kept, the second time'
[ -z "$(compiled "$scratch/err")" ] || { echo "FAILED: $(compiled "$scratch/err") compiled the second time"; failures=$((failures + 1)); }
# The usual way there is what was compiled eagerly, and the plugin is not opened.
again --
check "$(kept "$scratch/err")" -gt 5 'kept, not eager'
again -- main first int
again -- main float
again --jit baseline --
[ -z "$(kept "$scratch/err")" ] || { echo "FAILED: kept code with --jit baseline"; failures=$((failures + 1)); }
again --no-image --
[ -z "$(kept "$scratch/err")" ] || { echo "FAILED: kept code with --no-image"; failures=$((failures + 1)); }
again --gc-stress --jit always --
again --seed 3 --
[ -z "$(kept "$scratch/err")" ] || { echo "FAILED: kept code in a seeded run"; failures=$((failures + 1)); }
expect 0 '^{call_count,5}$' "$WHITEBEAM" run "$p" main traced

# Made for floats and one fun, met by integers and another.
program changes <<'P'
-module(changes).
-export([main/1]).
main([How | Times]) ->  % so many times before: time to compile all, whatever runs beside
    [main([How]) || [N] <- [Times], _ <- lists:seq(1, list_to_integer(N))],
    {X, F} = case How of "a" -> {0.5, fun(V) -> V * 2 end}; "b" -> {3, fun(V) -> V + 1 end} end,
    io:format("~p ~p~n", [sum(60000000, X, X), each(30000000, F, X)]).
sum(0, S, _) -> S;
sum(N, S, X) -> sum(N - 1, S + X * X - X, X).
each(0, _, S) -> S;
each(N, F, S) -> each(N - 1, F, min(F(S), 1000000)).
P
declare -A wanted=([a]='^-14999999.5 1000000$' [b]='^360000003 1000000$')
for how in a a b b a b; do
  expect 0 "${wanted[$how]}" "$WHITEBEAM" run --stats "$scratch/changes.erl" main $how
done
"$WHITEBEAM" run "$scratch/changes.erl" main b 6 >/dev/null
kept_in_the_end 1 "$scratch/changes.erl" main b

# Too short to be worth compiling anything, but not again and again.
program brief <<'P'
-module(brief).
-export([main/1]).
main(_) -> io:format("~p~n", [each(lists:append(lists:duplicate(8, lists:seq(1, 255))), 0)]).
each([], S) -> S;
each([X | More], S) -> each(More, S + bytes(binary:copy(<<X, "abcdefghijklmnopqrstuvwxyz">>, 1500), 7)).
bytes(<<A, B, Rest/binary>>, S) when A > B -> bytes(Rest, (S * 31 + A bxor B) band 16#ffffff);
bytes(<<A, B, Rest/binary>>, S) -> bytes(Rest, (S * 17 + A + B * 3) band 16#ffffff);
bytes(<<_>>, S) -> S;
bytes(<<>>, S) -> S.
P
brief=$("$WHITEBEAM" run --no-image "$scratch/brief.erl")
for _ in 1 2 3; do expect 0 "^$brief\$" "$WHITEBEAM" run "$scratch/brief.erl"; done
# Beside busy programs LLVM's thread, which is nice, never comes to its end.
if awk '{ exit $1 < '"$(nproc)"' ? 0 : 1 }' /proc/loadavg; then kept_in_the_end 0 "$scratch/brief.erl"; fi

# Another module of the same name, another callee, are other functions.
sed -i 's/op(add) -> 7/op(add) -> 8/' "$p"
before=$said said=$("$WHITEBEAM" run --no-image "$p" | head -1) said="^$said\$"
[ "$said" != "$before" ] || { echo "FAILED: the program has not changed"; failures=$((failures + 1)); }
again --
again --jit always --
again --

# Each file damaged.
mapfile -t files < <(find "$images" -name 'hot-*')
damage "${files[@]}"
check "${#files[@]}" -gt 3 'files of hot code'
expect 0 "with hot code .* [1-9][0-9]* refused" "$WHITEBEAM" run --stats --jit always "$p"
again --

# Two at once from nothing, and one that is killed while it compiles.
rm -rf "$images"
for i in 0 1; do timeout 120 "$WHITEBEAM" run --jit always "$p" >"$scratch/out$i" 2>&1 & done
wait
for i in 0 1; do
  grep -q "$said" "$scratch/out$i" || { echo "FAILED: at once: $(cat "$scratch/out$i")"; failures=$((failures + 1)); }
done
rm -rf "$images"
{ timeout -s KILL 1 "$WHITEBEAM" run --jit always "$p"; } >/dev/null 2>&1
again --

[ "$failures" = 0 ] && echo "hot images: as they should be"
exit "$((failures > 0))"
