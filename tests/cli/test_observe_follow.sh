#!/bin/bash
# The observer's trace: what calls return, how they fail, who ends, and a registered name over restarts.
source "$(dirname "$0")/check.sh"
need python3
observed

program followed <<'P'
-module(followed).
-export([main/1, start/0, worker/0, work/1, twice/1, down/1, fail/1]).
main(_) ->
    spawn(fun keeper/0),
    io:format("ready~n"),
    read().
read() -> case io:get_line("") of eof -> ok; Line -> io:format("~0p~n", [do(string:lexemes(string:trim(Line), " "))]), read() end.
do(["stack"]) -> {stack_size, N} = process_info(whereis(worker), stack_size), N;
do([What, N]) -> ask({list_to_atom(What), list_to_integer(N)}).
ask(Q) ->
    case whereis(worker) of
        undefined -> timer:sleep(5), ask(Q);
        P -> R = monitor(process, P), P ! {self(), Q},
             receive {P, A} -> demonitor(R, [flush]), A; {'DOWN', R, _, _, Why} -> {down, Why} end
    end.
keeper() ->
    process_flag(trap_exit, true),
    P = spawn_link(?MODULE, start, []),
    receive {'EXIT', P, _} -> timer:sleep(300), keeper() end.
start() -> register(worker, self()), worker().
worker() ->
    receive {From, {work, N}} -> From ! {self(), work(N)};
            {From, {twice, N}} -> From ! {self(), length(twice(N))};
            {From, {down, N}} -> From ! {self(), down(N)};
            {_, {fail, N}} -> fail(N);
            {From, {caught, N}} -> From ! {self(), catch fail(N)} end,
    worker().
work(N) -> {done, N + 1, self()}.
twice(N) -> lists:duplicate(N, {a_long_result, N}).
down(0) -> {bottom, self()};
down(N) -> down(N - 1).
fail(N) -> error({failed, N}).
P
cat >"$scratch/look.py" <<'Y'
import sys, time
from observing import *
machine = Machine(sys.argv[1], sys.argv[2])
o = machine.observer()
o.data(do='hello', actions=True)
seen = []
def read():
    page = o.data(do='trace', what='read', **{'from': seen[-1]['number'] + 1 if seen else 0})
    seen.extend(page['lines'])
    return page
def of(what): return [l for l in seen if l['what'] == what]
def shows(name, f):
    def there(): read(); return f()
    until(name, there, 20)

check('calls of what', 'what is to be traced' in o.told(do='trace', what='start'))
machine.command('work 1')  # the worker is there
started = o.data(do='trace', what='start', calls='followed', returns=True, exits=True, filter='name=worker', rate=1000)
check('one process', started['processes'] == 1, started)
machine.command('work 3')
shows('a call', lambda: any(l['text'] == 'followed:work(3)' and l['name'] == 'worker' for l in of('call')))
shows('what it returns', lambda: any(l['text'].startswith('followed:work/1 -> {done,4,<0.') for l in of('return')))
machine.command('caught 8')
shows('how it fails', lambda: any(l['text'] == 'followed:fail/1 -> {error,{failed,8}}' for l in of('exception')))
check('it goes on', not of('exit'), of('exit'))
machine.command('twice 60')
shows('as a whole', lambda: any(l['text'].count('a_long_result') == 60 for l in of('return')))
check('tail calls', 'bottom' in machine.command('down 5000'))
stack = int(machine.command('stack'))
check('they do not pile up', stack < 60, stack)
time.sleep(1.2)  # that was more than a second's lines
first = seen[0]['pid']
machine.command('fail 7')
shows('its end', lambda: any(l['pid'] == first and '{failed,7}' in l['text'] for l in of('exit')))
shows('the next of that name', lambda: any(l['pid'] != first and l['text'] == 'worker' for l in of('registered')))
second = of('registered')[-1]['pid']
machine.command('work 5')
shows('what that one does', lambda: any(l['pid'] == second and l['text'].startswith('followed:work/1 -> {done,6,') for l in of('return')))
machine.command('fail 1')
shows('once more', lambda: len(of('registered')) == 2 and len(of('exit')) == 2)
o.data(do='trace', what='stop')
machine.command('work 9')
time.sleep(0.3)
read()
check('not any more', not any('10' in l['text'] for l in of('return')))

# --- exits alone, of all
o.data(do='trace', what='start', exits=True)
seen.clear()
machine.command('fail 2')
shows('exits alone', lambda: any('{failed,2}' in l['text'] for l in of('exit')))
check('nothing else', {l['what'] for l in seen} == {'exit'}, seen)
o.data(do='trace', what='stop')
finish()
Y
for way in "" "--jit off"; do
  [ "$way" ] && sed -i "s/Machine(sys.argv\[1\], sys.argv\[2\])/Machine(sys.argv[1], sys.argv[2], '--jit', 'off')/" "$scratch/look.py"
  timeout 120 python3 "$scratch/look.py" "$WHITEBEAM" "$scratch/followed.erl" || { echo "FAILED: ${way:-plain}"; failures=$((failures + 1)); }
done
finish
