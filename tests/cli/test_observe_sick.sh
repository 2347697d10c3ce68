#!/bin/bash
# Seven programs, each with one illness of production, and a healthy twin of each: who asks only the observer names the
# process and the cause, and finds nothing in the twin, nor in three more that work hard. What is asked is the same each time.
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
    named(exporter, fun() -> every(20, fun(N) -> archive ! {rows, rows(Health, All)}, N end, 0) end);

%% Healthy and busy: one that computes; many that write to each other; jobs that come and go.
start(computes, _) -> named(sums, fun() -> counter(sick, 0) end);
start(writes, _) ->
    [spawn(fun idle/0) || _ <- lists:seq(1, 1000)],
    [begin P = spawn(fun echo/0), spawn(fun() -> ping(P, lists:seq(1, 100)) end) end || _ <- lists:seq(1, 100)];
start(jobs, _) ->
    named(boss, fun() -> every(5, fun(N) ->
        Self = self(),
        [spawn(fun() -> Self ! {done, lists:sum(lists:seq(1, 2000 + K))} end) || K <- lists:seq(1, 50)],
        [receive {done, _} -> ok end || _ <- lists:seq(1, 50)],
        N
    end, 0) end).

echo() -> receive {From, Term} -> From ! Term, echo() end.
ping(P, Term) -> P ! {self(), Term}, receive Term -> ok end, receive after 5 -> ping(P, Term) end.
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

for illness in slices selective mutual hog crash_loop leaks copies computes,writes,jobs; do
  checks "$illness" "$WHITEBEAM" "$scratch/sick.erl" "$illness" <<'EOF'
import json, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from observing import *
vm, program, illness = sys.argv[1:]

# What is wrong, with whom, who else has to do with it, and where ('': not compared). Who calls each other is sorted.
CAUSES = {
    'slices': {('small_slices', 'cutter', '', '')},
    'selective': {('scanning_receive', 'clerk', '', 'sick:await_stock/0:68')},
    'mutual': {('call_cycle', 'discounts', 'prices', 'sick:handle_cast/2')},
    'hog': {('does_not_rest', 'counter', '', ''), ('does_not_rest', 'reports', '', ''),
            ('table_search', 'reports', 'goods', 'sick:reports/2:70')},
    'crash_loop': {('crash_loop', 'shop', '{till,7}', 'sick:till/1:90')},
    'leaks': {('atoms', 'sessions', '', 'sick:session/2:75'), ('timers', 'reminders', 'reminders', 'sick:remind/1:77')},
    'copies': {('large_messages', 'archive', 'exporter', '')},
}

def place_of(row):
    if row['what'] == 'call_cycle': return row['fn']
    return f"{row['fn']}:{row['line']}" if row['what'] not in ('small_slices', 'does_not_rest', 'large_messages') else ''

def warnings(pid):
    """As a script of an operator asks: {(what, who, who else, where)}, and all of it."""
    done = subprocess.run([vm, 'observe', '--ask', '{"do": "warnings"}', str(pid)], capture_output=True, timeout=60)
    data = json.loads(done.stdout)['data']
    found = set()
    for r in data['rows']:
        who = [r.get('name', ''), r.get('other_name', '')]
        found.add((r['what'], *(sorted(who) if r['what'] == 'call_cycle' else who), place_of(r)))
    return found, data

def examine(illness, health):
    """The sick one until everything is found, for 100 s at most; the healthy one through ten looks."""
    m = Machine(vm, program, '--schedulers', '2', arguments=('main', illness, health))
    try:
        begin, healthy = time.monotonic(), health == 'healthy'
        while True:
            found, data = warnings(m.process.pid)
            over = found or data['looks'] >= 10 if healthy else CAUSES[illness] <= found
            if over or time.monotonic() - begin > 100: return found, data
            time.sleep(0.3)
    finally: m.process.kill()

if illness not in CAUSES:
    with ThreadPoolExecutor() as all: shown = list(all.map(lambda name: examine(name, 'healthy'), illness.split(',')))
    for name, (found, data) in zip(illness.split(','), shown):
        check(f'{name} shows nothing', not found and data['looks'] >= 10, data)
    finish()
with ThreadPoolExecutor() as both: sick, healthy = both.map(lambda health: examine(illness, health), ['sick', 'healthy'])
check(f'{illness} is found', CAUSES[illness] <= sick[0], (sick, 'wanted', CAUSES[illness]))
check(f'nothing else is found of {illness}', sick[0] <= CAUSES[illness], sick)
check('each says why and leads on', all(r['text'] and r['why'] and r['leads_to'] and r['key'] for r in sick[1]['rows']), sick)
check(f'the healthy twin of {illness} shows nothing', not healthy[0] and healthy[1]['looks'] >= 10, healthy)
finish()
EOF
done
finish
