# `whitebeam build --train`: a program that brings the images and the native code of earlier runs.
source "$(dirname "$0")/check.sh"
need erlc
wrong() { echo "FAILED: $*"; failures=$((failures + 1)); }
programs=$XDG_CACHE_HOME/whitebeam/programs
cd "$scratch" || exit 1
cat >hot.erl <<'P'
-module(hot).
-export([main/1]).
main(["halt"]) -> halt(3);
main([N]) -> io:format("~p ~p~n", [sum(list_to_integer(N), 0), lists:sort([op(A) || A <- [sub, add, mul]])]).
sum(0, S) -> S;
sum(N, S) -> sum(N - 1, S bxor (N * 3)).
op(add) -> 7; op(sub) -> {a, "text"}; op(mul) -> fun lists:reverse/1.
P
said='^[0-9]+ \[7,fun lists:reverse/1,\{a,"text"\}\]$'
always="WHITEBEAM_FLAGS='--jit always --stats'"
number() { sed -n "s/^  $1 *\([0-9,]*\) .*/\1/p" "$2" | tr -d ,; }
# brings PROGRAM MODULES FUNCTIONS: as it was unpacked for the first time, more than so many of each are there, and nothing is compiled
brings() {
  rm -rf "$programs"
  expect 0 "$said" env "${always//\'/}" "$1" 5000
  rm -rf "$programs"
  env "${always//\'/}" "$1" 5000 >/dev/null 2>err
  local images kept compiled
  images=$(number 'from images' err)
  kept=$(number kept err) compiled=$(sed -n '/compiled by LLVM/,$p' err | sed -n 's/^  functions *\([0-9,]*\) .*/\1/p')
  [ "${images:-0}" -gt "$2" ] && [ "${kept:-0}" -gt "$3" ] && [ "${compiled:-0}" -le 3 ] ||
    { wrong "$1: ${images:-no} images, ${kept:-no} kept, ${compiled:-none} compiled"; cat err; }
}

"$WHITEBEAM" run --jit always --stats hot.erl main 10 >/dev/null 2>err
grep -q 'compiled by LLVM' err && [ -n "$(find "$XDG_CACHE_HOME" -name 'hot-*')" ] || { echo "skipped: no LLVM"; exit 77; }
train="$always hot 5000"
expect 0 '^hot: [0-9.]+ MB' "$WHITEBEAM" build -o hot --train "$train" hot.erl
[ -z "$(ls -d hot.* | grep -v 'hot\.erl')" ] || wrong "left: $(ls)"
brings ./hot 10 50
# What it makes of more comes to lie there as well, and in nobody else's directory.
rm -rf "$programs" "$XDG_CACHE_HOME/whitebeam/images"
expect 0 "$said" ./hot 7
[ ! -e "$XDG_CACHE_HOME/whitebeam/images" ] || wrong "images beside the program's own"
own=$(echo "$programs"/*/images)
[ "$(stat -c %a "$own" "$own"/*)" = $'700\n700' ] || wrong "modes $(stat -c %a "$own" "$own"/*)"
[ -z "$(find "$own" -type f ! -perm 600)" ] || wrong "modes of files"
# Damaged files are as if they were not there; a directory that others may write to is not looked at.
mapfile -t files < <(find "$own" -type f)
damage "${files[@]}"
expect 0 "$said" env "${always//\'/}" ./hot 5000
expect 0 "$said" env "${always//\'/}" ./hot 5000
chmod 777 "$own"
expect 0 "$said" ./hot 7
[ -e "$XDG_CACHE_HOME/whitebeam/images" ] || wrong "a directory of images that is open to others"
rm -rf "$programs"

# Without the compiler, with what it has made.
expect 0 '^small: ' "$WHITEBEAM" build -o small --no-llvm --train "${train/ hot / small }" hot.erl
[ "$(stat -c %s small)" -lt $(($(stat -c %s hot) - 5000000)) ] || wrong "size without LLVM: $(stat -c %s small)"
brings ./small 10 50
[ -z "$(find "$programs" -name '*.so')" ] || wrong "LLVM in it: $(find "$programs" -name '*.so')"
expect 0 '^bare: ' "$WHITEBEAM" build -o bare --no-llvm hot.erl
expect 0 "$said" ./bare 7

# What goes wrong leaves nothing.
expect 2 '^whitebeam: --train: it ended with exit code 3' "$WHITEBEAM" build -o x --train 'x halt' hot.erl
expect 2 '^whitebeam: --train: it ended with exit code 127' "$WHITEBEAM" build -o x --train none_such hot.erl
expect 2 '^whitebeam: --train: the program was not run' "$WHITEBEAM" build -o x --train true hot.erl
expect 2 '^whitebeam: --train: /nonexistent' "$WHITEBEAM" build -o /nonexistent/x --train 'x 1' hot.erl
[ -z "$(ls -d x* 2>/dev/null)" ] || wrong "left: $(ls)"

# A release.
if command -v mix >/dev/null; then
  mix_release 'IO.puts("up #{Enum.sum(1..10)}"); System.halt(0)'
  cd app || exit 1
  expect 0 '^\.\./app\.run: ' "$WHITEBEAM" build -o ../app.run --no-llvm --train 'app.run' --release _build/prod/rel/app
  cd .. || exit 1
  rm -rf "$programs"
  expect 0 '^up 55' ./app.run
  [ "$(find "$programs" -path '*/images/*' -type f -newer app.run | wc -l)" -gt 60 ] || wrong "images of a release: $(find "$programs" -path '*/images/*')"
  WHITEBEAM_FLAGS=--stats ./app.run >/dev/null 2>err
  [ "$(number 'from images' err)" -gt 60 ] || { wrong "a release without images"; cat err; }
fi
finish
