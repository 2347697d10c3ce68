#!/bin/bash
# What the observer says is true: profiles of two processes that spend differently, whose memory is where, one sick
# process among many, how many messages flow.
. "$(dirname "$0")/check.sh"
need python3
observed

program truth <<'EOF'
-module(truth).
-export([main/0, spin/1, scan/1, idle/0]).
main() ->
    register(box, spawn(fun idle/0)),
    Data = {data, lists:duplicate(200, x)},
    [box ! Data || _ <- lists:seq(1, 5000)],
    [spawn(fun idle/0) || _ <- lists:seq(1, 3000)],
    register(hoarder, spawn(fun() -> keep([binary:copy(<<N>>, 100000) || N <- lists:seq(1, 500)]) end)),
    [spawn(fun idle/0) || _ <- lists:seq(1, 3000)],
    [erlang:send_after(3600000, box, {tick, N}) || N <- lists:seq(1, 50000)],
    T = ets:new(rows, [public]),
    ets:insert(T, [{N, N rem 7, {row, N}} || N <- lists:seq(1, 100000)]),
    register(spinner, spawn(?MODULE, spin, [0])),
    register(scanner, spawn(?MODULE, scan, [T])),
    io:format("ready ~p~n", [element(2, process_info(whereis(box), memory))]),
    idle().
idle() -> receive stop -> ok end.
keep(B) -> garbage_collect(), receive stop -> B end.
spin(N) -> spin((N * 3 + 1) rem 1000003).
scan(T) -> ets:match(T, {'$1', 8, '$2'}), scan(T).
EOF
machine truth --schedulers 2

checks truth "$socket" "$(sed -n 's/^ready //p' "$scratch/out")" <<'EOF'
import sys, time
from observing import *
path, told = sys.argv[1], int(sys.argv[2])
s = Observer(path, timeout=60)
def rows(**request): return s.ask(do='processes', **request)['data']['rows']
def row(name, **more): return rows(filter=f'name={name}', **more)[0]
def within(a, b, share): return abs(a - b) <= share * b

# memory
m = s.ask(do='home')['data']['memory']
check('kinds add up', within(sum(n for kind, n in m.items() if kind != 'total'), m['total'], 0.01), m)
check('timers are some', 50000 * 100 < m['timers'] < 50000 * 500, m)
box = row('box')
check('messages are memory', box['mailbox'] >= 5000 * 403 * 8, box)
check('as process_info says', within(box['memory'], told, 0.05), (box, told))
hoarder = s.ask(do='process', pid='hoarder')['data']
check('all binaries count', hoarder['heap']['binary_bytes'] >= 500 * 100000, hoarder['heap']['binary_bytes'])

# warnings of the whole machine
sick = rows(by='suspect', filter='suspect>0')
check('the sick are found', {r.get('name') for r in sick} == {'box', 'hoarder'}, sick)
check('and what they have', {w for r in sick for w in r['lint']} == {'long message queue', 'receive scans a long queue', 'holds large binaries'}, sick)

# two that never wait, each on a scheduler, by what they spend: reductions as counted, and half of the time each
def share(what):
    s.ask(do='profile', what=what, hz=500, by_process=True)
    s.ask(do='profile', what=what, hz=500, by_process=True, clear=True)
    before = {n: row(n)['reds'] for n in ('spinner', 'scanner')}
    time.sleep(5)
    r = s.ask(do='profile', what=what, hz=500, by_process=True)['data']
    spent = {n: row(n)['reds'] - before[n] for n in before}
    counts = {n: sum(c for stack, c in r['stacks'] if stack.startswith(n + ';')) for n in before}
    return counts['spinner'] / sum(counts.values()), spent['spinner'] / sum(spent.values()), r
sampled, counted, r = share('reductions')
check('by reductions', abs(sampled - counted) < 0.05, (sampled, counted, r))
check('many samples', r['taken'] > 500, r['taken'])
check('native functions are frames', any(stack.endswith(';erts_internal:ets_search/3') for stack, c in r['stacks']), r)
for _ in range(4):  # a busy computer does not give both as much of its cores
    sampled, counted, r = share('time')
    if 0.4 < sampled < 0.6: break
check('by time', 0.4 < sampled < 0.6, (sampled, r))
finish()
EOF
kill -9 $vm

program rates <<'EOF'
-module(rates).
-export([main/0]).
main() ->
    Sent = counters:new(1, []),
    [ets:insert(ets:new(table, [public]), [{N, lists:seq(1, 10)} || N <- lists:seq(1, 20000)]) || _ <- lists:seq(1, 5)],
    Kept = [binary:copy(<<N>>, 200000) || N <- lists:seq(1, 100)],
    Sinks = [spawn(fun sink/0) || _ <- lists:seq(1, 3)],
    [register(Name, P) || {Name, P} <- lists:zip([sink, other_sink, third_sink], Sinks)],
    register(source, spawn(fun() -> send(Sent, lists:seq(1, 100)) end)),
    [register(Name, spawn(fun() -> noise(To) end)) || {Name, To} <- [{noise, other_sink}, {much_noise, third_sink}]],
    io:format("ready~n"),
    loop(Sent, Kept).
loop(Sent, Kept) ->
    case io:get_line("") of
        "sent\n" -> io:format("~p~n", [counters:get(Sent, 1)]);
        "memory\n" -> io:format("~p~n", [erlang:memory(total)])
    end,
    loop(Sent, Kept).
sink() -> receive _ -> sink() end.
send(Sent, Data) -> [begin sink ! Data, counters:add(Sent, 1, 1) end || _ <- [1, 2]], receive after 5 -> send(Sent, Data) end.
noise(To) -> [To ! N || N <- lists:seq(1, 50)], receive after 2 -> noise(To) end.
EOF
checks rates "$WHITEBEAM" "$scratch/rates.erl" <<'EOF'
import sys, time
from observing import *
m = Machine(sys.argv[1], sys.argv[2], '--schedulers', '2')
s = m.observer()
s.data(do='flows')
time.sleep(1)
rates, told = [], []
for _ in range(3):
    first, begin = s.data(do='flows'), int(m.command('sent'))
    time.sleep(3)
    flows = s.data(do='flows', **{'from': first['next']})
    truth = int(m.command('sent')) - begin
    [flow] = [f for f in flows['rows'] if (f['from'], f['to']) == ('source', 'sink')]
    rates.append(abs(flow['messages'] - truth) <= max(flow['margin'], 0.2 * truth))
    told.append((flow, truth))
check('messages as they are, or within the margin', sum(rates) >= 2, told)
check('their size', all(200 * 8 <= f['largest'] < 300 * 8 for f, truth in told), told)
def same():
    total, told = s.data(do='home')['memory']['total'], int(m.command('memory'))
    return abs(total - told) < 0.01 * told
until('the total is erlang:memory(total)', same, 5)
m.process.kill()
finish()
EOF
finish
