#!/bin/bash
# What died is known: who has ended abnormally, why, where, under whom, how many alike.
. "$(dirname "$0")/check.sh"
need python3
observed

program dying <<'EOF'
-module(dying).
-behaviour(supervisor).
-export([main/0, init/1, start_child/1, loop/1]).
main() ->
    logger:set_primary_config(level, none),
    error_logger:tty(false),
    {ok, _} = supervisor:start_link({local, shop}, ?MODULE, []),
    till ! {divide, 0},
    {P, R} = spawn_monitor(?MODULE, loop, [idle]),
    exit(P, {stop, please}),
    receive {'DOWN', R, _, _, _} -> ok end,
    [await(spawn_monitor(fun() -> exit(Why) end)) || Why <- [normal, shutdown, {shutdown, x}]],
    [await(spawn_monitor(fun() -> exit({lost, N, self()}) end)) || N <- lists:seq(1, 3000)],
    {Q, S} = spawn_monitor(fun() -> process_flag(sensitive, true), receive go -> error(secret) end end),
    Q ! go, receive {'DOWN', S, _, _, _} -> ok end,
    await(spawn_monitor(fun() -> throw(lists:seq(1, 100000)) end)),
    Big = lists:duplicate(300000, big),
    await(spawn_monitor(fun() ->
        [put(K, V) || {K, V} <- [{'$initial_call', {Big, 1, -1}}, {'$ancestors', [{Big}]}, {'$process_label', Big}]],
        exit({lies, [{m, f, Big, [{file, Big}, {line, x} | Big]}, {Big, Big, Big, Big}, {m, f, -7, Big}, {m, f, [1 | 2], [{file, 1} | Big]}]})
    end)),
    io:format("ready~n"),
    receive stop -> ok end.
await({_, R}) -> receive {'DOWN', R, _, _, _} -> ok end.
init(_) -> {ok, {#{intensity => 5}, [#{id => {counter, 7}, start => {?MODULE, start_child, [till]}}]}}.
start_child(Name) -> P = proc_lib:spawn_link(?MODULE, loop, [Name]), register(Name, P), {ok, P}.
loop(Name) ->
    receive {divide, N} -> _ = 1 div N end,
    loop(Name).
EOF
machine dying
checks exits "$socket" <<'EOF'
import json, sys
from observing import *
s = Observer(sys.argv[1])
answer = s.data(do='exits', most=1000)
rows = answer['rows']
def those(text): return [r for r in rows if text in r['reason']]
check('all are counted', 3005 <= answer['abnormal'] < 3010, answer['abnormal'])  # the library's own ones, too
check('the newest first', [r['number'] for r in rows] == sorted((r['number'] for r in rows), reverse=True))
check('orderly ends are none', not those('shutdown') and not those('normal'))
until('the supervisor has seen it', lambda: any(r['child'] for r in s.data(do='exits', most=1000)['rows']), 10)
rows = s.data(do='exits', most=1000)['rows']
[till] = those('badarith')
check('its name', till['name'] == 'till', till['name'])
check('its supervisor', till['supervisor'] == 'shop', till['supervisor'])
check('which of its children', till['child'] == '{counter,7}', till)
check('its reason, without the stack', till['reason'] == 'badarith', till['reason'])
check('its stack', [f['fn'] for f in till['stack']][:2] == ['erlang:div/2', 'dying:loop/1'] and till['stack'][1]['line'] == 28, till['stack'])
[asked] = those('please')
check('who was ended by a signal: where it was', asked['stack'][0]['fn'] == 'dying:loop/1', asked['stack'])
check('what it was spawned with', asked['initial'] == 'dying:loop/1', asked['initial'])
lost = those('{lost,')
check('a fun by its name', lost[0]['initial'].startswith("dying:'-main/0-fun-") and not lost[0]['label'], lost[0])
check('of a kind the newest ten', len(lost) <= 10 and lost[0]['alike'] == 3000, (len(lost), lost[0]['alike']))
check('what is only counted', answer['unrecorded'] >= 2900, answer['unrecorded'])
[secret] = those('(sensitive)')
check('nothing of who is sensitive', not secret['stack'] and not those('secret'))
[thrown] = those('nocatch')
check('long reasons are cut', len(thrown['reason']) < 1000, len(thrown['reason']))
[lies] = those('lies')
check('what a program puts there is short', len(json.dumps(lies)) < 3000 and len(lies['stack']) == 4, lies)
check('as many as are wanted', len(s.data(do='exits', most=2)['rows']) == 2)
finish()
EOF
finish
