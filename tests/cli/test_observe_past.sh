#!/bin/bash
# The last ten minutes of a machine: what it was like before anybody looked, in JSON and in the terminal's curves; what that costs.
source "$(dirname "$0")/check.sh"
need python3
need tmux
observed
export LC_ALL=C.UTF-8
unset TMUX

program grower <<'P'
-module(grower).
-export([main/1]).
main(_) -> io:format("ready~n"), ets:new(t, [named_table, public]), grow(0).
grow(N) -> ets:insert(t, {N, lists:seq(1, 100)}), spawn(fun() -> receive stop -> ok end end), timer:sleep(20), grow(N + 1).
P
machine grower
sleep 8
checks look "$socket" <<'Y'
import sys, time
from observing import *
o = Observer(sys.argv[1])
p, home = o.data(do='past'), o.data(do='home')
looks = p['looks']
check('seconds that nobody saw', 5 <= len(looks) <= 12 and p['kept'] == len(looks), len(looks))
check('what home has', all(set(l) == set(home) and set(l['counters']) == set(home['counters']) for l in looks))
check('one a second', all(0.8e9 < b['uptime_ns'] - a['uptime_ns'] < 3e9 for a, b in zip(looks, looks[1:])), [l['uptime_ns'] for l in looks])
check('it grows', all(a['counts']['processes']['now'] < b['counts']['processes']['now'] and a['memory']['tables'] < b['memory']['tables'] for a, b in zip(looks, looks[1:])))
late = o.data(do='past', since_ms=looks[2]['time_ms'])['looks']
check('from a moment on', late[0] == looks[3], len(late))
check('each third', [l['time_ms'] for l in o.data(do='past', every=3)['looks']][-2:] == [l['time_ms'] for l in (o.data(do='past')['looks'])][::-3][:2][::-1])
check('none', o.data(do='past', since_ms=1 << 52)['looks'] == [])
check('nonsense', 'looks' in o.told(do='past', since_ms='x', every=-5))
check('memory', p['bytes'] < 4096 * len(looks) and home['observer']['memory'] >= p['bytes'], p['bytes'])
spent = (o.data(do='past')['looks'][-1]['observer']['cpu_ns'] - looks[0]['observer']['cpu_ns']) / (len(looks) - 1)
check('less than 1 % of a core', spent < 1e7, spent)
print(f"kept in {p['bytes'] // len(looks)} bytes a second")
finish()
Y

tmux="tmux -L whitebeam-past-$$ -f /dev/null"
at_exit() { $tmux kill-server; }
$tmux new-session -d -s t -x 200 -y 60 "'$WHITEBEAM' observe --interval 2 $vm; sleep 100"
for _ in $(seq 100); do
  sleep 0.2
  $tmux capture-pane -p -t t >"$scratch/screen"
  # Two looks of its own would be one column of a curve; and growth over seconds that it has not seen.
  grep -qE '^reductions/s .* [^ ]{6,}$' "$scratch/screen" && grep -qE 'processes .*\+[0-9]+/s' "$scratch/screen" && grep -qE 'tables .*\+[0-9.]+ KiB/s' "$scratch/screen" && break
done
grep -qE '^reductions/s .* [^ ]{6,}$' "$scratch/screen" || { echo "FAILED: no curve"; cat "$scratch/screen"; failures=$((failures + 1)); }
grep -qE 'processes .*\+[0-9]+/s' "$scratch/screen" || { echo "FAILED: no growth"; cat "$scratch/screen"; failures=$((failures + 1)); }

# While nothing runs there is nothing to keep; what follows is seen from its first moment on.
program sleeper <<'P'
-module(sleeper).
-export([main/1]).
main(_) -> io:format("ready~n"), work(20), timer:sleep(9000), io:format("again~n"), work(1000).
work(0) -> ok;
work(N) -> timer:sleep(100), work(N - 1).
P
machine sleeper
sleep 14
checks quiet "$socket" <<'Y'
import sys
from observing import *
looks = Observer(sys.argv[1]).data(do='past')['looks']
at = [l['uptime_ns'] / 1e9 for l in looks]
gaps = [b - a for a, b in zip(at, at[1:])]
longest = gaps.index(max(gaps))
check('no look while nothing runs', 4 < gaps[longest] < 9, gaps)
check('then each second', all(g < 3 for g in gaps[longest + 1:]) and len(gaps) > longest + 1, gaps)
finish()
Y
finish
