#!/bin/bash
# The observer's table of processes: every order, filters, what has changed since the last tick (read are
# only those that did something), time in collections, who does not yield.
. "$(dirname "$0")/check.sh"
need python3
observed

program crowd <<'EOF'
-module(crowd).
-export([main/0, idle/1, ticker/1, waste/1, blocker/0, short/0]).
main() ->
    [spawn(?MODULE, idle, [N]) || N <- lists:seq(1, 20000)],
    [spawn_opt(?MODULE, idle, [N], [{priority, P}]) || P <- [low, high], N <- lists:seq(1, 10)],
    register(full, spawn(?MODULE, idle, [full])),
    [full ! N || N <- lists:seq(1, 1000)],
    register(crowded, spawn(?MODULE, idle, [crowded])),
    [crowded ! N || N <- lists:seq(1, 70000)],
    register(ticker, spawn(?MODULE, ticker, [0])),
    register(waster, spawn(?MODULE, waste, [300])),
    register(starter, spawn(fun starter/0)),
    io:format("ready~n"),
    commands().
commands() ->
    case io:get_line("") of
        "block\n" -> register(blocker, spawn(?MODULE, blocker, []));
        "wake\n" -> [N ! go || N <- [full, crowded]];
        "end\n" -> exit(whereis(full), kill);
        eof -> halt(0)
    end,
    io:format("done~n"),
    commands().
idle(_) -> receive stop -> ok end.
ticker(N) -> receive after 20 -> ticker(N + 1) end.
%% Collects, and has nothing rare: no dictionary, no timer.
waste(0) -> receive stop -> ok end;
waste(N) -> lists:seq(1, 5000), waste(N - 1).
starter() -> spawn(?MODULE, short, []), receive after 5 -> starter() end.
short() -> receive after 15 -> ok end.
blocker() ->
    catch erts_debug:set_internal_state(available_internal_state, true),
    erts_debug:set_internal_state(sleep, 700),
    blocker().
EOF
checks table "$WHITEBEAM" "$scratch/crowd.erl" <<'EOF'
import sys, time
from observing import *
vm = Machine(sys.argv[1], sys.argv[2], '--schedulers', '2')
o = vm.observer()
ask = o.told
def command(text): assert vm.command(text) == 'done'
def table(**request): return ask(do='processes', **{'detail': False, **request})
def row(name, **more): return table(filter=f'name={name}', **more)['rows'][0]

# --- who did nothing since the last tick is not read
first = table(by='dreds', limit=5)
check('all are read at first', first['read'] > 20000 and first['total'] > 20000, first['read'])
time.sleep(1)
second = table(by='dreds', limit=5)
check('then those that ran', second['interval_ns'] > 9e8 and second['read'] < 4000, second['read'])
check('there are as many', second['matched'] == second['total'] > 20000, second)
def changes():
    time.sleep(0.5)
    rows = table(by='dreds', limit=10)['rows']
    return any(r.get('name') == 'ticker' and r['dreds'] > 0 for r in rows)
until('the ticker ticks', changes)

# --- orders that the last tick knows are those that are read anew
for by in ['reds', 'msgq']:
    for up in [False, True]:
        def same():
            known = [r['pid'] for r in table(by=by, limit=400, ascending=up)['rows']]
            read = [r['pid'] for r in table(by=by, limit=400, ascending=up, deltas=False)['rows']]
            return len(set(known) & set(read)) > 380
        until(f'the first by {by}', same)
queues = table(by='msgq', limit=2)['rows']
check('the longest queues', [(r.get('name'), r['msgq']) for r in queues] == [('crowded', 70000), ('full', 1000)], queues)
time.sleep(1)
queues = table(by='msgq', limit=2)['rows']
check('which do not grow', [r['dmsgq'] for r in queues] == [0, 0], queues)
few = table(by='dreds', filter='msgq>100')
check('a filter of what is known', few['matched'] == 2 and few['read'] < 5000, few)
check('and of more', table(by='dreds', filter='msgq>100 & name=full')['matched'] == 1)
check('of nothing known', table(by='dreds', filter='priority=high')['matched'] >= 10)
command('wake')
def grew(): return [r['msgq'] for r in table(by='msgq', limit=2)['rows']] == [70001, 1001]
until('one more message each', grew)
time.sleep(1)
table(by='dreds')
command('end')
def gone(): return [r.get('name') for r in table(by='msgq', limit=2)['rows']][:1] == ['crowded'] and not table(filter='name=full')['rows']
until('one has ended', gone)
until('and its queue with it', lambda: table(by='dreds', filter='msgq>100')['matched'] == 1)
for _ in range(20):  # slots are used again and again meanwhile
    t = table(by='dreds', limit=1000)
    check('pids once', len({r['pid'] for r in t['rows']}) == len(t['rows']))
    check('no less than nothing', all(r['dreds'] >= 0 for r in t['rows']), [r for r in t['rows'] if r['dreds'] < 0])
    time.sleep(0.1)

# --- every column, both ways
name = lambda r: r.get('name') or r['initial']
columns = ask(do='columns')['columns']
orders = {c['name']: c for c in columns if c['orders']}
def key(by):
    ranks = {'state': ['waiting', 'runnable', 'running', 'suspended', 'garbage_collecting', 'exiting'], 'priority': ['low', 'normal', 'high', 'max']}
    if by in ranks: return lambda r: ranks[by].index(r[by])
    if by == 'pid': return lambda r: int(r['pid'][1:-1].split('.')[2])
    if by == 'name': return name
    column = orders[by]
    return lambda r: r.get(column['key'], '' if column['unit'] == 'text' else 0)
check('every column has a title and a hint', all(c['title'] and c['hint'] for c in columns), columns)
check('and is told in rows', not {c['key'] for c in columns} - {k for r in table(filter='name=ticker', by='dgc', detail=True)['rows'] for k in r} - {'callee', 'dgc_ns', 'wait_p50_ns', 'wait_p99_ns'}
      - {c['key'] for c in columns if c['unit'] in ('byte rate', 'bytes a minute')})
for by in orders:
    for up in [False, True]:
        def in_order():
            rows = table(by=by, limit=200, ascending=up)['rows']
            values = [key(by)(r) for r in rows if r['state'] != 'running']
            return len(rows) == 200 and len(values) > 150 and values == sorted(values, reverse=not up)
        until(f'by {by}', in_order)
check('no other', table(by='nonsense') == 'no such column: nonsense')
for by, c in orders.items():  # filters take what rows have
    condition = '!=nothing' if c['unit'] == 'text' else '>=0'
    check(f'a filter by {by}', table(filter=by + condition)['matched'] > 20000, by)
check('not by what only it tells itself', table(by='lint') == 'no such column: lint' and table(filter='lint=x') == 'there is no column lint')
check('the first names', name(table(by='name', limit=1)['rows'][0]) < 'd')
check('the most urgent', table(by='priority', limit=3, ascending=False)['rows'][0]['priority'] in ('high', 'max'))

# --- time in collections, of one that has nothing rare; and how it changes
waster = row('waster')
check('has collected', waster['gc_ns'] > 1000 and table(filter='gc>1 & name=waster')['matched'] == 1, waster)
check('idle ones have not', table(filter='initial=crowd:idle/1 & gc>0')['matched'] < 100)
check('not now', row('waster', by='dgc').get('dgc_ns', 0) == 0)
check('memory', ask(do='home')['observer']['memory'] < 20100 * (8 + 3 * 8) + 600000)

# --- one that does not yield
command('block')
def lint(): return [r.get('lint', []) for r in table(filter='name=blocker', detail=True)['rows']]
until('does not yield', lambda: lint() == [['does not yield']])
until('others do', lambda: 'does not yield' not in table(filter='name=ticker', detail=True)['rows'][0].get('lint', []))
vm.process.kill()
finish()
EOF
finish
