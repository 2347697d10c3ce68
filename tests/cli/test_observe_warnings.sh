#!/bin/bash
# Warnings of the whole machine are printed: by --once as text, by --json, by --ask of one kind, all the same rows; at the first
# time that somebody asks, so it waits until the machine has looked often enough. A healthy program has none.
. "$(dirname "$0")/check.sh"
need python3
observed

program warned <<'EOF'
-module(warned).
-behaviour(gen_server).
-export([main/1, init/1, handle_call/3, handle_cast/2]).
main([Health]) ->
    [{ok, _} = gen_server:start_link({local, Name}, ?MODULE, [], []) || Name <- [left, right]],
    register(clerk, spawn(fun() -> receive never -> ok end end)),
    register('odd name\n', spawn(fun() -> receive never -> ok end end)),
    register(sessions, spawn(fun() -> sessions(Health, 0) end)),
    case Health of
        "sick" ->
            [gen_server:cast(From, {call, To}) || {From, To} <- [{left, right}, {right, left}]],
            [Name ! N || Name <- [clerk, 'odd name\n'], N <- lists:seq(1, 3000)];
        "healthy" ->
            [gen_server:call(Name, x) || Name <- [left, right]]
    end,
    io:format("ready~n"),
    receive stop -> ok end.
init(_) -> {ok, none}.
handle_call(_, _, S) -> {reply, ok, S}.
handle_cast({call, To}, S) -> timer:sleep(50), _ = gen_server:call(To, x, infinity), {noreply, S}.
sessions(Health, N) ->
    Health =:= "sick" andalso [session(N * 10 + K) || K <- lists:seq(1, 10)],
    receive after 20 -> sessions(Health, N + 1) end.
session(N) -> list_to_atom("user_" ++ integer_to_list(N)).
EOF
checks printed "$WHITEBEAM" "$scratch/warned.erl" <<'EOF'
import json, re, subprocess, sys, time
from observing import *
vm, program = sys.argv[1:]
KINDS = re.findall(r'^WARNING\((\w+)', open('vm/observe/warnings.def').read(), re.M)
def counted(metrics):
    """{kind: how many}, of all kinds there are."""
    return {k: int(n) for k, n in re.findall(r'^whitebeam_warnings\{kind="(\w+)"\} (\d+)$', metrics, re.M)}
def observe(*options):
    p = subprocess.run([vm, 'observe', *options, m.path], capture_output=True, text=True, timeout=100)
    return p.returncode, p.stdout, p.stderr
WORST_FIRST = ['call_cycle', 'scanning_receive', 'scanning_receive', 'atoms']
for first in ['--once', '--json', '--openmetrics']:  # nobody has asked before
    m = Machine(vm, program, arguments=('main', 'sick'))
    code, out, err = observe(first)
    check(f'{first} ends well', code == 0 and not err, (code, err))
    if first == '--openmetrics':
        check('a number of each kind, also of those that there are none of', counted(out) ==
              {**dict.fromkeys(KINDS, 0), 'call_cycle': 1, 'scanning_receive': 2, 'atoms': 1}, out[-3000:])
        check('by the one table', list(counted(out)) == KINDS and len(KINDS) > 10, counted(out))
    elif first == '--json':
        data = json.loads(out)['warnings']
        check('as JSON', data['settled'] and data['total'] == 4 and [r['what'] for r in data['rows']] == WORST_FIRST, data)
        check('each says why and leads on', all(r['text'] and r['why'] and r['leads_to'] and r['key'] for r in data['rows']), data)
        rows = m.observer().data(do='warnings')
        check('the same rows to who asks by hand', [r['what'] for r in rows['rows']] == WORST_FIRST, rows)
        one = m.observer().data(do='warnings', what='scanning_receive', limit=1)
        check('of one kind', one['total'] == 2 and [r['what'] for r in one['rows']] == ['scanning_receive'], one)
        check('how many of each kind, whatever was asked for', {k: n for k, n in one['kinds'].items() if n} ==
              {'call_cycle': 1, 'scanning_receive': 2, 'atoms': 1}, one)
        check('at most so many', len(m.observer().data(do='warnings', limit=2)['rows']) == 2)
        check('a kind that is none', m.observer().told(do='warnings', what='long') == 'no such kind of warning: long')
    else:
        title, *rest = out[out.find('\nwarnings'):].strip().split('\n')
        check('how many', title == 'warnings, the worst first (4 in all)', out[-3000:])
        for line in ['  call cycle: (left: left > right > left|right: right > left > right), for .* in warned:handle_cast/2 warned.erl:20$',
                     "  scanning receive: clerk: its receive has passed over .*, in warned:'-main/1-fun-1-'/0 warned.erl:6$",
                     r'  scanning receive: .*odd name.*: its receive',
                     '  atoms: sessions: makes .*, in warned:session/1 warned.erl:24$',
                     '      .*it does not take.*; process tells more$', '      atoms are never freed: .*; atoms tells more$']:
            check(f'as text: {line}', any(re.match(line, r) for r in rest), out[-3000:])
        check('no name breaks a line', re.search(r'^<0[.0-9]+> +odd name +[0-9.]+ KiB +3000 ', out, re.M), out)
        check('two lines each', len(rest) == 8, rest)
        check('the worst first', [r.strip().split(':')[0].replace(' ', '_') for r in rest[::2]] == WORST_FIRST, rest)
    m.process.kill()
m = Machine(vm, program, arguments=('main', 'healthy'))
code, out, err = observe('--once')
check('nothing looks wrong: nothing is printed', code == 0 and 'warnings, ' not in out, out)
code, out, err = observe('--json')
data = json.loads(out)['warnings']
check('the same as JSON', data['settled'] and data['total'] == 0 and data['rows'] == [], data)
code, out, err = observe('--openmetrics')
check('the same as counters', counted(out) == dict.fromkeys(KINDS, 0), out[-3000:])
m.process.kill()

# The machine looks for as long as was asked for, and then begins anew.
m = Machine(vm, program, arguments=('main', 'healthy'))
o = m.observer()
until('settled', lambda: o.data(do='warnings', for_s=1)['settled'])
def begins_anew():
    time.sleep(2)
    return not o.data(do='warnings', for_s=1)['settled']
until('it does not look for longer than was asked for', begins_anew, 5)
until('settled again', lambda: o.data(do='warnings', for_s=600)['settled'])
time.sleep(3)
check('it looks for as long as was asked for', o.data(do='warnings', for_s=1)['settled'])
m.process.kill()
finish()
EOF
finish
