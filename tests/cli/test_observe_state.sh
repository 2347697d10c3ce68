#!/bin/bash
# The observer asks servers for their state, as sys:get_state does: only for who may act, only of those that
# can answer, neither for long nor for much. And whose aliases are in what it shows.
. "$(dirname "$0")/check.sh"
need python3
observed

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
plain() -> put('$process_label', {plain, 7}), receive stop -> ok end.
EOF
machine servers
checks state "$socket" <<'EOF'
import sys, time
from observing import *
s = Observer(sys.argv[1])
check('only looking', 'may only look' in s.told(do='state', pid='keeper'))
s.told(do='hello', actions=True)
def state(pid, **more):
    for _ in range(10):  # the machine may have much else to do
        answer = s.told(do='state', pid=pid, **more)
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
check('its mailbox is as it was', s.told(do='process', pid='plain')['msgq'] == 1 and s.told(do='process', pid='busy')['msgq'] == 0)
# One that is suspended cannot answer; later it does, to nobody.
s.told(do='act', pid='keeper', what='suspend')
late = s.told(do='state', pid='keeper', patience_ms=100)
check('late', late == 'it has not answered in time', late)
s.told(do='act', pid='keeper', what='resume')
check('and goes on', text('keeper') == '{keeps,"all",42}')
rows = lambda: s.told(do='processes', filter='initial=whitebeam_observe:ask_state/3')['rows']
for _ in range(600):
    if not rows(): break
    time.sleep(0.1)
check('who asked has gone', rows() == [], rows())
# --- aliases
p = s.told(do='process', pid='plain')
other = s.told(do='process', pid='other')
check('what it calls itself', p.get('label') == '{plain,7}' and 'label' not in other, p)
[message] = p['messages']
ref = message[message.index('#Ref'):-1]
check('whose alias is in the message', dict(p['alias_owners']).get(ref) == other['pid'], p['alias_owners'])
check('and among its own', other['aliases'] == [ref] and dict(other['alias_owners'])[ref] == other['pid'], other['aliases'])
finish()
EOF
kill $vm
wait $vm 2>/dev/null
finish
