#!/bin/bash
# Stories that explore --save keeps: what is in them, as text, as JSON and as a page; of tests, too; a full disk; files that are
# broken or hostile.
source "$(dirname "$0")/check.sh"
need erlc
need python3
observed
repository=$PWD
cp tests/explore/{late_reply,ets_lost_update,deadlock,late_cancel}.erl "$scratch"
cd "$scratch" || exit 1
export WHITEBEAM
program ticks <<'P'
-module(ticks).
-export([main/1]).
main(_) ->
    Timer = erlang:send_after(20, self(), tick),
    erlang:cancel_timer(Timer),
    erlang:send_after(30, self(), tick),
    erlang:send_after(10, self(), tick),
    self() ! tick,
    [receive tick -> ok end || _ <- [1, 2, 3]],
    exit(done).
P
mkdir kept
erlc +debug_info ./*.erl
explore() { expect "$1" "$2" "$WHITEBEAM" explore "${@:3}"; }
explore 1 'see it' ticks --runs 1 --save kept
for program in late_reply ets_lost_update deadlock late_cancel; do explore 1 '^  see it: whitebeam observe --web kept/.*\.story$' $program --runs 300 --save kept; done
story=kept/late_reply-crash-1.story

# The text of the file is that of explore, below a heading.
"$WHITEBEAM" explore late_reply --runs 300 | sed -n '/^  main$/,$p' >told
[ "$(wc -l <told)" = 14 ] || { echo "FAILED: the text"; cat told; failures=$((failures + 1)); }
for way in "" --once; do
  "$WHITEBEAM" observe $story $way </dev/null | sed -n '/^  main$/,$p' >again
  diff told again || { echo "FAILED: observe $way tells another story"; failures=$((failures + 1)); }
done
expect 0 '^late_reply: crash: main ended with \{badmatch,\{ok,2\}\}' "$WHITEBEAM" observe $story
expect 0 '^  after operation 2 of main the clock moves' "$WHITEBEAM" observe $story --once
expect 0 '"ok":true,"data":\{"story":true,"program":"late_reply"' "$WHITEBEAM" observe $story --ask '{"do":"hello"}'
expect 0 '"id":7,"ok":true,"data":\{"whitebeam_story":1,' "$WHITEBEAM" observe $story --ask '{"do":"story","id":7}'
expect 0 'not of a story: processes' "$WHITEBEAM" observe $story --ask '{"do":"processes"}'
expect 0 '"ok":false' "$WHITEBEAM" observe $story --ask '{"do":'
for what in "--record history" "--alarm queue>10" "--flame f" "--pprof p" --openmetrics; do expect 2 'a story does not run' "$WHITEBEAM" observe $story $what; done
expect 2 'nowhere.story: No such file' "$WHITEBEAM" observe nowhere.story --once
cp $story otherwise
expect 0 '^late_reply: crash' "$WHITEBEAM" observe otherwise

# What is received is led back to what has sent it; who has ended, timers and switches are there.
checks events kept <<'EOP'
import json, subprocess, sys
from observing import check, finish
import os
def story(name):
    text = subprocess.run([os.environ['WHITEBEAM'], 'observe', f'{sys.argv[1]}/{name}.story', '--json'], capture_output=True, check=True).stdout
    s = json.loads(text)
    check(f'{name}: the file is the same', s == json.load(open(f'{sys.argv[1]}/{name}.story')))
    return s, s['telling']['events'], [l['path'] for l in s['telling']['lifelines']]
def of(events, kind): return [e for e in events if e['kind'] == kind]
s, events, paths = story('late_reply-crash-1')
check('its lifelines', paths == ['main', 'main.1'])
check('its ending', s['ending']['class'] == 'crash' and s['ending']['text'].startswith('main ended with {badmatch,{ok,2}}'))
check('its switches', s['switches'] == ['after operation 2 of main the clock moves'] == [e['text'] for e in of(events, 'switches')])
check('in order', [e['number'] for e in events] == list(range(1, len(events) + 1)))
sends = {e['number']: e for e in of(events, 'sends')}
for e in of(events, 'receives'):
    check('received is what was sent', sends[e['from']]['message'] == e['message'] and sends[e['from']]['to'] == e['process'])
    check('from left to right', sends[e['from']]['process'] != e['process'])
check('one is never received', set(sends) - {e['from'] for e in of(events, 'receives')} == {[n for n, e in sends.items() if e['message'] == '{reply,4}'][0]})
check('a place', all(e['place'].startswith('late_reply.erl:') for e in sends.values()))
check('the end', [(e['process'], e['text']) for e in of(events, 'dies')] == [(0, '{badmatch,{ok,2}}')])
check('who is spawned', [e['to'] for e in of(events, 'spawns')] == [1])
check('the clock', of(events, 'clock')[0]['moved_ns'] > 0 and of(events, 'times_out'))
s, events, paths = story('ets_lost_update-crash-1')
ends = [e['number'] for e in of(events, 'ends')]
down = of(events, 'receives')
check('told by who has ended', len(ends) == 3 and sorted(e['from'] for e in down) == ends and all("'DOWN'" in e['message'] for e in down))
check('a result', [e['result'] for e in of(events, 'calls') if e['text'].startswith('ets:new')][0].startswith('#Ref<'))
s, events, paths = story('late_cancel-crash-1')
timer = [e for e in of(events, 'calls') if 'send_after' in e['text']][0]
check('of a timer', [e['from'] for e in of(events, 'receives') if e['message'] == 'give_up'] == [timer['number']])
s, events, paths = story('ticks-crash-1')
by = {e['number']: e for e in events}
ticks = [by[e['from']] for e in of(events, 'receives')]
check('what has arrived first comes first, and of who is cancelled nothing',
      [e['kind'] for e in ticks] == ['sends', 'calls', 'calls'] and [e['text'].split('(')[1].split(',')[0] for e in ticks[1:]] == ['10', '30'], ticks)
s, events, paths = story('deadlock-deadlock-1')
check('calls of servers', all(e.get('from') for e in of(events, 'receives')))
finish()
EOP

# Of tests: the schedules of those that `run` can repeat, the stories of all.
program tested <<'P'
-module(tested).
-include_lib("eunit/include/eunit.hrl").
race_test() -> race().
all_test_() -> [{"race", fun race/0}].
race() ->
    Table = ets:new(t, [public]),
    Workers = [spawn_monitor(fun() -> ets:insert(Table, {n, N}) end) || N <- [1, 2]],
    [receive {'DOWN', Ref, _, _, _} -> ok end || {_, Ref} <- Workers],
    ?assertEqual([{n, 2}], ets:lookup(Table, n)).
P
explore 1 'see it: .*kept/tested-all_test_-crash-1\.story' --eunit tested.erl --runs 200 --save kept
expect 0 '^tested:race_test/0: crash' "$WHITEBEAM" observe kept/tested-race_test-crash-1.story
expect 0 '^tested:all_test_/0: crash' "$WHITEBEAM" observe kept/tested-all_test_-crash-1.story
[ -e kept/tested-race_test-crash-1.schedule ] && [ ! -e kept/tested-all_test_-crash-1.schedule ] || { echo "FAILED: schedules of tests"; failures=$((failures + 1)); }

# A run of many events; one that is endless.
program long <<'P'
-module(long).
-export([main/1, endless/1]).
main(_) -> Echo = spawn(fun echo/0), ask(Echo, 3000), spawn(fun() -> exit(bad) end).
echo() -> receive {P, N} -> P ! N, echo() end.
ask(_, 0) -> ok;
ask(E, N) -> E ! {self(), N}, receive N -> ask(E, N - 1) end.
endless(_) -> self() ! x, receive x -> endless([]) end.
P
erlc long.erl
explore 1 '^  see it' long --function endless --runs 1 --steps 60000 --save kept
checks long kept <<'EOP'
import json, os, subprocess, sys, time
from observing import check, finish
begin = time.monotonic()
text = subprocess.run([os.environ['WHITEBEAM'], 'observe', f'{sys.argv[1]}/long-endless-1.story', '--json'], capture_output=True, check=True).stdout
events = json.loads(text)['telling']['events']
check('soon', time.monotonic() - begin < 20)
check('the beginning and the end of it', 10000 < len(events) < 200000 and events[0]['number'] == 1 and events[-1]['number'] > 90000)
check('no more than there is room for', len(text) < 8 << 20)
finish()
EOP
expect 0 '^    \.\.\. [0-9]+ more events \.\.\.$' "$WHITEBEAM" observe kept/long-endless-1.story

# A full disk.
mkdir full
for kind in story schedule; do ln -s /dev/full full/late_reply-crash-1.$kind; done
explore 1 'cannot write full/late_reply-crash-1.schedule: No space left on device' late_reply --runs 100 --save full
explore 1 'cannot write full/late_reply-crash-1.story: No space left on device' late_reply --runs 100 --save full
chmod a-w kept
[ "$(id -u)" = 0 ] || explore 1 'cannot write kept/.*: Permission denied' late_reply --runs 100 --save kept
chmod u+w kept

# Broken and hostile files: an error that says why, soon, whatever they are asked by.
checks hostile "$story" "$scratch" <<'EOP'
import json, os, random, subprocess, sys, time
from observing import check, finish
story, scratch = sys.argv[1:]
whole = open(story, 'rb').read()
rng = random.Random(11)
path = scratch + '/broken.story'
def run(*options):
    begin = time.monotonic()
    p = subprocess.run([os.environ['WHITEBEAM'], 'observe', path, *options], capture_output=True, timeout=60)
    check(f'soon: {time.monotonic() - begin}', time.monotonic() - begin < 20)
    return p
def refused(what, data, why=b'no story of `explore --save`: ', ways=(['--once'],)):
    with open(path, 'wb') as f: f.write(data)
    for options in ways:
        p = run(*options)
        check(f'{what}, {options[0]}: refused', p.returncode == 2 and why in p.stderr and not p.stdout, (p.returncode, p.stderr[:300], p.stdout[:100]))
refused('empty', b'', ways=(['--once'], ['--json'], ['--web'], ['--ask', '{"do":"story"}']))
refused('text', b'no JSON', b'an object is wanted, at byte 0')
refused('a word', whole.replace(b'"kind":', b'kind:', 1), b'a text is wanted')
refused('cut', whole[:len(whole) // 2], b'it is cut short')
refused('more', whole + b'x', b'something behind the end')
refused('version', whole.replace(b'"whitebeam_story":1', b'"whitebeam_story":2'), b'no story of this version')
refused('deep', b'{"whitebeam_story":1,"x":' + b'[' * 1000000, b'too deep')
refused('deep objects', b'{"whitebeam_story":1,"x":' + b'{"a":' * 1000000, b'too deep')
refused('huge', b'{"whitebeam_story":1,"program":"' + b'x' * (33 << 20) + b'"}', b'more than 32 MB')
refused('kinds', whole.replace(b'"kind":"sends"', b'"kind":"sings"'), b'an unknown kind of event')
refused('ending', whole.replace(b'"class":"crash"', b'"class":"bliss"'), b'an unknown ending')
refused('types', whole.replace(b'"events":[', b'"events":[7,'), b'an object is wanted')
refused('types', whole.replace(b'"text":', b'"text":7,"text":', 1), b'a text is wanted')
refused('lifelines', whole.replace(b'"process":1', b'"process":12345678'), b'there is no lifeline 12345678')
refused('lifelines', whole.replace(b'"to":1', b'"to":-1'), b'a whole number is wanted')
refused('ahead', whole.replace(b'"from":', b'"from":99'), b'it comes of a later one')
refused('order', whole.replace(b'"number":3', b'"number":1'), b'stands behind')
refused('time', whole.replace(b'"moved_ns":', b'"moved_ns":99999999999999'), b'')
for _ in range(40):
    torn = bytearray(whole)
    for _ in range(rng.choice([1, 3, 30, 300])): torn[rng.randrange(len(torn))] = rng.randrange(256)
    with open(path, 'wb') as f: f.write(torn)
    p = run('--once')
    check('torn: an answer or a refusal', p.returncode in (0, 2) and (p.returncode == 0) == (not p.stderr), (p.returncode, p.stderr[:200]))
# what programs and files say moves no cursor
evil = json.loads(whole)
evil['program'] = evil['ending']['text'] = '\x1b[2J\x07\x7f'
for e in evil['telling']['events']: e['message'] = e['text'] = e['place'] = e['name'] = '\x1b]0;x\x07\r\x00</script>'
with open(path, 'w') as f: json.dump(evil, f)
for option in ('--once', '--json'):
    out = run(option).stdout
    check(f'{option}: no control characters', not [c for c in out if c < 32 and c != 10 or c == 127], out[:200])
finish()
EOP

# The page.
page $story
checks page "$url" <<'EOP'
from browsing import *
s = Socket()
check('it is a story', s.ask(do='hello')['data']['story'] is True)
check('and no machine', not s.ask(do='home')['ok'] and not s.ask(do='machines')['ok'] and not s.ask(do='act', pid='x', what='kill')['ok'])
story = s.ask(do='story')['data']
check('all of it', story['program'] == 'late_reply' and len(story['telling']['events']) == 12)
check('no counters', status(f'/metrics?token={token}') == 503)
EOP
cd "$repository" && finish
