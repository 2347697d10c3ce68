#!/bin/bash
# The observer: a machine is found, asked, acted upon; hostile requests are refused; nobody else gets in.
. "$(dirname "$0")/check.sh"
need python3
observed

program busy <<'EOF'
-module(busy).
-export([main/0, idle/1, spin/1, kept/0, holder/1, init/1, child/1, pinger/1, sharer/1, growing/1, old/2]).
main() ->
    [spawn(?MODULE, idle, [N]) || N <- lists:seq(1, 500)],
    Spinner = spawn(?MODULE, spin, [0]),
    register(spinner, Spinner),
    Full = spawn_link(fun full/0),
    register(full_box, Full),
    [Full ! {message, N, <<"hello">>} || N <- lists:seq(1, 2000)],
    register(collector, spawn(fun() -> collector(lists:seq(1, 1000)) end)),
    register(holder, spawn(?MODULE, holder, [{my_state, 42}])),
    {ok, _} = supervisor:start_link({local, top}, ?MODULE, {child_of_top, 10}),
    stopped(child_of_top),
    {ok, _} = supervisor:start_link({local, calm}, ?MODULE, {child_of_calm, 1}),
    spawn(fun() -> stopped(child_of_calm), receive after 2500 -> stopped(child_of_calm) end end),
    Shared = binary:copy(<<"shared">>, 1000),
    [register(Name, spawn(?MODULE, sharer, [Shared])) || Name <- [one_sharer, another_sharer]],
    register(ponger, spawn(fun ponger/0)),
    register(pinger, spawn(?MODULE, pinger, [0])),
    ets:new(shop, [named_table, public]),
    ets:insert(shop, [{N, N} || N <- lists:seq(1, 100)]),
    Growing = spawn(?MODULE, growing, [0]),
    register(growing, Growing),
    spawn(fun() -> feed(Growing) end),
    register(hoarder, spawn(fun() -> B = [binary:copy(<<N>>, 200000) || N <- lists:seq(1, 20)], receive stop -> B end end)),
    register(settled, spawn(?MODULE, old, [lists:seq(1, 50000), 5000])),
    register(limited, spawn_opt(fun() -> L = lists:seq(1, 30000), receive stop -> L end end,
                                [{max_heap_size, #{size => 20000, kill => false, error_logger => false}}])),
    register(watcher, spawn(fun() -> monitor(process, ponger), alias(), receive stop -> ok end end)),
    persistent_term:put({busy, kept}, [1, 2, three]),
    ok = logger_std_h:filesync(default), _ = application:which_applications(),  % their modules are loaded
    put(newest, list_to_atom(lists:concat(["a newest ", atom]))),
    {ok, Listening} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}]),
    {ok, Number} = inet:port(Listening),
    {ok, _} = gen_tcp:connect({127, 0, 0, 1}, Number, [{active, true}]),
    {ok, _} = gen_tcp:accept(Listening),
    io:format("ready~n"),
    kept().
%% Its mailbox only grows, up to 700 messages.
growing(N) -> receive drain -> drop(), growing(N + 1) end.
drop() -> receive more -> drop() after 0 -> ok end.
feed(P) ->
    [P ! more || _ <- lists:seq(1, 50)],
    case process_info(P, message_queue_len) of {_, N} when N > 700 -> P ! drain; _ -> ok end,
    receive after 100 -> feed(P) end.
%% Much that lives long, and much garbage.
old(L, 0) -> erlang:garbage_collect(self(), [{type, minor}]), receive stop -> L end;
old(L, N) -> lists:seq(1, 5000), old(L, N - 1).
init({Child, Period}) -> {ok, {{one_for_one, 5, Period}, [{c, {?MODULE, child, [Child]}, permanent, 1000, worker, [?MODULE]}]}}.
child(Name) ->
    Pid = spawn_link(fun() -> receive stop -> exit(normal) end end),
    register(Name, Pid),
    {ok, Pid}.
%% Until its supervisor has restarted it.
stopped(Name) -> Pid = whereis(Name), Pid ! stop, restarted(Name, Pid).
restarted(Name, Pid) -> case whereis(Name) of P when is_pid(P), P =/= Pid -> ok; _ -> erlang:yield(), restarted(Name, Pid) end.
sharer(Binary) -> receive go -> Binary end.
ponger() -> receive {From, N} -> From ! {pong, N} end, ponger().
pinger(N) -> ponger ! {self(), lists:seq(1, 20)}, receive {pong, _} -> ok end, receive after 1 -> pinger(N + 1) end.
kept() -> receive stop -> ok end.
idle(N) -> put(number, N), receive stop -> ok end.
full() -> put(what, {a, "dictionary"}), receive never -> ok end.
holder(State) -> Answer = wait_inside([State]), holder(setelement(1, State, Answer)).
wait_inside(States) -> receive go -> hd(States) end.
spin(N) -> spin(N + 1).
collector(L) -> erlang:garbage_collect(), receive after 100 -> collector(L) end.
EOF
machine busy --schedulers 2  # who wakes whom is asked, too
ask() {  # REQUEST PATTERN; on a busy machine a process may not answer in time
  for _ in 1 2 3 4 5; do
    timeout 60 "$WHITEBEAM" observe --ask "$1" 2>&1 | grep -qE -- "$2" && return
  done
  expect 0 "$2" "$WHITEBEAM" observe --ask "$1"
}

expect 0 'scheduler 1' "$WHITEBEAM" observe --once
expect 0 'spinner.*busy:spin/1' "$WHITEBEAM" observe "$vm" --once
expect 0 '"msgq":2000' "$WHITEBEAM" observe "$socket" --json
expect 0 'whitebeam_reductions_total [1-9]' "$WHITEBEAM" observe --openmetrics
expect 0 'EOF$' "$WHITEBEAM" observe --openmetrics
expect 0 '^whitebeam_jit_functions_total\{tier="baseline"\} [0-9]' "$WHITEBEAM" observe --openmetrics
[ -e "$(dirname "$WHITEBEAM")/libwhitebeam-jit.so" ] &&
  expect 0 '^whitebeam_jit_native_left_total\{tier="LLVM"\} [0-9]' "$WHITEBEAM" observe --openmetrics
expect 0 '^whitebeam_jit_traced_total\{tier="baseline"\} [0-9]' "$WHITEBEAM" observe --openmetrics
expect 2 'no machine of yours' "$WHITEBEAM" observe 1
program another <<'EOF'
-module(another).
-export([main/0]).
main() -> receive stop -> ok end.
EOF
"$WHITEBEAM" run "$scratch/another.erl" >/dev/null 2>&1 &
other=$!
for _ in $(seq 600); do [ -S "$XDG_RUNTIME_DIR/whitebeam/$other.sock" ] && break; sleep 0.1; done
expect 2 'several machines run' "$WHITEBEAM" observe --once
expect 2 "$other .*another" "$WHITEBEAM" observe --json
expect 0 "$other" "$WHITEBEAM" observe "$other" --ask '{"do":"hello"}'
kill -9 $other
wait $other 2>/dev/null
rm -f "$XDG_RUNTIME_DIR/whitebeam/$other.sock"

ask '{"id":3,"do":"hello"}' '"id":3,"ok":true,"data":\{"protocol":1,'
ask '{"do":"home"}' '"processes":\{"now":5[0-9][0-9],'
ask '{"do":"processes","by":"msgq","limit":1}' '"name":"full_box".*"lint":\["long message queue","receive scans'
lint() { ask '{"do":"processes","filter":"name='"$1"'"}' '"lint":\["?[^]]*'"$2"; }
lint hoarder 'holds large binaries'
lint limited 'close to its heap limit'
ask '{"do":"processes","filter":"name=settled"}' '"priority":"normal"'
ask '{"do":"process","pid":"pinger"}' '"gc_ns":[1-9]'
ask '{"do":"process","pid":"watcher"}' '"monitors":\["ponger"\].*"aliases":\["#Ref<'
ask '{"do":"persistent_terms"}' '\{"name":"\{busy,kept\}","value":"\[1,2,three\]"\}'
ask '{"do":"atoms","limit":5000}' '"limit":[0-9]+,"bytes":[1-9][0-9]*,.*"rows":\[.*a newest atom'
ask '{"do":"processes","by":"memory","limit":1,"filter":"fn=busy:idle/1"}' '"matched":500'
ask '{"do":"processes","filter":"name=spin* & reds>1k"}' '"matched":1,'
ask '{"do":"processes","filter":"msgq>1k | name~pinn"}' '"matched":2,'
ask '{"do":"processes","limit":10,"offset":490,"by":"pid","filter":"initial=busy:idle/1"}' '"fn":"busy:idle/1"'
ask '{"do":"process","pid":"full_box"}' '"shaped":2000,"shapes":\[\{"shape":"\{message,_,<<_>>\}","messages":2000,"bytes":[1-9][0-9]+\}\]'
ask '{"do":"process","pid":"full_box","messages_from":1999}' '\{message,2000,'
ask '{"do":"process","pid":"full_box"}' '"dictionary":\[\["what","\{a,'
ask '{"do":"process","pid":"full_box"}' '"stack":\[\{"fn":"busy:full/0","file":"[^"]*busy.erl","line":[0-9]+'
ask '{"do":"process","pid":"holder"}' '"fn":"busy:wait_inside/1".*"values":\["\[\{my_state,42\}\]"\]\},\{"fn":"busy:holder/1".*"values":\["\{my_state,42\}"\]'
ask '{"do":"children"}' '"initial":"busy:main/0"'
ask '{"do":"schedulers"}' '"slices":[1-9]'
ask '{"do":"schedulers"}' '"wakeups":\[\[[0-9]+,[0-9]+\].*"pauses":\[\[.*"taken_from":\[[0-9,]+\],"came_from":\[[0-9,]+\]'
ask '{"do":"collections","most":3}' '"end_ns":[0-9]+,"pause_ns":[0-9]+,"pid":"<0\.[0-9.]+>".*"major":(true|false),"words_before":[0-9]+,"words_after":[0-9]+,"scheduler":[1-9]'
ask '{"do":"collections","pid":"collector"}' '"name":"collector","major":true,"words_before":[1-9]'
ask '{"do":"collections","pid":"nobody_at_all"}' 'no such process'
ask '{"do":"processes","filter":"name=spinner & migrations>=0"}' '"migrations":[0-9]+'
ask '{"do":"events","most":50}' '"kinds":\["parked"'
ask '{"do":"tables"}' '"name":"shop","named":true.*"objects":100'
ask '{"do":"modules"}' '"name":"busy"'
ask '{"do":"ports"}' '"name":"forker"'
ask '{"do":"ports"}' '"name":"tcp_inet","owner":"<0[^}]*"about":"listens at 127.0.0.1:[0-9]+'
ask '{"do":"ports"}' '"about":"127.0.0.1:[0-9]+ to 127.0.0.1:[0-9]+, active"'
ask '{"do":"jit"}' '"on":'
ask '{"do":"jit"}' '"rows":\[\{"fn":"[^"]+","tier":"(baseline|LLVM)","bytes":[1-9][0-9]*,"instructions":[1-9]'
ask '{"do":"code","function":"busy:ponger/0"}' '"function":"busy:ponger/0","file":"[^"]*busy.erl",.*"rows":\['
ask '{"do":"code","function":"busy:nothing/0"}' 'no such function is loaded'
ask '{"do":"code","function":"busy"}' 'M:F/A'
ask '{"do":"allocators"}' '"allocator":"(jemalloc","allocated":[1-9].*"rows":\[\{"kind":"small","size":[1-9][0-9]*,"objects":[1-9]|another)'
ask '{"do":"holders","binary":"zz"}' 'which binary'
ask '{"do":"flows","by":"nonsense"}' 'name or application'
ask '{"do":"process","pid":"pinger"}' '"application":"busy"'
ask '{"do":"process","pid":"top"}' '"application":"busy".*"restarts":\{"total":1,"count":1,"intensity":5,"period_s":10\}'
ask '{"do":"profile","what":"nonsense"}' 'reductions, time or allocation'
ask '{"do":"profile","pid":"nobody_at_all"}' 'no such process'
ask '{"do":"act","pid":"full_box","what":"kill"}' 'may only look'

expect 0 'busy:spin/1 [1-9]' "$WHITEBEAM" observe --interval 1 --flame -
expect 0 '"name":"busy:spin/1"' "$WHITEBEAM" observe --interval 1 --speedscope -
expect 0 '' "$WHITEBEAM" observe --interval 1 --pprof "$scratch/profile.pb.gz"
gzip -dc "$scratch/profile.pb.gz" >"$scratch/profile.pb" || failures=$((failures + 1))
cat >"$scratch/pprof.py" <<'PPROF'
import sys
data = open(sys.argv[1], 'rb').read()
def fields(b):
    """[(number, integer or bytes)] of a message"""
    at, out = 0, []
    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte = b[at]; at += 1
            n |= (byte & 127) << shift; shift += 7
            if byte < 128: return n
    while at < len(b):
        key = varint()
        if key & 7 == 0: out.append((key >> 3, varint()))
        else:
            assert key & 7 == 2
            size = varint()
            out.append((key >> 3, b[at:at + size])); at += size
    return out
top = fields(data)
strings = [v.decode() for k, v in top if k == 6]
of = lambda v: dict(fields(v))
assert strings[0] == '' and [strings[n] for n in of([v for k, v in top if k == 1][0]).values()] == ['reductions', 'count']
functions = {of(v)[1]: strings[of(v)[2]] for k, v in top if k == 5}
locations = {of(v)[1]: functions[dict(fields(of(v)[4]))[1]] for k, v in top if k == 4}
samples = [of(v) for k, v in top if k == 2]
assert any(locations[s[1][0]] == 'busy:spin/1' and s[2][0] > 0 for s in samples), samples
print('ok')
PPROF
expect 0 '^ok$' python3 "$scratch/pprof.py" "$scratch/profile.pb"
expect 0 '"ph":"X","name":"spinner <0\.[0-9.]+>"' "$WHITEBEAM" observe --interval 1 --perfetto -

ask '{"do":"nothing"}' '"ok":false,"error":"no such request"'
ask '{"do":"processes","filter":"msgq>"}' '"ok":false'
ask '{"do":"processes","filter":"what=1"}' 'no column'
ask '{"do":"process","pid":"<0.999999.9>"}' 'no such process'
ask '{"do":"process","pid":"<0.1.2>x"}' 'no such process'
ask '[1]' '"ok":false'
ask '{"a":{"b":1}}' '"ok":false'
ask '{"limit":1e999,"do":"home"}' '"ok":false'

checks observe "$socket" "$vm" "$WHITEBEAM" <<'EOF'
import os, random, stat, struct, subprocess, sys, time
from observing import *
path, vm = sys.argv[1], int(sys.argv[2])

def connect(): return Observer(path, timeout=60)

check('socket is private', stat.S_IMODE(os.stat(path).st_mode) == 0o600)
check('directory is private', stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700)

# several requests in one write, one request in many
s = connect()
s.send(frame(b'{"id":1,"do":"jit"}') * 50)
check('pipelined', [s.answer()['id'] for _ in range(50)] == [1] * 50)
for byte in frame(b'{"id":2,"do":"jit"}'): s.send(bytes([byte]))
check('in pieces', s.answer()['id'] == 2)

# hostile frames
s.send(struct.pack('>I', 1 << 31))
check('too long', not s.answer()['ok'])
try: check('closed', s.socket.recv(1) == b'')
except ConnectionError: pass
rng = random.Random(7)
for k in range(300):
    s = connect()
    body = bytearray(b'{"do":"processes","by":"msgq","filter":"msgq>1","limit":3}')
    for _ in range(rng.randrange(1, 8)): body[rng.randrange(len(body))] = rng.randrange(256)
    s.send(frame(bytes(body)))
    check('an answer', 'ok' in s.answer())
    s.close()
# a seventeenth is told so
crowd = []
while len(crowd) < 16:  # those before may not have been let go yet
    c = connect()
    if c.ask(do='hello')['ok']: crowd.append(c)
    else: c.close()
p = subprocess.run([sys.argv[3], 'observe', '--once', path], capture_output=True, text=True, timeout=60)
check('a seventeenth gets one line', p.returncode == 2 and p.stderr == 'whitebeam: the machine serves 16 observers already\n', (p.returncode, p.stderr))
for c in crowd: c.close()
# half a request, then gone; answers nobody reads
for k in range(20):
    s = connect(); s.send(frame(b'{"do":"processes"}')[:k + 2]); s.close()
many = [connect() for _ in range(15)]
for s in many: s.send(frame(b'{"do":"processes","limit":1000}') * 200)
s = connect()
check('others are served meanwhile', s.ask(do='hello')['ok'])
for m in many: m.close()

# deltas
s = connect()
s.ask(do='processes', by='dreds', limit=3)
for _ in range(10):  # it may have been kept from running all the time
    time.sleep(1.1)
    r = s.ask(do='processes', by='dreds', limit=1)['data']
    if r['rows'][0].get('name') == 'spinner': break
check('the spinner is busy', r['rows'][0].get('name') == 'spinner' and r['rows'][0]['dreds'] > 0)
check('interval', 1e9 < r['interval_ns'] < 60e9)

# who writes to whom, some messages, what is allocated and by whom
next = []
flows = {}
def both_ways():
    global next
    r = s.ask(do='flows', **{'from': next})['data']
    next = r['next']
    for row in r['rows']: flows[row['from'], row['to']] = row['messages']
    return flows.get(('pinger', 'ponger'), 0) > 0 and flows.get(('ponger', 'pinger'), 0) > 0
def lint(name): return s.ask(do='processes', filter=f'name={name}')['data']['rows'][0].get('lint', [])
until('a queue that grows', lambda: 'message queue grows' in lint('growing'))
check('nothing is wrong with a large old generation', lint('settled') == [], lint('settled'))
until('ping and pong', both_ways)
pid = {n: s.ask(do='process', pid=n)['data']['pid'] for n in ('pinger', 'ponger')}
until('messages', lambda: any(m[1:3] == [pid['pinger'], pid['ponger']] and m[3] > 0 for m in s.ask(do='events')['data']['messages']))
now = s.ask(do='events', most=1)['data']['now_ns']
check('those since', all(m[0] > now for m in s.ask(do='events', most=1, messages_since_ns=now)['data']['messages']))
def stacks(**choice):
    r = s.ask(do='profile', hz=1000, **choice)['data']
    return [stack for stack, n in r['stacks'] if n > 0] if r['samples'] else []
until('reductions of one', lambda: stacks(pid='spinner') == ['busy:spin/1'])
until('by process', lambda: 'spinner;busy:spin/1' in stacks(by_process=True))
def allocated():
    of_all = stacks(what='allocation', by_process=True)
    return any(x.startswith('pinger;') for x in of_all) and not any('spin' in x for x in of_all)
until('time', lambda: any(x.endswith('busy:spin/1') for x in stacks(what='time')))
until('allocation', allocated)
def allocated_by_one():
    of_one = stacks(what='allocation', pid='pinger')
    return of_one and not any(not x.startswith("busy:ping") for x in of_one)
until('allocation of one', allocated_by_one)
s.ask(do='profile', on=False)

# by application; what was restarted, also when that is forgotten; who shares a binary; native code
until('by application', lambda: any((r['from'], r['to']) == ('busy', 'busy') and r['messages'] > 0 for r in s.ask(do='flows', by='application')['data']['rows']))
def restarts(): return s.ask(do='process', pid='calm')['data'].get('restarts', {})
until('two restarts, one remembered', lambda: restarts().get('total') == 2 and restarts()['count'] == 1)
shared = s.ask(do='process', pid='one_sharer')['data']['heap']['binaries'][0]
who = s.ask(do='holders', binary=shared['id'], pid='one_sharer')['data']
check('who holds it', {r.get('name') for r in who['rows']} >= {'one_sharer', 'another_sharer'} and who['asked'] > 500)
s.ask(do='profile', hz=1000)
def spin_line():
    code = s.ask(do='code', function='busy:spin/1')['data']
    return code['tier'] != 'interpreter' and code['samples'] > 10 and code['line_samples'][0][1] > 10 and any('native' in r and r['line'] == code['line_samples'][0][0] for r in code['rows']) and len(code['bytes']) > 20
jit = s.ask(do='jit')['data']
if jit['on']: until('native code of a line', spin_line)
def tiers(): return {row[0]: row[1:] for row in s.ask(do='profile', hz=1000)['data']['tiers']}
check('what ran it', sum(tiers()['busy:spin/1']) > 10 and (not jit['on'] or sum(tiers()['busy:spin/1'][1:]) > 0), tiers())
check('each sample once', all(sum(n) <= s.ask(do='profile', hz=1000)['data']['samples'] for n in tiers().values()))
# What LLVM made, by instruction; and back to the interpreter when somebody traces.
def hot():
    code = s.ask(do='code', function='busy:spin/1')['data']
    places = {r['at'] for r in code['rows']}
    h = code.get('LLVM')
    return code['tier'] == 'LLVM' and h and len(h['bytes']) > 20 and h['entries'][0][1] in places and any(at in places for _, at in h['lines']) and all(2 * offset < len(h['bytes']) for offset, _ in h['lines'])
def row(): return [r for r in s.ask(do='jit', limit=5000)['data']['rows'] if r['fn'] == 'busy:spin/1'][0]
if 'LLVM' in jit and jit['LLVM']['functions'] + jit['LLVM']['queued'] > 0:
    until('hot code by instruction', hot)
    until('which runs', lambda: tiers()['busy:spin/1'][2] > 10)
    check('hot bytes', row()['hot_bytes'] > 10)
if jit['on']:
    before = s.ask(do='jit')['data']
    tracer = connect()
    tracer.ask(do='hello', actions=True)
    check('traced', tracer.ask(do='trace', what='start', calls='busy:spin/1', filter='name=nobody')['ok'])
    r = row()
    check('went back', r['returns'] == 1 and r['tier'] == 'traced')
    interpreted = tiers()['busy:spin/1'][0]
    until('which is seen', lambda: tiers()['busy:spin/1'][0] > interpreted)
    after = s.ask(do='jit')['data']
    tier = 'LLVM' if 'LLVM' in after and after['LLVM']['traced'] > before['LLVM']['traced'] else 'baseline'
    check('counted', after[tier]['traced'] == before[tier]['traced'] + 1 and after['baseline']['interpreted'] > before['baseline']['interpreted'])
    tracer.close()
    until('and came again', lambda: row()['tier'] != 'traced')
s.ask(do='profile', on=False)

# waits in run queues, while somebody looks
for k in range(600):
    r = s.ask(do='processes', by='wait', limit=1)['data']['rows'][0]
    if 'wait_p99_ns' in r: break
    time.sleep(0.1)
check('waits are measured', 0 < r['wait_p50_ns'] <= r['wait_p99_ns'] < 60e9)
check('and chosen by', s.ask(do='processes', filter='wait>1')['data']['matched'] > 0)
check('in a histogram, too', any(w['waits'] for w in s.ask(do='schedulers')['data']['schedulers']))

# acting
hello = s.ask(do='hello', actions=True)['data']
check('may act', hello['actions'] and hello['pid'] == vm)
check('collect', s.ask(do='act', pid='full_box', what='collect')['ok'])
check('suspend', s.ask(do='act', pid='spinner', what='suspend')['ok'])
until('is suspended', lambda: s.ask(do='process', pid='spinner')['data']['waits_for'] == 'resume')
reds = s.ask(do='process', pid='spinner')['data']['reds']
time.sleep(0.3)
check('stands still', s.ask(do='process', pid='spinner')['data']['reds'] < reds + 100)
s.close()
s = connect()
until('goes on when the observer is gone', lambda: s.ask(do='process', pid='spinner')['data']['reds'] > reds + 10000)
s.ask(do='hello', actions=True)
check('the machine is safe', not s.ask(do='act', pid=s.ask(do='processes', by='pid', limit=1)['data']['rows'][0]['pid'], what='nonsense')['ok'])
check('kill', s.ask(do='act', pid='spinner', what='kill')['ok'])
until('is dead', lambda: not s.ask(do='process', pid='spinner')['ok'])
finish()
EOF

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ -x /usr/bin/python3 ]; then
  chmod 711 "$scratch" "$XDG_RUNTIME_DIR"
  expect 1 'ermission denied' setpriv --reuid 65534 --clear-groups /usr/bin/python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
try: s.connect(sys.argv[1])
except OSError as e: print(e); sys.exit(1)' "$socket"
fi

kill $vm
wait $vm 2>/dev/null
[ -e "$socket" ] && { echo "FAILED: the socket is still there"; failures=$((failures + 1)); }
expect 2 'no machine runs' "$WHITEBEAM" observe
touch "$XDG_RUNTIME_DIR/whitebeam/99999999.sock"
expect 2 'no machine runs' "$WHITEBEAM" observe --once

# Nothing about observing is fatal.
program quick <<'EOF'
-module(quick).
-export([main/0]).
main() -> timer:sleep(1500), io:format("done~n").
EOF
chmod 755 "$XDG_RUNTIME_DIR/whitebeam"
expect 0 done "$WHITEBEAM" run "$scratch/quick.erl"
expect 0 done env XDG_RUNTIME_DIR=/proc/nonexistent "$WHITEBEAM" run "$scratch/quick.erl"
expect 0 done env XDG_RUNTIME_DIR="/$(printf 'x%.0s' {1..200})" "$WHITEBEAM" run "$scratch/quick.erl"
chmod 700 "$XDG_RUNTIME_DIR/whitebeam"
env -u XDG_RUNTIME_DIR "$WHITEBEAM" run "$scratch/another.erl" >"$scratch/out2" &
vm=$!
for _ in $(seq 600); do [ -S "/tmp/whitebeam-observe-$(id -u)/$vm.sock" ] && break; sleep 0.1; done
expect 0 '"pid":' env -u XDG_RUNTIME_DIR "$WHITEBEAM" observe $vm --ask '{"do":"hello"}'
kill $vm
wait $vm 2>/dev/null
"$WHITEBEAM" run --no-observe "$scratch/quick.erl" >"$scratch/out2" &
sleep 0.15
expect 2 'no machine runs' "$WHITEBEAM" observe --once
wait $!
finish
