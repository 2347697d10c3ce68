# --faults: the same seed repeats the same faults; `explore` finds who does not look at what a file says, names the
# fault, and shows nothing in a program that looks; what is asked wrongly.
source "$(dirname "$0")/check.sh"
need erlc
cd "$scratch" || exit 1
files=$scratch/files
mkdir "$files" kept

program writes <<'P'
-module(writes).
-export([main/1]).
main([Dir]) ->
    Raw = filename:join(Dir, "raw"),
    {ok, F} = file:open(Raw, [write, read, raw, binary]),
    Written = [{N, R} || N <- lists:seq(1, 40), R <- [file:pwrite(F, N * 10, <<"0123456789">>)], R =/= ok],
    Short = [{N, B} || N <- lists:seq(1, 40), {ok, B} <- [file:pread(F, 10, 10)], byte_size(B) < 10],
    ok = file:close(F),
    Served = [{N, R} || N <- lists:seq(1, 20), R <- [file:write_file(filename:join(Dir, "served"), "abcdef")], R =/= ok],
    io:format("~p~n~p~n~p~n", [Written, Short, Served]).
P
program unlooked <<'P'
-module(unlooked).
-export([main/1, reads/1]).
main([Dir]) ->
    Name = filename:join(Dir, "balance"),
    {ok, F} = file:open(Name, [write, raw, binary]),
    file:write(F, <<"first\n">>),
    file:write(F, <<"second\n">>),
    ok = file:close(F),
    {ok, <<"first\nsecond\n">>} = file:read_file(Name).
reads([Dir]) ->
    Name = filename:join(Dir, "ten"),
    ok = file:write_file(Name, "0123456789"),
    {ok, F} = file:open(Name, [read, raw, binary]),
    {ok, <<"0123456789">>} = file:read(F, 10),
    ok = file:close(F).
P
program looked <<'P'
-module(looked).
-export([main/1, reads/1]).
main([Dir]) ->
    Name = filename:join(Dir, "balance"),
    {ok, F} = file:open(Name, [write, raw, binary]),
    Written = [file:write(F, Line) || Line <- [<<"first\n">>, <<"second\n">>]],
    ok = file:close(F),
    case [E || {error, E} <- Written] of
        [] -> {ok, <<"first\nsecond\n">>} = file:read_file(Name);
        [enospc | _] -> ok = file:delete(Name)
    end.
reads([Dir]) ->
    Name = filename:join(Dir, "ten"),
    ok = file:write_file(Name, "0123456789"),
    {ok, F} = file:open(Name, [read, raw, binary]),
    <<"0123456789">> = all(F, 10),
    ok = file:close(F).
all(_, 0) -> <<>>;
all(F, N) ->
    {ok, B} = file:read(F, N),
    Rest = all(F, N - byte_size(B)),
    <<B/binary, Rest/binary>>.
P
erlc ./*.erl
# What a seed makes go wrong it makes go wrong again, and the log of its events says where.
struck=0
for seed in 1 2 3 4 5 6 7 8; do
  for time in 1 2; do
    "$WHITEBEAM" run --seed $seed --faults full-disk,slow-read --event-log log.$time writes main "$files" >out.$time 2>&1 ||
      { echo "FAILED: seed $seed"; cat out.$time; failures=$((failures + 1)); }
  done
  cmp out.1 out.2 >&2 && cmp log.1 log.2 >&2 || { echo "FAILED: seed $seed does not repeat"; failures=$((failures + 1)); }
  in_log=$(grep -cE '^[0-9]+ fault (full-disk write|slow-read read) [0-9]+ of /' log.1)
  in_output=$(grep -oE 'enospc|<<' out.1 | wc -l)
  [ "$in_log" = "$in_output" ] || { echo "FAILED: seed $seed: $in_log faults logged, $in_output seen"; failures=$((failures + 1)); }
  struck=$((struck + (in_log > 0)))
done
[ $struck -ge 3 ] || { echo "FAILED: only $struck of 8 seeds make something go wrong"; failures=$((failures + 1)); }
expect 0 '^\[\]$' "$WHITEBEAM" run --seed 1 writes main "$files"

# explore: found, named, shrunk to the one fault that matters, repeated.
expect 0 '40  result' "$WHITEBEAM" explore unlooked --runs 40 --jobs 1 -- "$files"
expect 1 '^--- crash' "$WHITEBEAM" explore unlooked --faults full-disk --runs 200 --save kept -- "$files"
expect 1 '^  1 switch from the usual run:' "$WHITEBEAM" explore unlooked --faults full-disk --runs 200 -- "$files"
expect 1 '^    at write [12] of /.*/files/balance: the disk is full' "$WHITEBEAM" explore unlooked --faults full-disk --runs 200 -- "$files"
expect 1 '^  at write [12] of /.*/files/balance: the disk is full \(full-disk\)' "$WHITEBEAM" explore unlooked --faults full-disk --runs 200 -- "$files"
expect 1 'crash: main ended with \{badmatch,' "$WHITEBEAM" run --schedule kept/unlooked-crash-1.schedule unlooked
expect 1 '^    at write [12] of' "$WHITEBEAM" explore unlooked --faults full-disk --strategy exhaustive-bounded -- "$files"
expect 1 '^    at read 1 of /.*/files/ten: only a part' "$WHITEBEAM" explore unlooked --function reads --faults slow-read --runs 100 -- "$files"
expect 0 '200  result' "$WHITEBEAM" explore looked --faults full-disk,slow-read --runs 200 -- "$files"
expect 0 '200  result' "$WHITEBEAM" explore looked --function reads --faults slow-read --runs 200 -- "$files"
expect 0 'result' "$WHITEBEAM" explore looked --faults full-disk --strategy exhaustive-bounded -- "$files"

expect 2 "'no-such' is none of full-disk" "$WHITEBEAM" run --seed 1 --faults full-disk,no-such writes main "$files"
expect 2 "'no-such' is none of full-disk" "$WHITEBEAM" explore --faults no-such unlooked -- "$files"
expect 2 "'' is none of full-disk" "$WHITEBEAM" explore --faults full-disk, unlooked -- "$files"
expect 2 'seed' "$WHITEBEAM" run --faults full-disk writes main "$files"
finish
