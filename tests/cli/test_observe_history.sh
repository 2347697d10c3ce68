#!/bin/bash
# History: the last minute of a machine is in a file and read after the machine was killed. What is no such file, or was
# cut short, gets one clear line.
. "$(dirname "$0")/check.sh"
need python3
observed

program history <<'EOF'
-module(history).
-behaviour(gen_server).
-export([main/0, init/1, handle_call/3, handle_cast/2]).
main() ->
    [{ok, _} = gen_server:start_link({local, Name}, ?MODULE, [], []) || Name <- [left, right]],
    [gen_server:cast(From, {call, To}) || {From, To} <- [{left, right}, {right, left}]],
    register(sink, spawn(fun() -> receive never -> ok end end)),
    [sink ! N || N <- lists:seq(1, 5000)],
    spawn(fun() -> exit({no, shelf}) end),
    io:format("ready~n"),
    receive stop -> ok end.
init(_) -> {ok, none}.
handle_call(_, _, S) -> {reply, ok, S}.
handle_cast({call, To}, S) -> _ = gen_server:call(To, x, infinity), {noreply, S}.
EOF
file=$scratch/last
expect 2 'whitebeam: --history: .*No such file or directory' "$WHITEBEAM" run --history "$scratch/none/last" "$scratch/history.erl"
machine history --history "$file"
checks grows "$file" "$WHITEBEAM" <<'EOF'
import json, subprocess, sys
from observing import *
file, vm = sys.argv[1:]
def looks():
    p = subprocess.run([vm, 'observe', '--json', file], capture_output=True)
    return json.loads(p.stdout)['looks'] if p.returncode == 0 else []
until('it is read while the machine runs', lambda: len(looks()) >= 4 and len(looks()[-1]['look']['warnings']['rows']) >= 2, 60)
finish()
EOF
disown $vm
kill -9 $vm
checks after "$file" "$WHITEBEAM" "$vm" "$scratch" <<'EOF'
import json, os, re, subprocess, sys
from observing import *
file, vm, pid, scratch = sys.argv[1:]
def read(path, *options):
    p = subprocess.run([vm, 'observe', *options, path], capture_output=True, text=True, timeout=60)
    return p.returncode, p.stdout, p.stderr
code, out, err = read(file, '--json')
check('it is read', code == 0 and not err, err)
h = json.loads(out)
check('whose it is', h['hello']['pid'] == int(pid) and h['hello']['program'].endswith('history.beam') or 'history' in h['hello']['program'], h['hello'])
looks = h['looks']
check('looks, the oldest first', len(looks) >= 4 and [l['number'] for l in looks] == list(range(1, len(looks) + 1)), len(looks))
last = looks[-1]['look']
check('counters', last['home']['counters']['messages'] > looks[0]['look']['home']['counters']['messages'] - 1 and last['home']['counts']['processes']['now'] > 4)
check('exits', any('{no,shelf}' in e['reason'] for e in last['exits']['rows']), last['exits'])
warned = {w['what']: w for w in last['warnings']['rows']}
check('warnings', {'call_cycle', 'scanning_receive'} <= set(warned), last['warnings'])
check('whose, and what leads on', warned['scanning_receive']['name'] == 'sink' and warned['scanning_receive']['leads_to'] == 'process', warned)
check('who waits for whom', len(last['calls']['cycles']) == 1, last['calls'])
check('events', sum(len(s['events']) for s in last['events']['schedulers']) > 10)
code, out, err = read(file)
for text in ['machine ', 'warnings, the worst first (', ' call cycle: ', ' scanning receive: sink: its receive has passed over ', '{no,shelf}', 'scheduler 1']:
    check(f'as text: {text}', code == 0 and text in out, out)
check('bounded', os.stat(file).st_size < 17 << 20 and os.stat(file).st_blocks * 512 < 17 << 20, os.stat(file))
# Files that are none.
data = open(file, 'rb').read()
bad = scratch + '/bad'
def line(what, bytes, text):
    open(bad, 'wb').write(bytes)
    code, out, err = read(bad)
    check(what, code == 2 and not out and err.count('\n') == 1 and f'whitebeam: {bad}: ' in err and text in err, (code, out, err))
line('empty', b'', 'no history')
line('foreign', b'\x7fELF' * 1000, 'no history')
line('another version', data[:8] + b'\x09' + data[9:], 'of version 9')
line('no version', data[:8] + b'\0' + data[9:], 'of version 0')
line('header cut', data[:20], 'cut short')
line('looks cut', data[:70000], 'cut short')
line('header damaged', data[:50] + b'X' + data[51:], 'damaged')
line('slots that are none', data[:16] + b'\xff' * 8 + data[24:], 'damaged')
open(bad, 'wb').write(data[:65536 + 262144 * 3])
code, out, err = read(bad)
check('cut: what is left', code == 0 and 'looks               2,' in out and err.count('\n') == 1 and 'cut short: 2 looks are left' in err, (out, err))
def fnv1a(text, s):
    s ^= 0xcbf29ce484222325
    for c in text: s = (s ^ c) * 0x100000001b3 % 2**64
    return s
# Version 1 had suspect processes for warnings.
old = json.dumps({'home': last['home'], 'warnings': {'rows': [{'pid': '<0.9.9>', 'name': 'box', 'lint': ['long message queue']}]}}).encode()
sum_of = fnv1a(old, 1 ^ 5 << 20)
open(bad, 'wb').write(data[:8] + b'\x01' + data[9:65536] + b''.join(n.to_bytes(8, 'little') for n in [1, 5, len(old), sum_of]) + old + bytes(262144 - 32 - len(old)) + bytes(262144 * 63))
code, out, err = read(bad)
check('version 1', code == 0 and re.search('^warnings\n  <0.9.9> +box .*long message queue', out, re.M), (code, out, err))
damaged = bytearray(data)
damaged[65536 + 262144 + 500] ^= 1
open(bad, 'wb').write(damaged)
code, out, err = read(bad, '--json')
check('a look that is damaged is left out', code == 0 and [l['number'] for l in json.loads(out)['looks']][:2] == [2, 3], out[:300])
finish()
EOF
# From outside, of a machine that runs already.
machine history
timeout 60 "$WHITEBEAM" observe --record "$scratch/recorded" "$vm" &
recorder=$!
for _ in $(seq 100); do "$WHITEBEAM" observe "$scratch/recorded" >/dev/null 2>&1 && break; sleep 0.2; done
disown "$vm"
kill -9 "$vm"
expect 0 'call cycle: ' "$WHITEBEAM" observe "$scratch/recorded"
wait $recorder || { echo "FAILED: the recorder does not end with the machine"; failures=$((failures + 1)); }
finish
