#!/bin/bash
# observe erl_crash.dump: OTP's dumps and ours with the same views; dumps that are cut, torn or no dumps are told apart.
. "$(dirname "$0")/check.sh"
need python3
observed

program dumped <<'EOF'
-module(dumped).
-export([main/0, loop/1, init/1, idle/0]).
main() ->
    register(box, spawn(fun() -> put(drawer, [open, "half", #{a => 1, "b" => 2.5}]), loop({state, <<"bytes">>, 12345678901234567890, fun lists:map/2}) end)),
    [box ! {order, N, <<"a text">>, lists:seq(1, 9), [N | tail], self()} || N <- lists:seq(1, 1500)],
    Table = ets:new(shop, [named_table, public, ordered_set]),
    ets:insert(Table, [{N, N} || N <- lists:seq(1, 100)]),
    erlang:send_after(3600000, box, {tick, now}),
    [spawn(?MODULE, idle, []) || _ <- lists:seq(1, 20)],
    {ok, _} = supervisor:start_link({local, top}, ?MODULE, []),
    persistent_term:put({kept, here}, [1, 2, three]),
    Binary = binary:copy(<<"x">>, 100000),
    register(holder, spawn(fun() -> put(binary, Binary), put(map, maps:from_list([{N, {N}} || N <- lists:seq(1, 100)])), receive stop -> Binary end end)),
    timer:sleep(200),
    erlang:halt("we dump").
init([]) -> {ok, {#{}, []}}.
idle() -> receive stop -> ok end.
loop(S) -> receive never -> loop(S) end.
EOF
(cd "$scratch" && ERL_CRASH_DUMP=$scratch/ours.dump "$WHITEBEAM" run dumped.erl) >/dev/null 2>&1
dumps=("$scratch/ours.dump")
if command -v erl >/dev/null; then
  (cd "$scratch" && erlc dumped.erl && ERL_CRASH_DUMP=$scratch/otp.dump timeout 60 erl -noshell -s dumped main) >/dev/null 2>&1
  dumps+=("$scratch/otp.dump")
fi

for dump in "${dumps[@]}"; do
  ask() { expect 0 "$2" "$WHITEBEAM" observe "$dump" --ask "$1"; }
  ask '{"do":"hello"}' '"dump":\{"version":"0\.[0-9]","written":"[A-Z].*","slogan":"we dump","system":".*OTP.*","cut":false\}'
  ask '{"do":"home"}' '"counts":\{"processes":\{"now":[2-9][0-9],'
  ask '{"do":"home"}' '"heaps":[1-9][0-9]+,.*"total":[1-9][0-9]+'
  ask '{"do":"processes","by":"msgq","limit":1}' '"name":"box","reds":[0-9]+,"memory":[1-9][0-9]+,"msgq":1500,"fn":"dumped:loop/1","state":"waiting".*"lint":\["long message queue"\]'
  ask '{"do":"warnings"}' '"settled":true,.*"total":1,"rows":\[\{"what":"long_queue","text":"1500 messages wait in its queue",.*"leads_to":"process".*"name":"box"'
  ask '{"do":"warnings","what":"atoms"}' '"total":0,"rows":\[\]'
  ask '{"do":"processes","filter":"fn=dumped:idle/0"}' '"matched":20,'
  ask '{"do":"processes","filter":"what=1"}' 'there is no column what'
  ask '{"do":"process","pid":"box"}' '"stack":\[\{"fn":"dumped:loop/1","values":\["\{state,<<\\"bytes\\">>,12345678901234567890,fun lists:map/2\}"\]\}'
  ask '{"do":"process","pid":"box"}' '"dictionary":\[\["drawer","\[open,\\"half\\",#\{(a => 1,\\"b\\" => 2\.5|\\"b\\" => 2\.5,a => 1)\}\]"\]\]'
  ask '{"do":"process","pid":"box","messages_from":1499}' '"messages":\["\{order,1500,<<\\"a text\\">>,(\[1,2,3,4,5,6,7,8,9\]|\\"[^"]*\\"),\[1500\|tail\],<0\.[0-9.]+>\}"\]'
  ask '{"do":"process","pid":"holder"}' '\["binary","<<\\"x+\\"\.\.\. 100000 bytes>>"\]'
  ask '{"do":"process","pid":"holder"}' '\["map","#\{.*(17 => \{17\}|100 => \{100\}|[0-9]+ => \{[0-9]+\})'
  ask '{"do":"process","pid":"nobody"}' '"error":"no such process"'
  ask '{"do":"children"}' '"rows":\[\{"pid":"<0\.'
  ask '{"do":"tables"}' '"name":"shop".*"type":"ordered_set","protection":"public".*"objects":100'
  ask '{"do":"modules","limit":5000}' '"name":"dumped","code_bytes":[1-9]'
  ask '{"do":"ports"}' '"id":"#Port<0\.[0-9]+>"'
  ask '{"do":"timers"}' '"to_name":"box".*"fn":"\{tick,now\}"|"fn":"\{tick,now\}"'
  ask '{"do":"persistent_terms","limit":1000}' '\{"name":"\{kept,here\}","value":"\[1,2,three\]"\}'
  ask '{"do":"atoms"}' '"name":"'
  ask '{"do":"act","pid":"box","what":"kill"}' 'not in a crash dump: act'
  ask '{"do":' '"ok":false'
  expect 0 'box .*dumped:loop/1.*|heaps' "$WHITEBEAM" observe "$dump" --once
  expect 0 '^  long queue: box: 1500 messages wait in its queue, in dumped:loop/1' "$WHITEBEAM" observe "$dump" --once
  expect 0 '"tables":\{"total":[1-9]' "$WHITEBEAM" observe "$dump" --json
  expect 2 'a crash dump does not run' "$WHITEBEAM" observe "$dump" --record "$scratch/history"
  expect 2 'a crash dump does not run' "$WHITEBEAM" observe "$dump" --alarm 'queue > 10'
done

printf 'no dump at all' >"$scratch/text"
: >"$scratch/empty"
expect 2 'text: no history of a machine, and no crash dump' "$WHITEBEAM" observe "$scratch/text"
expect 2 'empty: .*no crash dump' "$WHITEBEAM" observe "$scratch/empty"
expect 2 "neither a machine's socket" "$WHITEBEAM" observe "$scratch"
expect 2 'No such file' "$WHITEBEAM" observe "$scratch/missing.dump"
expect 2 "neither a machine's socket" "$WHITEBEAM" observe /dev/zero

# Cut behind each kind of section and anywhere, torn, of nonsense: an answer to everything, soon.
checks hostile "$WHITEBEAM" "$scratch" "${dumps[@]}" <<'EOF'
import json, random, subprocess, sys, time
from observing import check, finish
vm, scratch, *dumps = sys.argv[1:]
rng = random.Random(29)
path = scratch + '/torn.dump'
def answers(what, data, requests=('--json',)):
    with open(path, 'wb') as f: f.write(data)
    for r in requests:
        begin = time.monotonic()
        p = subprocess.run([vm, 'observe', path, *([r] if r == '--json' else ['--ask', r])], capture_output=True, timeout=60)
        check(f'{what}: it ends well', p.returncode == 0, (p.returncode, p.stderr[:300]))
        try: json.loads(p.stdout.decode(errors='surrogateescape'))
        except ValueError as e: check(f'{what}: an answer', False, (r, str(e), p.stdout[:300]))
        check(f'{what}: soon', time.monotonic() - begin < 30)
BOX = '{"do":"process","pid":"box"}'
for dump in dumps:
    whole = open(dump, 'rb').read()
    at, kinds, cuts = 0, set(), []
    while (at := whole.find(b'\n=', at + 1)) >= 0:
        kind = whole[at + 2:at + 40].split(b':')[0].split(b'\n')[0]
        if kind not in kinds: kinds.add(kind); cuts.append(at + 1)
    for cut in cuts + [cuts[-1] + 3, len(whole) - 3]: answers(f'cut at {cut}', whole[:cut])
    for _ in range(12): answers('cut anywhere', whole[:rng.randrange(17, len(whole))], ('--json', BOX))
    for _ in range(12):
        torn = bytearray(whole)
        for _ in range(rng.choice([3, 300, 3000])): torn[rng.randrange(17, len(torn))] = rng.randrange(256)
        answers('torn', bytes(torn), ('--json', BOX))
    for _ in range(5):  # lines in any order
        lines = whole.split(b'\n')
        first, rest = lines[0], lines[1:]
        rng.shuffle(rest)
        answers('shuffled', b'\n'.join([first] + rest), ('--json', BOX))
HEAD = b'=erl_crash_dump:0.5\nx\nSlogan: s\n=proc:<0.1.0>\nName: box\nState: Waiting\n'
def heap(lines, messages=b'H10:N\n'):
    return HEAD + b'=proc_messages:<0.1.0>\n' + messages + b'=proc_heap:<0.1.0>\n' + lines + b'=end\n'
answers('a list that is its own tail', heap(b'10:lI1|H10\n'), (BOX,))
answers('a tuple in itself', heap(b'10:t3:H10,H10,H10\n'), (BOX,))
answers('tuples of tuples', heap(b''.join(b'%X:t2:H%X,H%X\n' % (k, k + 1, k + 1) for k in range(16, 200))), (BOX,))
answers('a map in itself', heap(b'10:Mh2:2:H10,H10\n11:Mf1:H10:H11\n', b'H10:N\nH11:N\n'), (BOX,))
answers('sizes out of all measure', heap(b'10:tFFFFFFFFFFFFFFFF:I1\n11:AFFFFFFFFFFFFFFFF:x\n12:Yc10:FFFFFFFFFFFFFFFF:FFFFFFFFFFFFFFFF\n13:YhFFFFFFFF:eHh4\n14:EFFFFFFFFFFFF:g3AA\n15:F8:nan\n',
    b''.join(b'H%X:N\n' % k for k in range(16, 22)) + b'AFFFFFFFFFFFFFFFF:y\nI\nH\nP\np\nS\nD\n\n:\nlN|N\n'), (BOX,))
answers('no lines', b'=erl_crash_dump:', ('--json', BOX))
answers('no end of lines', b'=erl_crash_dump:0.5' + b'=' * 100000, ('--json', BOX))
answers('many sections', b'=erl_crash_dump:0.5\n' + b'=proc:<0.1.0>\n' * 300000, ('--json',))
answers('deep names', HEAD + b'Link list: [' + b'{' * 100000 + b'\n', (BOX,))
answers('numbers', HEAD + b'Reductions: 99999999999999999999999\nMemory: -5\nMessage queue length: 1e9\n', ('--json', BOX))
finish()
EOF
finish
