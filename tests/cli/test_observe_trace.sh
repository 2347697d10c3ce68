#!/bin/bash
# The observer's trace: what it shows, that it is limited, that it ends with its connection, and that a program
# which traces notices nothing of it.
. "$(dirname "$0")/check.sh"
need python3
observed

program traced <<'EOF'
-module(traced).
-export([main/0, worker/0, work/1, spin/1]).
main() ->
    register(worker, spawn(?MODULE, worker, [])),
    register(spinner, spawn(?MODULE, spin, [0])),
    io:format("ready~n"),
    commands().
commands() ->
    case io:get_line("") of
        eof -> ok;
        Line ->
            [Command | Arguments] = string:lexemes(Line, " \n"),
            io:format("~0p~n", [do(Command, [list_to_integer(A) || A <- Arguments])]),
            commands()
    end.
do("work", [N]) ->
    worker ! {work, N, self()},
    receive {done, R} -> idle(whereis(worker)), R end;
do("spawned", [N]) ->
    Self = self(),
    spawn(fun() -> Self ! {spawned, work(N)} end),
    receive {spawned, R} -> R end;
do("info", []) ->
    {erlang:trace_info(whereis(worker), flags), erlang:trace_info(whereis(worker), tracer),
     erlang:trace_info(new, flags), erlang:trace_info({?MODULE, work, 1}, all),
     erlang:trace_info({lists, reverse, 1}, traced)};
do("own", [N]) -> own(N, [local]);
do("global", [N]) -> own(N, [global]).

%% Until it has collected, too.
idle(P) -> case process_info(P, status) of {status, waiting} -> ok; _ -> erlang:yield(), idle(P) end.

%% What this process sees of worker when it traces it.
own(N, How) ->
    Worker = whereis(worker),
    1 = erlang:trace(Worker, true, [call, send]),
    1 = erlang:trace_pattern({lists, reverse, 1}, true, How),
    R = do("work", [N]),
    Info = erlang:trace_info({lists, reverse, 1}, traced),
    1 = erlang:trace_pattern({lists, reverse, 1}, false, How),
    1 = erlang:trace(Worker, false, [call, send]),
    {R, Info, erlang:trace_info(Worker, flags), told()}.
told() -> receive {trace, _, What, Of} -> [{What, Of} | told()];
                  {trace, _, What, Of, _} -> [{What, Of} | told()]
          after 0 -> [] end.

worker() ->
    receive {work, N, From} -> From ! {done, work(N)}, erlang:garbage_collect() end,
    worker().
work(N) -> lists:sum(lists:reverse(lists:seq(1, N))).
spin(N) -> spin(N + 1).
EOF

checks trace "$WHITEBEAM" "$scratch/traced.erl" <<'EOF'
import sys, time
from observing import *
vm = Machine(sys.argv[1], sys.argv[2])
command = vm.command

class Tracer(Observer):
    def __init__(self, acts=True):
        super().__init__(vm.path, patience=10)
        self.ask(do='hello', actions=acts)
        self.next = 0
    def trace(self, **more):
        answer = self.ask(do='trace', **{'from': self.next}, **more)
        if answer['ok']: self.next = answer['data']['next']
        return answer
    def lines(self): return [(l.get('name', l['pid']), l['what'], l.get('peer', ''), l['text']) for l in self.trace()['data']['lines']]

o = Tracer()
check('only looking', 'may only look' in Tracer(False).trace(what='start', calls='traced:work/1').get('error', ''))
for calls in [':', '/', '_:_', '*', 'lists:map/999', 'lists:map/x', 'no_such_module_at_all:f/1', 'x' * 5000, 'lists:map ' * 9]:
    check(f'a wrong pattern {calls[:20]}', not o.trace(what='start', calls=calls)['ok'])
check('nothing to trace', not o.trace(what='start')['ok'])
check('a wrong filter', not o.trace(what='start', messages=True, filter='x=1')['ok'])
check('filter by changes', not o.trace(what='start', messages=True, filter='dreds>1')['ok'])
check('what?', not o.trace(what='nonsense')['ok'])
check('off', not o.trace()['data']['on'])

# --- calls, messages, collections of one process
a = o.trace(what='start', calls='traced:work/1, lists:reverse/1 erlang:garbage_collect', filter='name=worker', messages=True, collections=True, rate=1000)
check('started', a['ok'] and a['data']['on'] and a['data']['processes'] == 1 and a['data']['functions'] >= 2, a)
check('works', command('work 4') == '10')
lines = o.lines()
check('collections', any(l[1] == 'major GC' and ' us, ' in l[3] for l in lines), lines)
calls = [l for l in lines if 'GC' not in l[1]]
for k, (what, peer, text) in enumerate([('receive', '<0.', '{work,4,<0.'), ('call', '', 'traced:work(4)'), ('call', '', 'lists:reverse([1,2,3,4])'), ('send', '<0.', '{done,10}'), ('call', '', 'erlang:garbage_collect()')]):
    check(f'line {what}', k < len(calls) and calls[k][0] == 'worker' and calls[k][1] == what and calls[k][2].startswith(peer) and calls[k][3].startswith(text), lines)
check('nobody else', all(l[0] == 'worker' for l in lines), lines)

# --- no program knows
nothing = '{{flags,[]},{tracer,[]},{flags,[]},{all,false},{traced,false}}'
check('no program knows', command('info') == nothing)
o.lines()
# What a program sees when it traces itself, with and without the observer.
seen = command('own 3'), command('global 3')
lines = o.lines()
check('both see', [l[3] for l in lines if 'reverse' in l[3]] == ['lists:reverse([1,2,3])'] * 2, lines)
command('work 2')
check('still there afterwards', [l[3] for l in o.lines() if l[1] == 'call'][:2] == ['traced:work(2)', 'lists:reverse([1,2])'])
o.trace(what='stop')
check('the program sees the same without', (command('own 3'), command('global 3')) == seen, seen)
check('that is', 'reverse' in seen[0] and 'reverse' in seen[1] and '{traced,local}' in seen[0] and '{flags,[]}' in seen[0], seen)
check('stopped', not o.trace()['data']['on'])
command('work 9')
check('nothing comes any more', o.lines() == [])

# --- the program's own trace is there first
# (own/2 begins and ends within a command, so the observer begins in between.)
o.trace(what='start', calls='traced:work/1', filter='name=nobody')
check('nobody matches', command('work 3') == '6' and o.lines() == [])

# --- what a process spawns, if wanted
for wanted in [False, True]:
    a = o.trace(what='start', calls='traced:work', filter='initial=traced:main/0', spawned=wanted, rate=1000)
    check('who spawns', a['data']['processes'] == 1, a)
    check('spawned', command('spawned 6') == '21')
    lines = o.lines()
    check('only if wanted', any(l[3] == 'traced:work(6)' for l in lines) == wanted, lines)

# --- all, and those to come
a = o.trace(what='start', calls='traced:work', rate=1000)
check('all processes', a['data']['processes'] > 2, a)
check('spawned', command('spawned 5') == '15')
check('a new process', any(l[0].startswith('<0.') and l[3] == 'traced:work(5)' for l in o.lines()))
check('no program knows', command('info') == nothing)

# --- one at a time
other = Tracer()
check('another traces', 'another observer' in other.trace(what='start', calls='traced:work').get('error', ''))
check('and is told', other.trace()['data']['by_another'])
check('it does not end mine', other.trace(what='stop')['ok'] and o.trace()['data']['on'])

# --- the limit: lines a second, and the end when there is too much
a = o.trace(what='start', calls='traced:spin/1', filter='name=spinner', rate=7)
check('the spinner', a['data']['processes'] == 1 and a['data']['functions'] == 1, a)
begin, lines = time.time(), list(a['data']['lines'])  # the first answer has some already
for _ in range(600):
    a = o.trace()['data']
    lines += a['lines']
    if a['overrun']: break
    time.sleep(0.05)
check('it ends by itself', a['overrun'] and not a['on'] and a['seen'] >= a['most_a_second'], a)
check('few lines', 7 <= len(lines) <= 7 * (time.time() - begin + 2), len(lines))
check('the rest is counted', a['left_out'] == a['seen'] - len(lines), a)
time.sleep(0.2)
b = o.trace()['data']
check('nothing is seen any more', b['seen'] == a['seen'] and not b['lines'], (a, b))
reds = lambda: o.ask(do='process', pid='spinner')['data']['reds']
first = reds()
for _ in range(300):
    if reds() > first + 1_000_000: break
    time.sleep(0.1)
check('the spinner is fast again', reds() > first + 1_000_000)

# --- the connection ends
check('again', o.trace(what='start', calls='traced:work/1', rate=1000)['ok'])
command('work 1')
check('it is seen', len(o.lines()) == 1)
o.close()
o = other
for _ in range(1000):
    a = o.trace()['data']
    if not a['by_another']: break
    time.sleep(0.05)
check('over', not a['by_another'])
seen = a['seen']
command('work 1')
check('nothing is seen', o.trace()['data']['seen'] == seen)
check('another may', o.trace(what='start', calls='traced:work/1', messages=True, collections=True)['ok'])
vm.process.stdin.close()  # the machine ends while it is traced
check('its end', vm.process.wait(60) == 0)
finish()
EOF
finish
