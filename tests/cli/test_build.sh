# `whitebeam build`: one file of a program or a release, which runs without OTP, whatever happens while it unpacks.
source "$(dirname "$0")/check.sh"
need erlc
wrong() { echo "FAILED: $*"; failures=$((failures + 1)); }
programs=$XDG_CACHE_HOME/whitebeam/programs
cd "$scratch" || exit 1
# What only it finds: no other OTP, no PATH.
cat >without_otp <<'S'
#!/bin/bash
if unshare -m true 2>/dev/null && [ -d /usr/lib/erlang ]; then
  exec unshare -m bash -c 'for d in /usr/lib/erlang /usr/lib/elixir; do [ ! -d $d ] || mount -t tmpfs none $d; done; exec "$@"' - "$@"
fi
exec "$@"
S
chmod +x without_otp
without_otp=$PWD/without_otp

mkdir -p "libs/far-1.0/ebin" "libs/far-1.0/priv" "libs/unseen-2.1/ebin" "a directory"
echo 'from far away' >libs/far-1.0/priv/text
cat >far.erl <<'P'
-module(far).
-export([text/0]).
text() -> {ok, T} = file:read_file(filename:join(code:priv_dir(far), "text")), string:trim(T).
P
cat >unseen.erl <<'P'
-module(unseen).
-export([there/0]).
there() -> yes.
P
program shop <<'P'
-module(shop).
-export([main/1, other/1]).
main([Name, "un" ++ Rest]) -> M = list_to_atom("un" ++ Rest), io:format("~s ~p~n", [Name, M:there()]);
main(["halt"]) -> halt(7);
main(Args) ->
    io:format("~p ~s ~s~n", [Args, far:text(), beside:says()]),
    io:format("~p~n", [{lists:sum(lists:seq(1, 100)), re:run("abc", "b"), proplists:get_value(a, [{a, string:to_upper("x")}])}]),
    io:format("~s~n", [io_lib:format("~tp", [calendar:gregorian_days_to_date(738000)])]).
other(Args) -> io:format("other ~p~n", [Args]).
P
mv shop.erl "a directory"
cat >"a directory/beside.erl" <<'P'
-module(beside).
-export([says/0]).
says() -> "and beside".
P
erlc -o libs/far-1.0/ebin far.erl && erlc -o libs/unseen-2.1/ebin unseen.erl &&
  erlc -o "a directory" "a directory/beside.erl" || exit 1
export ERL_LIBS=$scratch/libs
expect 0 '^shop: [0-9.]+ MB' "$WHITEBEAM" build -o shop --no-llvm "a directory/shop.erl"
expect 0 '^with: ' "$WHITEBEAM" build -o with --no-llvm --with unseen --function main --flags '--jit off --stats' "a directory/shop.erl"
expect 0 '^other: ' "$WHITEBEAM" build -o other --no-llvm --function other "a directory/shop.erl"
unset ERL_LIBS
rm -rf libs "a directory"  # nothing of where it came from is needed
mkdir elsewhere; mv shop with other elsewhere; cd elsewhere || exit 1
said='^\["a","b c","--version"\] from far away and beside$'

# Many at once, the first ones unpack it.
for k in 1 2 3 4; do "$without_otp" ./shop a "b c" --version >"said.$k" 2>&1 & done; wait %1 %2 %3 %4
for k in 1 2 3 4; do grep -qE "$said" "said.$k" || { wrong "start $k of 4 at once"; cat "said.$k"; }; done
[ "$(find "$programs" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ] || wrong "unpacked: $(ls "$programs")"
[ "$(stat -c %a "$programs")" = 700 ] || wrong "mode of $programs"
expect 0 "$said" "$without_otp" env -i HOME=/ XDG_CACHE_HOME="$XDG_CACHE_HOME" ./shop a "b c" --version
expect 0 '^\{5050,\{match,\[\{1,1\}\]\},"X"\}$' ./shop
expect 7 '' ./shop halt
expect 1 'undef.*unseen|unseen.*undef' ./shop me unseen
expect 0 '^me yes$' "$without_otp" ./with me unseen
expect 0 'reductions' ./with me unseen  # --stats was baked in
expect 0 'reductions' env WHITEBEAM_FLAGS=--stats ./shop a
expect 0 '^other \["explore","erl"\]$' ./other explore erl  # not a command of whitebeam's
cp shop "renamed to"; expect 0 "$said" "./renamed to" a "b c" --version
ln -s "$PWD/shop" link; expect 0 "$said" ./link a "b c" --version

# Killed while it unpacks, and what is left of that.
rm -rf "$programs"
for delay in 0.01 0.03 0.06 0.1 0.2; do { timeout -s KILL $delay ./shop a; } >/dev/null 2>&1; done
expect 0 "$said" ./shop a "b c" --version
mkdir "$programs/0123.1.new"; touch -d '2 hours ago' "$programs/0123.1.new"
rm -rf "$programs"/*[0-9a-f]
expect 0 "$said" ./shop a "b c" --version
[ ! -e "$programs/0123.1.new" ] || wrong "what was abandoned stays"

# Places where it cannot be unpacked, or must not.
expect 2 'cannot unpack: .*Not a directory' env XDG_CACHE_HOME=/dev/null/x ./shop a
mkdir -p open/whitebeam/programs; chmod 777 open/whitebeam/programs
expect 2 'cannot unpack: .* is not yours alone' env XDG_CACHE_HOME="$PWD/open" ./shop a
if unshare -m true 2>/dev/null; then
  mkdir small
  expect 2 'cannot unpack: .*No space left' unshare -m bash -c 'mount -t tmpfs -o size=20m none small
    XDG_CACHE_HOME=$PWD/small ./shop a; code=$?; [ -z "$(ls small/whitebeam/programs)" ] || echo something is left; exit $code'
fi

# Damaged: a byte of the packed part; the end; something that only looks like a trailer.
size=$(stat -c %s shop)
for back in 100 5000 1000000; do
  cp shop damaged; rm -rf "$programs"
  printf '\125\252\125' | dd of=damaged bs=1 seek=$((size - back)) conv=notrunc status=none
  expect 2 "this program's file is damaged" ./damaged a
done
head -c $((size - 10)) shop >short; chmod +x short
expect 2 '^whitebeam: ' ./short a
for field in 40 32 24; do  # lengths in the trailer
  cp shop damaged; rm -rf "$programs"
  printf '\377\377\377\377\377\377\377\177' | dd of=damaged bs=1 seek=$((size - field)) conv=notrunc status=none
  expect 2 '^whitebeam: ' ./damaged a
done
rm -f damaged short
expect 0 "$said" ./shop a "b c" --version
: >"$(echo "$programs"/*/start)"
expect 2 'damaged; it can be removed' ./shop a
rm -rf "$programs"

# What cannot be built.
cd "$scratch" || exit 1
program plain <<<'-module(plain).
-export([main/1]).
main(_) -> ok.'
expect 2 'a directory' "$WHITEBEAM" build -o elsewhere plain.erl
expect 2 'No such file' "$WHITEBEAM" build -o /nonexistent/x plain.erl
expect 2 'no such file' "$WHITEBEAM" build -o x none.erl
expect 2 'output is required' "$WHITEBEAM" build plain.erl
expect 2 'either a PROGRAM or --release' "$WHITEBEAM" build -o x
expect 2 'no application none_such' "$WHITEBEAM" build -o x --with none_such plain.erl
expect 2 '^whitebeam: --flags: ' "$WHITEBEAM" build -o x --flags --none-such plain.erl
expect 2 'no release with its erts' "$WHITEBEAM" build -o x --release elsewhere
[ ! -e x ] || wrong "a file of a failed build"
[ -z "$(ls | grep '\.new$')" ] || wrong "left: $(ls)"

# A release of mix, copied as one file to where there is no OTP.
if command -v mix >/dev/null; then
  mix_release 'IO.puts("up #{:erlang.system_info(:otp_release)}"); System.halt(5)'
  cd app || exit 1
  expect 0 '^\.\./app\.run: ' "$WHITEBEAM" build -o ../app.run --no-llvm --release _build/prod/rel/app
  cd .. && rm -rf app
  expect 5 '^up 25' "$without_otp" ./app.run
  expect 0 '^3 .*/bin/whitebeam"\}' "$without_otp" ./app.run eval 'IO.puts("#{1 + 2} #{inspect(File.read_link("/proc/self/exe"))}")'
fi
finish
