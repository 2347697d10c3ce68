# whitebeam explore: finds what goes wrong in programs that are known to (tests/explore), shows nothing in their
# mended twins, repeats what it has found, and says what is wrong with what it is asked.
source "$(dirname "$0")/check.sh"
need erlc

shorthand explore explore
cp tests/explore/*.erl "$scratch"
cd "$scratch" || exit 1
erlc +debug_info ./*.erl
for source in *_mended.erl; do
  name=${source%_mended.erl}
  wanted=$(sed -n '1s/^%% explore: //p' "$name.erl")
  expect 1 "^--- $wanted, [0-9]+ times" explore "$name" --runs 10000 --for 55s --stop
  expect 0 '150  result +as the usual run' explore "${name}_mended" --runs 150
done

# The same seeds, the same endings; few switches, the story, a schedule that repeats it.
explore deadlock --runs 100 --jobs 1 >one 2>&1
explore deadlock --runs 100 --jobs 2 >two 2>&1
if ! diff <(tail -n +2 one) <(tail -n +2 two) >&2; then echo "FAILED: other jobs, other endings"; failures=$((failures + 1)); fi
mkdir kept
expect 1 '^  [12] switch(es)? from the usual run:' explore ets_lost_update --runs 200 --save kept
expect 1 'ets:insert\(#Ref<.*>, \{hits,1\}\) -> true' explore ets_lost_update --runs 200
expect 1 'crash: main ended with \{badmatch,\[\{hits,[12]\}\]\}' "$WHITEBEAM" run --schedule kept/ets_lost_update-crash-1.schedule ets_lost_update
expect 1 'a circle: ' explore deadlock --runs 300 --stop
expect 0 'crash' explore ets_lost_update --runs 200 --allow crash

# All runs that differ: with few switches, the fewest first; nothing in the twins.
expect 1 'orders of dependent operations: all there are' explore late_monitor --strategy exhaustive-bounded
expect 0 'orders of dependent operations: all there are' explore late_monitor_mended --strategy exhaustive-bounded
expect 1 '^--- crash' explore whereis_then_send --strategy exhaustive-bounded --depth 3 --stop
expect 0 'result +as the usual run' explore whereis_then_send_mended --strategy exhaustive-bounded --depth 3
expect 1 '^  1 switch from' explore late_cancel --strategy exhaustive-bounded
expect 0 'there are more' explore deadlock_mended --strategy exhaustive-bounded --runs 20

# A timer that is far away does not come first: nobody who can run is kept waiting for so long.
expect 0 'all with at most' explore server_lost_update_mended --strategy exhaustive-bounded --depth 2

# Tests of EUnit, each by itself.
program with_tests <<'P'
-module(with_tests).
-include_lib("eunit/include/eunit.hrl").
fine_test() -> ?assertEqual(3, 1 + 2).
race_test() ->
    Table = ets:new(t, [public]),
    ets:insert(Table, {n, 0}),
    Workers = [spawn_monitor(fun() -> add_one(Table) end) || _ <- [1, 2]],
    [receive {'DOWN', Ref, _, _, _} -> ok end || {_, Ref} <- Workers],
    ?assertEqual([{n, 2}], ets:lookup(Table, n)).
add_one(Table) -> [{n, N}] = ets:lookup(Table, n), ets:insert(Table, {n, N + 1}).
all_test_() -> {setup, fun() -> ok end, [{"one", fun() -> ok end}, {"race", fun race_test/0}]}.
P
expect 1 'runs of with_tests:fine_test/0' explore --eunit with_tests.erl --runs 100
expect 1 '\{tests_failed,with_tests,all_test_\}' explore --eunit with_tests.erl --runs 200
expect 2 'ets_lost_update: no tests' explore --eunit ets_lost_update

# Runs share the files: of a program that changes some, one runs at a time.
program writes_file <<'P'
-module(writes_file).
-export([main/1]).
main(_) ->
    ok = file:write_file("shared", <<"all of it">>),
    {ok, <<"all of it">>} = file:read_file("shared").
P
expect 0 '^ +200  result' explore writes_file --runs 200

expect 0 '20  result' bash -c "trap '' CHLD; exec explore late_monitor_mended --runs 20"

# What the usual run does is no news; what it should not do is.
program usual <<'P'
-module(usual).
-export([main/1, prints/1, args/1, endless/1, halts/1, known/1]).
main(_) ->
    spawn(fun() -> receive never -> ok end end),
    P = spawn(fun() -> exit(as_it_shall) end),
    R = monitor(process, P),
    receive {'DOWN', R, _, _, _} -> ok end,
    io:format("~p~n", [P =:= self()]).
prints(_) ->
    [spawn(fun() -> io:format("~p~n", [N]) end) || N <- [1, 2]],
    timer:sleep(100).
args(["a", "--b"]) -> ok.
endless(_) -> case get(x) of undefined -> endless([]) end.
halts(_) -> halt(3).
known(_) -> register(boss, self()), exit(too_bad).
P
expect 0 '^ +50  result' explore usual --runs 50
expect 1 'output +it printed:' explore usual --function prints --runs 200
expect 0 'output +it printed:' explore usual --function prints --runs 200 --allow output
expect 0 '10  result' explore usual --function args --runs 10 -- a --b
expect 1 '^--- endless' explore usual --function endless --runs 2 --steps 200
expect 1 '10  crash +main boss ended with too_bad' explore usual --function known --runs 10
expect 1 'halt +exit code 3' explore usual --function halts --runs 10

# What is asked wrongly.
expect 2 'no nothing.beam or nothing.erl here' explore nothing
expect 2 'usual has no function nothing/1 or nothing/0' explore usual --function nothing
expect 2 'strategy' explore usual --strategy clever
expect 2 '--allow nonsense: not one of machine, deadlock' explore usual --allow nonsense
expect 2 '--for soon: not a time' explore usual --for soon
expect 2 'runs' explore usual --runs 0
expect 2 'depth' explore usual --depth 99
expect 2 'save' explore usual --save /nowhere
expect 2 'PROGRAM is required' explore
expect 2 'cannot be read' "$WHITEBEAM" run --schedule nowhere ets_lost_update
head -3 kept/ets_lost_update-crash-1.schedule >short
expect 2 'it is cut short' "$WHITEBEAM" run --schedule short ets_lost_update
head -c -9 kept/ets_lost_update-crash-1.schedule >short
expect 2 'it is cut short' "$WHITEBEAM" run --schedule short ets_lost_update
grep -v ^switch kept/ets_lost_update-crash-1.schedule >short
expect 2 'switches are missing' "$WHITEBEAM" run --schedule short ets_lost_update
sed 's/^build ./build x/' kept/ets_lost_update-crash-1.schedule >other
expect 2 'another build' "$WHITEBEAM" run --schedule other ets_lost_update
expect 2 'of the program ets_lost_update' "$WHITEBEAM" run --schedule kept/ets_lost_update-crash-1.schedule usual
sed -i 's/{hits, 0}/{hits, 1 - 1}/; s/lists:seq(1, 3)/[1, 2, 3]/' ets_lost_update.erl
erlc ets_lost_update.erl
expect 2 'has changed since' "$WHITEBEAM" run --schedule kept/ets_lost_update-crash-1.schedule ets_lost_update
expect 2 'no schedule of this version' "$WHITEBEAM" run --schedule usual.erl ets_lost_update
finish
