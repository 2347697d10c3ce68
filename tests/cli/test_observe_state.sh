#!/bin/bash
# The observer asks servers for their state, as sys:get_state does: only for who may act, only of those that
# can answer, neither for long nor for much. And whose aliases are in what it shows.
. "$(dirname "$0")/check.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
export XDG_RUNTIME_DIR=$scratch/run
mkdir -m 700 "$XDG_RUNTIME_DIR"

program servers <<'EOF'
-module(servers).
-export([main/0, init/1, handle_call/3, handle_cast/2, handle_info/2, plain/0, callback_mode/0, open/3, handle_event/2]).
main() ->
    {ok, _} = gen_server:start({local, keeper}, ?MODULE, {keeps, "all", 42}, []),
    {ok, _} = gen_server:start({local, sleeper}, ?MODULE, {hibernates, 43}, []),
    {ok, _} = gen_server:start({local, large}, ?MODULE, {large, lists:seq(1, 200000)}, []),
    {ok, _} = gen_server:start({local, busy}, ?MODULE, busy, []),
    gen_server:cast(busy, never_ready),
    {ok, _} = gen_statem:start({local, door}, ?MODULE, {statem, key}, []),
    {ok, Events} = gen_event:start({local, events}),
    ok = gen_event:add_handler(Events, ?MODULE, {events, 44}),
    register(plain, spawn(?MODULE, plain, [])),
    register(other, spawn(fun() -> plain ! {call, alias()}, receive stop -> ok end end)),
    io:format("ready~n"),
    receive stop -> ok end.
init({hibernates, _} = State) -> {ok, State, hibernate};
init({statem, Key}) -> {ok, open, Key};
init(State) -> {ok, State}.
handle_call(_, _, State) -> {reply, ok, State}.
handle_cast(never_ready, State) -> receive never -> {noreply, State} end.
handle_info(_, State) -> {noreply, State}.
callback_mode() -> state_functions.
open(_, _, Key) -> {keep_state, Key}.
handle_event(_, State) -> {ok, State}.
plain() -> receive stop -> ok end.
EOF
cat >"$scratch/state.py" <<'EOF'
import json, socket, struct, sys, time
path = sys.argv[1]
def connect():
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(path)
    return s
def ask(s, **request):
    body = json.dumps(request).encode()
    s.sendall(struct.pack('>I', len(body)) + body)
    def get(n):
        b = b''
        while len(b) < n:
            part = s.recv(n - len(b))
            if not part: raise EOFError
            b += part
        return b
    answer = json.loads(get(struct.unpack('>I', get(4))[0]))
    return answer['data'] if answer['ok'] else answer['error']
failures = 0
def check(what, ok, seen=None):
    global failures
    if ok: return
    failures += 1
    print('FAILED:', what, '' if seen is None else str(seen)[:600])
s = connect()
check('only looking', 'may only look' in ask(s, do='state', pid='keeper'))
ask(s, do='hello', actions=True)
def state(pid, **more):
    for _ in range(10):  # the machine may have much else to do
        answer = ask(s, do='state', pid=pid, **more)
        if not isinstance(answer, str) or 'has not answered' not in answer: break
    return answer
def text(pid): a = state(pid); return a['state'] if isinstance(a, dict) else a
check('a server', text('keeper') == '{keeps,"all",42}', text('keeper'))
check('one that hibernates', text('sleeper') == '{hibernates,43}', text('sleeper'))
check('and again', text('sleeper') == '{hibernates,43}')
check('a state machine', text('door') == '{open,key}', text('door'))
check('an event manager', '{events,44}' in text('events'), text('events'))
check('a supervisor of the machine', 'state' in text('kernel_sup') or 'no such' in text('kernel_sup'), text('kernel_sup'))
check('too large', state('large') == 'it is not asked: its state has more than 100000 words', state('large'))
large = state('large', most_words=1000000)
check('large, if wanted', isinstance(large, dict) and large['state'].startswith('{large,[1,2,3') and len(large['state']) < 21000 and large['words'] > 400000, large)
check('in a callback', state('busy') == "it does not wait in the loop of an OTP behaviour", state('busy'))
check('no server', state('plain') == "it does not wait in the loop of an OTP behaviour", state('plain'))
check('nobody', state('nobody_at_all') == 'no such process')
check('its mailbox is as it was', ask(s, do='process', pid='plain')['msgq'] == 1 and ask(s, do='process', pid='busy')['msgq'] == 0)
# One that is suspended cannot answer; later it does, to nobody.
ask(s, do='act', pid='keeper', what='suspend')
late = ask(s, do='state', pid='keeper', patience_ms=100)
check('late', late == 'it has not answered in time', late)
ask(s, do='act', pid='keeper', what='resume')
check('and goes on', text('keeper') == '{keeps,"all",42}')
rows = lambda: ask(s, do='processes', filter='initial=whitebeam_observe:ask_state/3')['rows']
for _ in range(100):
    if not rows(): break
    time.sleep(0.1)
check('who asked has gone', rows() == [], rows())
# --- aliases
p = ask(s, do='process', pid='plain')
other = ask(s, do='process', pid='other')
[message] = p['messages']
ref = message[message.index('#Ref'):-1]
check('whose alias is in the message', dict(p['alias_owners']).get(ref) == other['pid'], p['alias_owners'])
check('and among its own', other['aliases'] == [ref] and dict(other['alias_owners'])[ref] == other['pid'], other['aliases'])
sys.exit(1 if failures else 0)
EOF
"$WHITEBEAM" run "$scratch/servers.erl" >"$scratch/out" 2>&1 &
vm=$!
trap 'kill -9 $vm 2>/dev/null; rm -rf "$scratch"' EXIT
socket=$XDG_RUNTIME_DIR/whitebeam/$vm.sock
for _ in $(seq 600); do grep -q ready "$scratch/out" && [ -S "$socket" ] && break; sleep 0.1; done
python3 "$scratch/state.py" "$socket" || failures=$((failures + 1))
kill $vm
wait $vm 2>/dev/null
finish
