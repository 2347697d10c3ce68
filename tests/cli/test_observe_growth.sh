#!/bin/bash
# "Memory grows": which processes do, and in what: heap, mailbox, binaries; who has the timers.
. "$(dirname "$0")/check.sh"
need python3
observed

program growth <<'EOF'
-module(growth).
-export([main/0, idle/0, grow/1, hoard/1, shrink/1, feed/1, timed/0]).
main() ->
    [spawn(?MODULE, idle, []) || _ <- lists:seq(1, 3000)],
    register(grower, spawn(?MODULE, grow, [[]])),
    register(hoarder, spawn(?MODULE, hoard, [[]])),
    register(filled, spawn(?MODULE, idle, [])),
    register(feeder, spawn(?MODULE, feed, [lists:duplicate(300, x)])),
    register(shrinker, spawn(?MODULE, shrink, [lists:seq(1, 2000000)])),
    register(timed, spawn(?MODULE, timed, [])),
    [erlang:send_after(3600000, whereis(timed), {tick, N}) || N <- lists:seq(1, 700)],
    Some = [erlang:send_after(3600000, whereis(filled), {tick, N}) || N <- lists:seq(1, 9)],
    io:format("ready~n"),
    commands(Some).
commands(Some) ->
    case io:get_line("") of
        "cancel\n" -> [erlang:cancel_timer(T) || T <- Some];
        "end\n" -> exit(whereis(timed), kill);
        "shrink\n" -> shrinker ! shrink;
        "stop\n" -> [exit(whereis(P), kill) || P <- [grower, hoarder, feeder]];
        eof -> halt(0)
    end,
    io:format("done~n"),
    commands(Some).
idle() -> receive stop -> ok end.
timed() -> receive stop -> ok end.
grow(L) -> receive after 20 -> grow([lists:seq(1, 1000) | L]) end.
hoard(L) -> receive after 20 -> garbage_collect(), hoard([binary:copy(<<7>>, 10000) | L]) end.
feed(M) -> filled ! M, receive after 10 -> feed(M) end.
shrink(L) -> garbage_collect(), receive shrink -> _ = length(L) end, garbage_collect(), idle().
EOF
checks growth "$WHITEBEAM" "$scratch/growth.erl" <<'EOF'
import sys, time
from observing import *
vm = Machine(sys.argv[1], sys.argv[2], '--schedulers', '2')
o = vm.observer()
def command(text): assert vm.command(text) == 'done'
def table(**request): return o.told(do='processes', **{'detail': False, **request})
def row(name, **more): return table(filter=f'name={name}', **more)['rows'][0]
def first(by, n=1, **more): return [r.get('name') for r in table(by=by, limit=n, **more)['rows']]

# --- not measured before somebody asks
check('nothing is measured', not {'dmemory', 'mmemory', 'dbinaries'} & set(table(by='memory', limit=1)['rows'][0]))
small = o.data(do='home')['observer']['memory']

# --- who only knows that memory grows orders by growth
for by, name in [('mmemory', 'grower'), ('mmailbox', 'filled'), ('mbinaries', 'hoarder')]:
    until(f'by {by}', lambda: first(by) == [name])
    r = table(by=by, limit=1)['rows'][0]
    check(f'{by} is some', r[by] > 100_000, r)
    until(f'a filter by {by}', lambda: [r.get('name') for r in table(by=by, filter=f'{by}>100k')['rows']][:1] == [name])
def within(by, name, least, most):  # a process that grows evenly, so many bytes a second
    time.sleep(0.3)
    t = table(by=by, limit=1)
    r = t['rows'][0]
    return r.get('name') == name and by in r and least < r[by] / (t['interval_ns'] / 1e9 if by[0] == 'd' else 60) < most
until('bytes of messages a second', lambda: within('dmailbox', 'filled', 100_000, 600_000))
until('a minute', lambda: within('mmailbox', 'filled', 100_000, 600_000))
until('bytes of binaries a second', lambda: within('dbinaries', 'hoarder', 50_000, 700_000))
def read_little():
    t = table(by='mmemory', limit=5)
    return t['read'] < 500 and 'mmemory' in t['rows'][0]
until('idle ones are not read', read_little)
check('they have not grown', table(by='mmemory', filter='initial=growth:idle/0 & mmemory>0 & name!=filled')['matched'] == 0)
memory = o.data(do='home')['observer']['memory']
check('some bytes a process', memory - small < 3 * 8 * 3200 + 60_000, (small, memory))

# --- what becomes smaller is last
check('it is not small', row('shrinker')['memory'] > 30e6, row('shrinker'))
command('shrink')
def shrunk():
    rows = table(by='mmemory', limit=1, ascending=True)['rows']
    return rows[0].get('name') == 'shrinker' and rows[0]['mmemory'] < -1e6
until('one shrinks', shrunk)

# --- by mailbox, binaries, timers
check('the most bytes that wait', first('mailbox') == ['filled'])
check('the most binaries', first('binaries') == ['hoarder'])
told = o.data(do='process', pid='hoarder')['heap']['binary_bytes']
r = row('hoarder')
check('as it tells itself', abs(r['binaries'] - told) < 0.2 * told + 300_000, (r, told))
check('a filter of binaries', [r.get('name') for r in table(filter='binaries>100k & initial~growth:')['rows']] == ['hoarder'])
check('the most timers', first('timers', 2) == ['timed', 'filled'], table(by='timers', limit=3))
check('so many', (row('timed')['timers'], row('filled')['timers'], row('grower')['timers'] < 2) == (700, 9, True))
check('a filter of timers', [r['name'] for r in table(filter='timers>8', by='timers')['rows']] == ['timed', 'filled'])
command('cancel')
check('cancelled', row('filled')['timers'] == 0)
command('end')
until('ended', lambda: table(filter='timers>8')['matched'] == 0)

# --- nobody grows any more
command('stop')
until('nobody grows', lambda: table(filter='dmailbox>0 | dbinaries>0 | name=filled & dmemory>0')['matched'] == 0)
check('no such column', table(by='dgrowth') == 'no such column: dgrowth')
finish()
EOF
finish
