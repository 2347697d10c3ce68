#!/bin/bash
# The list of all machines that the page shows: who runs, who has ended, who does not answer; each has its own page and counters.
. "$(dirname "$0")/check.sh"
need python3
observed

two_machines
expect 2 'several machines run: say which .*--web' "$WHITEBEAM" observe
page
cat >"$scratch/list.py" <<'EOP'
import signal, subprocess, time
from browsing import *
sick, stall, vm, program = int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]
s = Socket()
def machines(): return {m['pid']: m for m in s.ask(do='machines')['data']['machines']}
def until(what, f, seconds=100):
    for _ in range(seconds * 10):
        if f(): return
        time.sleep(0.1)
    check(what + ': ' + str(machines()), False)
def runs(pid): return machines()[pid]['state'] == 'runs'

check('both', list(machines()) == sorted([sick, stall]))
until('both answer', lambda: runs(sick) and runs(stall))
until('load is known', lambda: 0 <= machines()[stall].get('use', -1) < 2)
until('what is wrong with one', lambda: machines()[sick]['warnings'] == 1)
a, b = machines()[sick], machines()[stall]
check('what', a['worst']['what'] == 'scanning_receive' and a['worst']['name'] == 'clerk')
check('nothing with the other', b['warnings'] == 0 and 'worst' not in b)
check('who they are', 'sick' in a['program'] and 'stall' in b['program'] and a['node'] == 'nonode@nohost')
check('how much there is', b['processes'] > 1 and b['limit'] > 1000 and b['resident'] > 1 << 20 and b['schedulers'] >= 1 and b['queued'] >= 0 and b['uptime_ns'] > 0)

for pid in [sick, stall]:
    query = f'&machine={pid}'
    check('each its own page', status(f'/?token={token}{query}') == 200 and Socket(query).ask(do='hello')['data']['pid'] == pid)
    check('each its own counters', f'whitebeam_warnings{{kind="scanning_receive"}} {int(pid == sick)}\n' in whole(http(f'/metrics?token={token}{query}')).decode())
answer = whole(http(f'/metrics?token={token}')).decode()
check('counters of which?', ' 503 ' in answer and 'several machines run' in answer and str(stall) in answer)
check('a page of which?', 'several machines run' in Socket().ask(do='home')['error'])

# One that does not answer holds up no other.
os.kill(sick, signal.SIGSTOP)
until('no answer', lambda: machines()[sick].get('late_s', 0) >= 2)
up = machines()[stall]['uptime_ns']
until('the other goes on', lambda: machines()[stall]['uptime_ns'] > up)
begin = time.monotonic()
for _ in range(5): machines()
check('the list does not wait', time.monotonic() - begin < 5)
waiting = []
while True:
    w = socket.socket(socket.AF_UNIX)
    w.setblocking(False)
    try: w.connect(f"{os.environ['XDG_RUNTIME_DIR']}/whitebeam/{sick}.sock")
    except BlockingIOError: break
    waiting.append(w)
listed = subprocess.run([vm, 'observe'], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
check('nor who asks by hand, though no connection can be had', listed.returncode == 2 and f'{sick}  (does not answer)' in listed.stderr and 'stall' in listed.stderr)
for w in waiting: w.close()
os.kill(sick, signal.SIGCONT)
until('it answers again', lambda: 'late_s' not in machines()[sick])

# One that comes; one that has no room for us; ones that end, whether or not they can say so.
new = subprocess.Popen([vm, 'run', program], stdout=subprocess.DEVNULL)
until('one more', lambda: new.pid in machines() and runs(new.pid))
os.kill(sick, signal.SIGKILL)
until('killed', lambda: machines()[sick]['state'] == 'ended')
check('since when', abs(machines()[sick]['ended_ms'] / 1000 - time.time()) < 100)
check('what was known of it stays', 'sick' in machines()[sick]['program'] and machines()[sick]['warnings'] == 1)
new.terminate()
new.wait()
until('ended', lambda: machines()[new.pid]['state'] == 'ended')
check('the rest runs', runs(stall) and len(machines()) == 3)

# When nobody looks, it is not asked: its observer has no connection but ours.
path = f"{os.environ['XDG_RUNTIME_DIR']}/whitebeam/{stall}.sock"
from observing import Observer
o = Observer(path)
until('nobody asks', lambda: o.data(do='home')['observer']['connections'] == 1)
until('asked again', lambda: runs(stall) and o.data(do='home')['observer']['connections'] == 2)
crowd = [Observer(path) for _ in range(14)]
check('all have room', all(c.data(do='home') for c in crowd))
until('nobody asks again', lambda: o.data(do='home')['observer']['connections'] == 15)
crowd.append(Observer(path))
check('the last has room', crowd[-1].data(do='home'))
until('no room', lambda: machines()[stall]['state'] == 'refuses' and '16' in machines()[stall]['why'])
for c in crowd: c.close()
until('room again', lambda: runs(stall))
EOP
timeout 250 python3 "$scratch/list.py" "$url" $sick $stall "$WHITEBEAM" "$scratch/stall.erl" || failures=$((failures + 1))
kill -TERM $server
wait $server || { echo "FAILED: ended by SIGTERM with $?"; failures=$((failures + 1)); }
finish
