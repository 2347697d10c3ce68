#!/bin/bash
# Who waits for whom: servers that call each other are a cycle, chains of calls are followed to whoever holds them up;
# a healthy program, whose calls are many and answered, shows no warning.
. "$(dirname "$0")/check.sh"
need python3
observed

program calls <<'EOF'
-module(calls).
-behaviour(gen_server).
-export([main/0, init/1, handle_call/3, handle_cast/2, busy/1]).
main() ->
    [{ok, _} = gen_server:start_link({local, Name}, ?MODULE, [], []) || Name <- [left, right, front, middle, back]],
    io:format("ready~n"),
    loop().
loop() ->
    case io:get_line("") of
        "cycle\n" ->
            [gen_server:cast(From, {call, To, infinity}) || {From, To} <- [{left, right}, {right, left}]],
            timer:sleep(100),
            spawn(fun() -> gen_server:call(left, {hold, 0}, 60000) end);
        "chain\n" ->
            gen_server:cast(back, hold),
            gen_server:cast(middle, {call, back, infinity}),
            timer:sleep(20),
            spawn(fun() -> gen_server:call(front, {ask, middle}, 50000) end);
        "others\n" ->
            gen_server:cast(back, hold),
            Holds = spawn(fun() -> receive stop -> ok end end),
            put(m, erlang), M = get(m),  % so the compiler does not mark what watch/1 receives
            register(watcher, spawn(fun() -> watch(M:monitor(process, Holds)) end)),
            register(remote, spawn(fun() -> erpc:call(node(), timer, sleep, [60000], 40000) end)),
            register(later, spawn(fun() -> gen_server:receive_response(gen_server:send_request(back, x), 30000) end)),
            register(marked, spawn(fun() -> marked(Holds) end)),
            register(statem, spawn(fun() -> gen_statem:call(Holds, x, {clean_timeout, 20000}) end));
        "busy\n" ->
            gen_server:cast(back, busy),
            [spawn(?MODULE, busy, [back]) || _ <- lists:seq(1, 50)]
    end,
    io:format("done~n"),
    loop().
watch(R) -> receive {'DOWN', R, _, _, _} -> ok end.
marked(P) -> R = erlang:monitor(process, P), receive {R, X} -> X; {'DOWN', R, _, _, _} -> gone end.
busy(To) ->
    _ = gen_server:call(To, {hold, 1}),
    busy(To).
init(_) -> {ok, none}.
handle_call({hold, T}, _, S) -> timer:sleep(T), {reply, ok, S};
handle_call({ask, To}, _, S) -> {reply, gen_server:call(To, {hold, 0}, infinity), S};
handle_call(_, _, S) -> {reply, ok, S}.
handle_cast(hold, S) -> receive never -> ok end, {noreply, S};
handle_cast(busy, S) -> {noreply, S};
handle_cast({call, To, Time}, S) -> _ = gen_server:call(To, {hold, 0}, Time), {noreply, S}.
EOF
for case in cycle chain others busy; do
  checks $case "$WHITEBEAM" "$scratch/calls.erl" $case <<'EOF'
import subprocess, sys, time, json
from observing import *
vm, program, case = sys.argv[1:]
m = Machine(vm, program)
s = m.observer()
def calls(): return s.data(do='calls')
def of(answer, name): return [r for r in answer['rows'] if r.get('name') == name]
def names(chain): return [x.get('name') for x in chain['members']]
check('nobody calls at first', calls()['warnings'] == 0, calls())
check('it has done so', m.command(case) == 'done')
begin = time.monotonic()
if case == 'cycle':
    until('the two servers are named', lambda: calls()['cycles'], 2)
    check('within two seconds', time.monotonic() - begin < 2)
    a = calls()
    [cycle] = a['cycles']
    check('both', sorted(names(cycle)) == ['left', 'right'], a)
    check('whose answer each waits for', sorted(x['callee_name'] for x in cycle['members']) == ['left', 'right'], cycle)
    check('where it calls', all(x['call_fn'] == 'calls:handle_cast/2' and x['call_line'] == 45 for x in cycle['members']), cycle)
    check('without a time-out', all('call_left_ns' not in x for x in cycle['members']), cycle)
    check('a warning', a['warnings'] == 1, a)
    row = s.data(do='processes', filter='name=left')['rows'][0]
    check('a row of the table', row['callee'] == [x['pid'] for x in cycle['members'] if x['name'] == 'right'][0], row)
    check('the process itself', s.data(do='process', pid='left')['callee_name'] == 'right')
    [caller] = [r for r in a['rows'] if r['callee_name'] == 'left' and r.get('name') != 'right']
    check('who waits for the cycle, with its time-out', 50e9 < caller['call_left_ns'] < 60e9, caller)
    whole = json.loads(subprocess.run([vm, 'observe', '--json', m.path], capture_output=True).stdout)
    once = subprocess.run([vm, 'observe', '--once', m.path], capture_output=True, text=True).stdout
    check('so has --once', 'call cycle: ' in once and ' in calls:handle_cast/2 calls.erl:45' in once, once)
    metrics = subprocess.run([vm, 'observe', '--openmetrics', m.path], capture_output=True, text=True).stdout
    check('so has --openmetrics', '\nwhitebeam_call_cycles 1\n' in metrics, metrics[-3000:])
    check('--json has it', len(whole['calls']['cycles']) == 1)
if case == 'chain':
    until('a warning', lambda: calls()['warnings'], 10)
    a = calls()
    [chain] = [c for c in a['chains'] if c['warning']]
    check('whole, the farthest first', names(chain) == [None, 'front', 'middle'], chain)
    check('who holds it up', chain['end']['name'] == 'back' and chain['end']['fn'] == 'calls:handle_cast/2', chain)
    check('how long', 2e9 <= chain['members'][-1]['call_age_ns'] < 60e9, chain)
    check('how many wait', chain['waiting'] == 3, chain)
    check('no cycle', not a['cycles'], a)
if case == 'others':
    until('all are there', lambda: all(of(calls(), name) for name in ['remote', 'later', 'statem', 'marked']), 5)
    a = calls()
    for name, least in [('remote', 30e9), ('later', 20e9), ('statem', 10e9)]:
        check(name, of(a, name) and least < of(a, name)[0]['call_left_ns'] <= least + 10e9, of(a, name))
    check('a response that was asked for earlier', of(a, 'later')[0]['callee_name'] == 'back', a)
    check('a receive of its own', 'call_left_ns' not in of(a, 'marked')[0], a)
    check('who only watches is in no call', not of(a, 'watcher'), a)
    check('no warning', a['warnings'] == 0, a)
if case == 'busy':
    end = time.monotonic() + 5
    while time.monotonic() < end:
        a = calls()
        check('a healthy program shows none', a['warnings'] == 0, a)
    check('they do wait', a['calls'] > 10, a)
m.process.kill()
finish()
EOF
done
finish
