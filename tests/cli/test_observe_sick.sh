#!/bin/bash
# Seven programs, each with one illness of production, and a healthy twin of each: who asks only the observer names the
# process and the cause, and finds nothing in the twin. What is asked is the same each time (`diagnose`).
. "$(dirname "$0")/check.sh"
need python3
observed

program sick <<'EOF'
-module(sick).
-behaviour(supervisor).
-export([main/1, init/1, start_till/0, till/0, handle_call/3, handle_cast/2, idle/0]).
main([Illness, Health]) ->
    logger:set_primary_config(level, none),
    start(list_to_atom(Illness), list_to_atom(Health)),
    io:format("ready~n"),
    receive stop -> ok end.
idle() -> receive stop -> ok end.
every(Ms, F, S) -> receive after Ms -> every(Ms, F, F(S)) end.
named(Name, F) -> register(Name, spawn_link(F)).

%% Slices of what has come in keep all of it.
start(slices, Health) ->
    named(cutter, fun() -> every(40, fun(Kept) -> lists:sublist([header(Health, packet()) | Kept], 60) end, []) end);
%% An answer is waited for behind everything that comes meanwhile.
start(selective, Health) ->
    named(stock, fun stock/0),
    named(clerk, fun() -> put(health, Health), clerk() end),
    named(customers, fun() -> every(10, fun(N) -> [clerk ! {order, K} || K <- lists:seq(1, 20)], N end, 0) end);
start(mutual, Health) ->
    [{ok, _} = gen_server:start_link({local, Name}, ?MODULE, server, []) || Name <- [prices, discounts]],
    gen_server:cast(prices, {ask, discounts, Health}),
    gen_server:cast(discounts, {ask, case Health of sick -> prices; healthy -> nobody end, Health});
%% One that never rests among 20,000, another that searches a table without its key.
start(hog, Health) ->
    [spawn(fun idle/0) || _ <- lists:seq(1, 20000)],
    ets:new(goods, [named_table, public]),
    ets:insert(goods, [{N, N rem 7, item} || N <- lists:seq(1, 50000)]),
    named(reports, fun() -> reports(Health, 0) end),
    named(counter, fun() -> counter(Health, 0) end);
start(crash_loop, Health) ->
    put(health, Health),
    persistent_term:put(health, Health),
    {ok, _} = supervisor:start_link({local, shop}, ?MODULE, shop);
start(leaks, Health) ->
    Names = [list_to_atom("user_" ++ integer_to_list(N)) || Health =:= healthy, N <- lists:seq(1, 100)],
    named(sessions, fun() -> every(10, fun(N) -> session(Health, N), N + 1 end, length(Names)) end),
    named(reminders, fun() -> every(10, fun(N) -> [remind(Health) || _ <- lists:seq(1, 5)], N end, 0) end);
start(copies, Health) ->
    All = lists:seq(1, 50000),
    named(archive, fun archive/0),
    named(exporter, fun() -> every(20, fun(N) -> archive ! {rows, rows(Health, All)}, N end, 0) end).

packet() -> binary:copy(<<"0123456789abcdef">>, 16384).
header(sick, <<Header:200/binary, _/binary>>) -> Header;
header(healthy, <<Header:200/binary, _/binary>>) -> binary:copy(Header).

stock() -> receive {take, From} -> timer:sleep(20), From ! taken end, stock().
clerk() -> receive {order, _} -> clerk(get(health)) end, clerk().
clerk(healthy) -> ok;
clerk(sick) -> stock ! {take, self()}, await_stock().
await_stock() -> receive taken -> ok end.

reports(sick, N) -> [] = ets:match(goods, {'$1', 8, '_'}), reports(sick, N);
reports(healthy, N) -> [_] = ets:lookup(goods, N rem 50000 + 1), receive after 1 -> reports(healthy, N + 1) end.
counter(sick, N) -> counter(sick, (N * 3 + 1) rem 1000003);
counter(healthy, N) -> receive after 1 -> counter(healthy, N + 1) end.

session(sick, N) -> list_to_atom("user_" ++ integer_to_list(N));
session(healthy, N) -> list_to_existing_atom("user_" ++ integer_to_list(N rem 100 + 1)).
remind(sick) -> erlang:send_after(3600000, self(), remind);
remind(healthy) -> erlang:cancel_timer(erlang:send_after(3600000, self(), remind)).

archive() -> receive {rows, _} -> archive() end.
rows(sick, All) -> All;
rows(healthy, All) -> {length(All), lists:sum(All)}.

init(shop) ->
    {ok, {#{intensity => 10000, period => 1}, [#{id => {till, 7}, start => {?MODULE, start_till, []}}]}};
init(server) -> {ok, none}.
start_till() -> {ok, proc_lib:spawn_link(?MODULE, till, [])}.
till() -> timer:sleep(20), till(persistent_term:get(health)).
till(healthy) -> till();
till(sick) -> {ok, _} = drawer(closed).
drawer(State) -> {error, State}.
handle_call(_, _, S) -> {reply, ok, S}.
handle_cast({ask, nobody, _}, S) -> {noreply, S};
handle_cast({ask, Other, Health}, S) ->
    timer:sleep(50),
    ok = gen_server:call(Other, price, infinity),
    Health =:= healthy andalso gen_server:cast(self(), {ask, Other, Health}),
    {noreply, S}.
EOF

for illness in slices selective mutual hog crash_loop leaks copies; do
  checks "$illness" "$WHITEBEAM" "$scratch/sick.erl" "$illness" <<'EOF'
import sys, time
from concurrent.futures import ThreadPoolExecutor
from observing import *
vm, program, illness = sys.argv[1:]

def place(x): return f"{x.get('fn', '?')}:{x.get('line', 0)}"

def diagnose(s, seconds=3.0):
    """What an operator would look at who knows only "it is slow" or "memory grows": (process, cause, place)."""
    found = set()
    first = {'flows': s.data(do='flows'), 'timers': s.data(do='timers'), 'tables': s.data(do='tables')}
    s.data(do='processes', by='dreds')
    s.data(do='profile', what='time', by_process=True, hz=200, clear=True)
    begin = time.monotonic()
    time.sleep(seconds)
    took = time.monotonic() - begin

    # warnings of all processes
    for r in s.data(do='processes', by='suspect', filter='suspect>0')['rows']:
        lint = r.get('lint', [])
        if 'receive scans a long queue' in lint: found.add((r['name'], 'a receive scans a long queue', place(r)))
        if 'holds large binaries' in lint:
            heap = s.data(do='process', pid=r['pid'])['heap']
            held, used = (sum(b.get(key, b['bytes']) for b in heap['binaries']) for key in ('bytes', 'used'))
            cause = 'small slices keep large binaries' if used < held / 10 else 'holds large binaries'
            found.add((r['name'], cause, ''))
    # who waits for whom
    for c in s.data(do='calls')['cycles']:
        found.add(('+'.join(sorted(m['name'] for m in c['members'])), 'call each other', c['members'][0]['call_fn']))
    # who spends the time
    profile = s.data(do='profile', what='time', by_process=True)
    time_of = {}
    for stack, n in profile['stacks']: time_of[stack.split(';')[0]] = time_of.get(stack.split(';')[0], 0) + n
    for name, ns in time_of.items():
        if ns / 1e9 > took * 0.2 and profile['taken'] > 20: found.add((name, 'does not rest', ''))
    # tables that are searched without a key
    before = {t['name']: t['searched'] for t in first['tables']['rows']}
    for t in s.data(do='tables')['rows']:
        if t['searched'] - before.get(t['name'], 0) > took * 100_000:
            found.add((t['searcher']['name'], 'searches the table ' + t['name'], place(t['searcher'])))
    # what dies again and again
    for e in s.data(do='exits')['rows']:
        if e['alike'] >= 20 and e['last_age_ns'] < 2e9:
            found.add((e['supervisor'], f"its child {e['child']} ends with {e['reason']}", place(e['stack'][0])))
    # what grows without end
    atoms = s.data(do='atoms')
    if atoms['a_second'] > 10:
        maker = atoms['makers'][0]
        found.add((maker['name'], 'makes atoms', place(maker)))
    before = {place(t): t['count'] for t in first['timers']['rows']}
    for t in s.data(do='timers')['rows']:
        if t['count'] - before.get(place(t), 0) > took * 50: found.add((t['name'], 'starts timers that stay', place(t)))
    # what is copied
    flows = s.data(do='flows', order='bytes', **{'from': first['flows']['next']})
    for f in flows['rows']:
        if f['bytes'] > took * 5e6: found.add((f['to'], 'gets large terms from ' + f['from'], f['largest'] > 500_000))
    return found

CAUSES = {
    'slices': {('cutter', 'small slices keep large binaries', '')},
    'selective': {('clerk', 'a receive scans a long queue', 'sick:await_stock/0:53')},
    'mutual': {('discounts+prices', 'call each other', 'sick:handle_cast/2')},
    'hog': {('counter', 'does not rest', ''), ('reports', 'does not rest', ''),
            ('reports', 'searches the table goods', 'sick:reports/2:55')},
    'crash_loop': {('shop', 'its child {till,7} ends with {badmatch,{error,closed}}', 'sick:till/1:75')},
    'leaks': {('sessions', 'makes atoms', 'sick:session/2:60'), ('reminders', 'starts timers that stay', 'sick:remind/1:62')},
    'copies': {('archive', 'gets large terms from exporter', True)},
}

def examine(health):
    m = Machine(vm, program, '--schedulers', '2', arguments=('main', illness, health))
    try:
        s = m.observer()
        time.sleep(2)
        begin = time.monotonic()
        found = diagnose(s)
        if health == 'sick' and found != CAUSES[illness]: found = diagnose(s, 6.0)  # a busy computer
        return found, time.monotonic() - begin
    finally: m.process.kill()

with ThreadPoolExecutor() as both:
    sick, healthy = both.map(examine, ['sick', 'healthy'])
check(f'{illness} is found', sick[0] == CAUSES[illness], (sick[0], 'wanted', CAUSES[illness]))
check(f'within 30 s', sick[1] < 30, sick[1])
check(f'the healthy twin of {illness} shows nothing', not healthy[0], healthy[0])
finish()
EOF
done
finish
