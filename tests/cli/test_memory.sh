# Memory given back, with figures that only concern Whitebeam: what is resident at the end.
source "$(dirname "$0")/check.sh"

program given <<'P2'
-module(given).
-export([timers/1, appended/1, modules/1, atomics/1, doubled/1, doubled_in_report/1]).
timers(_) -> [t() || _ <- lists:seq(1, 30000)], done().
t() ->
    {Pid, Ref} = spawn_monitor(fun() -> receive stop -> ok end end),
    erlang:send_after(3600000, Pid, lists:seq(1, 100)),
    exit(Pid, kill),
    receive {'DOWN', Ref, _, _, _} -> ok end.
appended(_) ->
    Kept = [a(<<>>, 1500) || _ <- lists:seq(1, 1000)],
    erlang:garbage_collect(), erlang:garbage_collect(), erlang:garbage_collect(),
    io:format("~p~n", [erlang:memory(binary) < 1.2 * 1500 * length(Kept)]).
a(B, 0) -> B;
a(B, N) -> a(<<B/binary, N>>, N - 1).
modules(_) ->
    Forms = [{attribute, 1, module, m}, {attribute, 1, export, [{f, 0}]},
             {function, 1, f, 0, [{clause, 1, [], [], [{atom, 1, ok}]}]}],
    {ok, m, Code} = compile:forms(Forms),
    [begin {module, m} = code:load_binary(m, "m", Code), ok = m:f() end || _ <- lists:seq(1, 300)],
    done().
atomics(_) -> [counters:new(10000, []) || _ <- lists:seq(1, 30000)], done().
doubled(_) ->
    spawn(fun() -> receive _ -> ok end end) ! doubled(100, []),
    done().
doubled(0, T) -> T;
doubled(N, T) -> doubled(N - 1, [T | T]).
doubled_in_report(_) ->
    spawn(fun() -> done(doubled(100, [])) end),
    receive after infinity -> ok end.
done(nothing) -> ok.
done() -> io:format("done~n").
P2
(cd "$scratch" && erlc given.erl)
for way in timers modules atomics; do
  expect 0 '^done$' "$WHITEBEAM" run --max-memory 200MB "$scratch/given.beam" $way
done
expect 0 '^true$' "$WHITEBEAM" run "$scratch/given.beam" appended

# A term of a hundred cells that are 2^100 without sharing: nobody measures it to its end.
for way in doubled doubled_in_report; do
  expect 71 'Cannot allocate' timeout 60 "$WHITEBEAM" run --max-memory 200MB "$scratch/given.beam" $way
done

# --stats says what happened.
for what in 'timers_orphaned +30,000 ' 'spawns +[0-9,]+ ' 'resident' 'longest_pause' '  modules' 'messages' 'at most'; do
  expect 0 "$what" "$WHITEBEAM" run --stats "$scratch/given.beam" timers
done
finish
