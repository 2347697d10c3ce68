# Images of modules: taken by the next machine, replaced when they are damaged, never in anybody's way.
source "$(dirname "$0")/check.sh"

program greets <<'P'
-module(greets).
-export([main/1]).
main(_) ->
    io:format("~p ~s~n", [lists:sort([3, 1, 2]), string:uppercase("done")]),
    case catch lists:nth(9, [a]) of {'EXIT', {R, [{M, F, A, _} | _]}} -> io:format("~p~n", [{R, M, F, A}]) end.
P
p=$scratch/greets.erl
said='function_clause,lists,nth'
images=$XDG_CACHE_HOME/whitebeam/images
from() { expect 0 "^  from images +$1 +$2 written, $3 refused" "$WHITEBEAM" run --stats "${@:4}" "$p"; }

expect 0 "$said" "$WHITEBEAM" run --no-image "$p"
[ ! -e "$images" ] || { echo "FAILED: --no-image leaves images"; failures=$((failures + 1)); }
expect 0 "$said" "$WHITEBEAM" run "$p"
count=$(find "$images" -type f ! -name 'hot-*' | wc -l)
[ "$count" -gt 3 ] || { echo "FAILED: $count images"; failures=$((failures + 1)); }
[ "$(stat -c %a "$images" "$images"/* | sort -u)" = 700 ] || { echo "FAILED: modes"; failures=$((failures + 1)); }
expect 0 "$said" "$WHITEBEAM" run "$p"
from '[1-9][0-9]*' 0 0
for mode in off baseline-eager always; do expect 0 "$said" "$WHITEBEAM" run --jit $mode "$p"; done
expect 0 "$said" "$WHITEBEAM" run --gc-stress "$p"
expect 0 "^$images: $count modules, [1-9][0-9]* with hot code, [0-9.]+ MB of at most 512 MB" "$WHITEBEAM" image

# Trained: erl is Whitebeam there, and what it loads stays.
expect 0 "$images: [0-9]+ modules" "$WHITEBEAM" image --train \
  'erl -noshell -eval "{ok, L} = file:read_link(\"/proc/self/exe\"), io:format(\"~s~n\", [L]), array:new(), halt()." | grep -q whitebeam'
trained=$(find "$images" -type f ! -name 'hot-*' | wc -l)
[ "$trained" -gt $((count + 40)) ] || { echo "FAILED: $trained images after training, $count before"; failures=$((failures + 1)); }
expect 1 'it ended with exit code 3' "$WHITEBEAM" image --train 'exit 3'
# Each of them damaged.
damage $(find "$images" -type f)
expect 0 "$said" "$WHITEBEAM" run "$p"
from '[1-9][0-9]*' 0 '[0-9]+'

# Ten at once from nothing; killed while they write.
rm -rf "$images"
for i in {0..9}; do timeout 60 "$WHITEBEAM" run "$p" >"$scratch/out$i" 2>&1 & done
wait
for i in {0..9}; do
  grep -q "$said" "$scratch/out$i" || { echo "FAILED: at once: $(cat "$scratch/out$i")"; failures=$((failures + 1)); }
done
for delay in 0.004 0.006 0.008 0.01 0.015; do
  rm -rf "$images"
  timeout -s KILL $delay "$WHITEBEAM" run "$p" >/dev/null 2>&1
  expect 0 "$said" "$WHITEBEAM" run "$p"
done

# Where they cannot be kept, or are not the user's alone, there are none.
chmod 755 "$images"
expect 0 "$said" "$WHITEBEAM" run "$p"
if "$WHITEBEAM" run --stats "$p" 2>&1 | grep -q 'from images'; then
  echo "FAILED: images that others can write to are used"; failures=$((failures + 1))
fi
expect 1 'not yours alone' "$WHITEBEAM" image --keep 0
chmod 700 "$images"
expect 0 ' 0 modules, 0 with hot code, 0.0 MB' "$WHITEBEAM" image --keep 0
expect 0 "$said" env XDG_CACHE_HOME=/proc "$WHITEBEAM" run "$p"
expect 0 "$said" env -u XDG_CACHE_HOME HOME=/proc/none "$WHITEBEAM" run "$p"
expect 2 'no images are kept' env -u XDG_CACHE_HOME -u HOME "$WHITEBEAM" image
expect 2 'keep' "$WHITEBEAM" image --keep lots
(
  ulimit -f 16  # no file above 16 KB: as on a full disk, but by a signal unless it is ignored
  trap '' XFSZ
  expect 0 "$said" "$WHITEBEAM" run "$p"
  exit "$failures"
)
failures=$((failures + $?))
if find "$images" -name '*.*' | grep -q .; then echo "FAILED: halves are left"; failures=$((failures + 1)); fi

[ "$failures" = 0 ] && echo "images: as they should be"
exit "$((failures > 0))"
