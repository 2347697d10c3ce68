#!/bin/bash
# --alarm: says on standard error, and to a command, when a condition begins to hold and when it ends to; what is no
# condition gets one clear line.
. "$(dirname "$0")/check.sh"
need python3
observed

program alarming <<'EOF'
-module(alarming).
-export([main/0]).
main() ->
    register(sink, spawn(fun sink/0)),
    io:format("ready~n"),
    loop().
sink() -> receive drain -> drain() end, sink().
drain() -> receive _ -> drain() after 0 -> ok end.
loop() ->
    case io:get_line("") of
        "fill\n" -> [sink ! N || N <- lists:seq(1, 300)];
        "flood\n" -> [sink ! N || N <- lists:seq(1, 2000)];
        "drain\n" -> sink ! drain;
        "die\n" -> spawn(fun() -> exit({no, shelf}) end)
    end,
    io:format("done~n"),
    loop().
EOF
checks alarms "$WHITEBEAM" "$scratch/alarming.erl" "$scratch" <<'EOF'
import os, subprocess, sys
from observing import *
vm, program, scratch = sys.argv[1:]
m = Machine(vm, program)
log = scratch + '/told'
command = f'echo "$WHITEBEAM_ALARM_STATE/$WHITEBEAM_ALARM/$WHITEBEAM_ALARM_VALUE/$WHITEBEAM_ALARM_PROCESS/$WHITEBEAM_ALARM_MACHINE" >>{log}'
watch = subprocess.Popen([vm, 'observe', '--interval', '0.2', '--alarm', 'queue > 200', '--alarm', 'exits>0', '--alarm', 'memory > 900g', '--alarm', 'atoms>=1%',
    '--alarm', 'processes < 1', '--alarm-command', command, m.path], stderr=subprocess.PIPE)
os.set_blocking(watch.stderr.fileno(), False)
said = ''
def says(text):
    global said
    try: said += os.read(watch.stderr.fileno(), 65536).decode()
    except BlockingIOError: pass
    return text in said
until('it looks', lambda: m.observer().data(do='home')['observer']['connections'] > 1, 20)
m.command('fill')
until('an alarm', lambda: says('alarm: queue > 200: 300, '), 10)
check('who', ' sink\n' in said, said)
m.command('drain')
until('it is over', lambda: says('over: queue > 200: 0\n'), 10)
m.command('die')
until('an exit', lambda: says('alarm: exits>0: 1, ') and says('{no,shelf}'), 10)
until('no exit any more', lambda: says('over: exits>0: 0\n'), 10)
check('nothing else', said.count('\n') == 4, said)
lines = open(log).read().splitlines()
check('the command was told', [l.split('/')[:3] for l in lines] == [['alarm', 'queue > 200', '300'], ['over', 'queue > 200', '0'], ['alarm', 'exits>0', '1'],
    ['over', 'exits>0', '0']], lines)
check('of whom', lines[0].split('/')[3].endswith(' sink') and lines[0].split('/')[4] == str(m.process.pid), lines)
# What the machine says looks wrong: all, one kind, a kind that it is not; each look, or more seldom than the machine looks for anybody.
def watching(interval, *alarms):
    log = f'{scratch}/warned{interval}'
    options = [o for a in alarms for o in ('--alarm', a)]
    process = subprocess.Popen([vm, 'observe', '--interval', interval, *options, '--alarm-command', f'echo "$WHITEBEAM_ALARM_STATE/$WHITEBEAM_ALARM/$WHITEBEAM_ALARM_VALUE/$WHITEBEAM_ALARM_PROCESS" >>{log}', m.path],
        stderr=open(log + '.said', 'w'))
    return process, log
def told(log): return open(log).read().splitlines() if os.path.exists(log) else []
m.command('flood')
often, log = watching('0.2', 'warnings > 0', 'warnings.scanning_receive >= 1', 'warnings.call_cycle > 0', 'warnings.atoms > 0')
until('warnings', lambda: len(told(log)) >= 2, 60)
for condition, line in zip(['warnings > 0', 'warnings.scanning_receive >= 1'], told(log)):
    check(f'{condition}: who and why', line.startswith(f'alarm/{condition}/1/scanning receive: sink: its receive has passed over '), line)
check('on standard error, too', ': warnings > 0: 1, scanning receive: sink: its receive' in open(log + '.said').read(), open(log + '.said').read())
m.command('drain')
until('they are over', lambda: len(told(log)) >= 4, 60)
check('both, and nothing else', sorted(told(log)[2:]) == ['over/warnings > 0/0/', 'over/warnings.scanning_receive >= 1/0/'], told(log))
often.kill()
m.process.kill()
check('it ends with the machine', watch.wait(20) == 0)
m = Machine(vm, program)  # of which nobody has asked anything
m.command('flood')
seldom, log = watching('3600', 'warnings > 0')
until('one look tells', lambda: told(log), 60)
seldom.kill()
m.process.kill()
finish()
EOF
for wrong in queue 'queue >' 'queue > many' 'queue > 10 parrots' 'queue > nan' 'queue > 1e999' 'call > 10k'; do
  expect 2 "^whitebeam: --alarm: no (condition|number)" "$WHITEBEAM" observe --alarm "$wrong"
done
expect 2 '^whitebeam: --alarm: nothing to watch is called "size"; there are queue, mailbox, ' "$WHITEBEAM" observe --alarm 'size > 3'
expect 2 '^whitebeam: --alarm: no kind of warning is called "queue"; there are call_cycle, .*does_not_rest$' "$WHITEBEAM" observe --alarm 'warnings.queue > 3'
expect 2 '^whitebeam: --alarm: no kind of warning is called ""' "$WHITEBEAM" observe --alarm 'warnings. > 3'
expect 2 '^whitebeam: --alarm: nothing to watch is called "queue.long"' "$WHITEBEAM" observe --alarm 'queue.long > 3'
expect 2 '^whitebeam: --alarm: warnings.atoms has no limit' "$WHITEBEAM" observe --alarm 'warnings.atoms > 3 %'
expect 2 '^whitebeam: --alarm: nothing to watch is called ""' "$WHITEBEAM" observe --alarm '> 3'
expect 2 '^whitebeam: --alarm: queue has no limit of which there are 3 %' "$WHITEBEAM" observe --alarm 'queue > 3 %'
expect 2 '^whitebeam: --alarm-command: there is no --alarm' "$WHITEBEAM" observe --alarm-command true
finish
