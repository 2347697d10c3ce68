# Wrong arguments: a message that helps, exit code 2.
source "$(dirname "$0")/check.sh"

expect 0 'Usage: whitebeam' "$WHITEBEAM" --help
expect 0 'PROGRAM is a .beam file' "$WHITEBEAM" run --help
expect 0 '^whitebeam [0-9]+\.[0-9]+\.[0-9]+$' "$WHITEBEAM" --version
expect 2 'subcommand is required' "$WHITEBEAM"
expect 2 'not expected|subcommand' "$WHITEBEAM" frobnicate
expect 2 'PROGRAM is required' "$WHITEBEAM" run
expect 2 'not expected: --bogus' "$WHITEBEAM" run --bogus x
expect 2 'schedulers' "$WHITEBEAM" run --schedulers 0 lists
expect 2 'schedulers' "$WHITEBEAM" run --schedulers many lists
expect 2 'seed' "$WHITEBEAM" run --seed x lists
expect 2 'event-log requires --seed' "$WHITEBEAM" run --event-log "$scratch/events" lists
expect 2 'cannot write .*nowhere' "$WHITEBEAM" run --seed 1 --event-log "$scratch/nowhere/events" lists
expect 2 'no_such_thing' "$WHITEBEAM" run no_such_thing
expect 2 'no such file' "$WHITEBEAM" run "$scratch/nothing.beam"
expect 2 'no such file' "$WHITEBEAM" run "$scratch/nothing.erl"
expect 2 'no function main' "$WHITEBEAM" run -pa "$scratch/nowhere" lists
expect 0 '^ +--pa DIR +[a-z]' "$WHITEBEAM" run --help
expect 2 'a directory' "$WHITEBEAM" run "$scratch"
expect 2 '--otp' "$WHITEBEAM" run --otp "$scratch" lists
expect 2 'not a BEAM file' "$WHITEBEAM" disasm /dev/null
expect 2 'FILE' "$WHITEBEAM" disasm
if command -v objdump >/dev/null; then
  expect 0 'lists.erl:[0-9]' "$WHITEBEAM" disasm --native lists:reverse/1
  if [ -e "$(dirname "$WHITEBEAM")/libwhitebeam-jit.so" ]; then
    expect 0 'lists.erl:[0-9]+' "$WHITEBEAM" disasm --hot lists:foldl/3
    expect 0 'entered from outside' "$WHITEBEAM" disasm --hot lists:foldl/3
    expect 0 'musttail call preserve_nonecc' "$WHITEBEAM" disasm --ir lists:foldl/3
  fi
  expect 0 'jmp' "$WHITEBEAM" disasm --native "$(ls /usr/lib/erlang/lib/stdlib-*/ebin/lists.beam)" reverse/2
fi
expect 2 'not a BEAM file' "$WHITEBEAM" disasm --native /dev/null
expect 0 'OTP .*erlang' "$WHITEBEAM" doctor
expect 2 '.' "$WHITEBEAM" doctor --load-all "$scratch/nowhere"
expect 1 'no .beam files' "$WHITEBEAM" doctor --load-all "$scratch"
expect 0 '^[0-9]+ modules load, 0 are refused' "$WHITEBEAM" doctor --load-all "$(dirname /usr/lib/erlang/lib/stdlib-*/ebin/lists.beam)"
finish
