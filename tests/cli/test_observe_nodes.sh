#!/bin/bash
# The observer shows the connections to other nodes: whose they are, what went over them, what hangs on them.
. "$(dirname "$0")/check.sh"
need python3
need epmd
observed
node() {  # node NAME CODE
  # It ends by itself, too: who is killed for its time cannot end what it has started.
  "$WHITEBEAM" erl -sname "$1" -setcookie observed -noinput -eval "timer:apply_after(90000, erlang, halt, []), $2" >"$scratch/$1" 2>&1 &
}
id=$$_$RANDOM
node "seen_b_$id" 'register(b, self()), receive stop -> ok end.'
for _ in $(seq 300); do epmd -names 2>/dev/null | grep -q "name seen_b_$id " && break; sleep 0.1; done
host=$(hostname -s)
node "seen_a_$id" "B = 'seen_b_$id@$host', pong = net_adm:ping(B),
  [erlang:monitor(process, {b, B}) || _ <- lists:seq(1, 7)], link(rpc:call(B, erlang, whereis, [init])),
  [{b, B} ! {data, binary:copy(<<1>>, 1000)} || _ <- lists:seq(1, 100)], io:format(\"ready~n\"), receive stop -> ok end."
for _ in $(seq 300); do grep -q ready "$scratch/seen_a_$id" && break; sleep 0.1; done
checks nodes "$XDG_RUNTIME_DIR/whitebeam" "seen_a_$id@$host" "seen_b_$id@$host" <<'EOF'
import glob, sys
from observing import *
folder, a, b = sys.argv[1:]
seen = {}
for path in glob.glob(folder + '/*.sock'):
    data = Observer(path, timeout=60).ask(do='nodes')['data']
    seen[data['own']] = data['rows']
check('both are asked', {a, b} <= set(seen), seen)
row = next(r for r in seen[a] if r['name'] == b)
check('it is up', row['state'] == 'up' and not row['hidden'] and row['creation'] > 0, row)
check('its monitors and link', row['monitors'] >= 7 and row['links'] >= 1, row)
check('what went out', row['bytes_out'] > 100000 and row['packets_out'] > 100, row)
back = next(r for r in seen[b] if r['name'] == a)
check('what came in', back['bytes_in'] > 100000 and back['monitored_by'] >= 7, back)
check('nothing waits', row['queued_bytes'] == 0 and row['senders_waiting'] == 0 and not row['busy'], row)
finish()
EOF
finish
