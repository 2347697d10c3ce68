#!/bin/bash
# ETS tables as the observer shows them: how much each is read and written, how long that takes, who waits for its locks; their
# contents, page by page, as far as a match specification wants them; what is no specification.
source "$(dirname "$0")/check.sh"
need python3
observed

program shelves <<'P'
-module(shelves).
-export([main/1, rows/2]).
main(_) ->
    Main = self(),
    spawn(fun() -> make(), Main ! made, loop(0) end),
    receive made -> ok end,
    io:format("ready~n"),
    read().
read() -> case io:get_line("") of eof -> ok; Line -> io:format("~s~n", [do(string:trim(Line))]), read() end.
do("delete") -> ets:delete(gone), "done";
do("use " ++ What) -> [Reads, Writes] = [list_to_integer(W) || W <- string:lexemes(What, " ")], use(Reads, Writes), "done";
do("crowd") -> crowd(), "done".
make() ->
    ets:new(numbers, [named_table, public, ordered_set]), rows(numbers, 1000),
    ets:new(hashed, [named_table, public]), rows(hashed, 1000),
    ets:new(many, [named_table, public, bag]), ets:insert(many, [{one_key, N} || N <- lists:seq(1, 2500)]),
    ets:new(secret, [named_table, private]), ets:insert(secret, {self(), make_ref(), fun lists:map/2, #{a => <<1, 2>>}, "text"}),
    ets:new(gone, [named_table, public, {heir, none}]), ets:insert(gone, {1}),
    ets:new(used, [named_table, public, {read_concurrency, true}]), ets:insert(used, {1, 1}),
    ets:new(quiet, [named_table, public]),
    ets:new(large_key, [named_table, public, ordered_set]), ets:insert(large_key, [{lists:duplicate(20000, N), N} || N <- [1, 2, 3]]),
    ets:new(crowded, [named_table, public, ordered_set]).
loop(N) -> receive stop -> N end.
rows(T, N) -> ets:insert(T, [{K, {item, K rem 7}, 1.5 * K} || K <- lists:seq(1, N)]).
use(0, 0) -> ok;
use(R, W) ->
    R > 0 andalso ets:lookup(used, 1), W > 0 andalso ets:insert(used, {1, W}), use(max(0, R - 1), max(0, W - 1)).
%% Writers of one table with one lock, on all schedulers.
crowd() ->
    Self = self(),
    Ps = [spawn_monitor(fun() -> [ets:insert(crowded, [{{K, N}, K} || N <- lists:seq(1, 200)]) || K <- lists:seq(1, 300)] end) || _ <- lists:seq(1, 8)],
    [receive {'DOWN', R, process, P, _} -> ok end || {P, R} <- Ps], Self.
P
cat >"$scratch/look.py" <<'Y'
import sys, time
from observing import *
machine = Machine(sys.argv[1], sys.argv[2])
o = machine.observer()
def table(name): return next(t for t in o.data(do='tables', limit=1000)['rows'] if t['name'] == name)

# --- how much they are used
quiet = table('quiet')
check('nothing was done', quiet['reads'] == quiet['writes'] == quiet['lock_waits'] == 0, quiet)
before = table('used')
machine.command('use 200000 50000')
after = table('used')
reads, writes = after['reads'] - before['reads'], after['writes'] - before['writes']
check('reads, within a twentieth', abs(reads - 200000) < 10000, reads)
check('writes, within a tenth', abs(writes - 50000) < 5000, writes)
check('from samples', 500 < after['samples'] - before['samples'] < 2000, after)
spent = after['used_ns'] - before['used_ns']
check('time, at least 20 ns each', spent > 250000 * 20, spent)
check('nobody waited', after['lock_waits'] == 0, after)
machine.command('crowd')
crowded = table('crowded')
check('who waited for a lock, and how long', crowded['lock_waits'] > 0 and crowded['lock_wait_ns'] > 1000, crowded)

# --- contents
def pages(name, match='', limit=50):
    rows, at, n = [], '', 0
    while True:
        page = o.data(do='table', table=name, match=match, limit=limit, **({'from': at} if at else {}))
        n += 1
        rows += page['rows']
        if 'next' not in page: return rows, n
        at = page['next']
rows, n = pages('numbers')
check('all of an ordered_set, in order', len(rows) == 1000 and rows[0] == '{1,{item,1},1.5}' and rows[999].startswith('{1000,{item,6},1') and n >= 20, (len(rows), rows[:2], rows[-1], n))
rows, n = pages('hashed', limit=500)
check('all of a set', len(set(rows)) == len(rows) == 1000 and n in (2, 3, 4), (len(rows), n))
check('by its id', pages(table('hashed')['id'])[0] and len(pages(table('hashed')['id'])[0]) == 1000)
check('a pattern', sorted(pages('hashed', '{_, {item, 3}, _}')[0]) == sorted(r for r in rows if '{item,3}' in r))
check('a pattern of a key', pages('numbers', '{17,_,_}')[0] == ['{17,{item,3},25.5}'])
check('a specification', pages('numbers', "[{{'$1', {item, $2}, _}, [{'<', '$1', 4}, {is_integer, '$2'}], [{{$2, $1}}]}]")[0] == ['{1,1}', '{2,2}', '{3,3}'])
check('who looks has no pid', pages('numbers', "[{{1,_,_}, [], [{self}]}]")[0] == ['undefined'])
check('a range of keys', pages('numbers', "[{{'$1',_,_}, [{'>', '$1', 995}], ['$1']}]")[0] == ['996', '997', '998', '999', '1000'])
secret, _ = pages('secret')
check('of a private one', len(secret) == 1 and secret[0].startswith('{<0.') and 'lists:map' in secret[0] and '"text"' in secret[0], secret)
check('an empty one', o.data(do='table', table='quiet')['rows'] == [])
page = o.data(do='table', table='many', limit=10)
check('a long bucket', 10 <= len(page['rows']) <= 1000 and len(page['rows']) + page['left_out'] == 2500, (len(page['rows']), page['left_out']))
page = o.data(do='table', table='large_key', limit=1)
check('a key too large to go on from', page.get('cut') is True and 'next' not in page, page.keys())

# --- what is none
def told(**r): return o.told(do='table', **{'table': 'numbers', **r})
check('no such table', told(table='nothing') == 'no such table' and told(table='') == 'no such table')
for match, wanted in [('{', 'a term is expected'), ('{1,2', '} or a comma is expected'), ('[1|2', '] is expected'), ('#{1}', '=> is expected'), ("'x", 'the end of what is in quotes'),
                      ('<<300>>', 'a byte'), ('<0.x.1>', 'a pid'), ('1 2', 'nothing more'), ('no_atom_is_called_so', "no atom 'no_atom_is_called_so'"), ('37#11', 'a base'), ('1.0e9999', 'a float'),
                      ('[' * 5000, 'less nested'), ("[{'$1'}]", 'no match specification'), ('[foo]', 'no match specification'), ("[{'_', [{nonsense, 1}], ['$_']}]", 'no'), ('\u00e9', 'no atom'), ('X', 'a term'),
                      ('"\\', 'quotes'), ('<<"a', 'quotes'), ('-', 'a number')]:
    said = told(match=match)
    check('told of ' + match[:40], isinstance(said, str) and said.startswith('no match specification') and wanted in said and '\n' not in said and len(said) < 300, said)
for place in ['x', '-1', '8364000b', '99', 'ff' * 10, '83' * 20000, '0' * 30001, '8377' + '08' + '71' * 8]:
    check('no place: ' + place[:20], 'no place' in told(**{'from': place}), told(**{'from': place}))
check('no place in a set', all('no place' in told(table='hashed', **{'from': p}) for p in ['99999999999999999', '-1', 'x', '1x', '5000']), '')
atoms = o.data(do='home')['counts']['atoms']['now']
for k in range(100): told(match=f'{{unheard_of_{k}, _}}')
check('no atom is made', o.data(do='home')['counts']['atoms']['now'] - atoms < 20, atoms)
t = table('gone')
machine.command('delete')
check('it is gone', told(table=t['id']) == 'no such table' and told(table='gone') == 'no such table')
finish()
Y
timeout 200 python3 "$scratch/look.py" "$WHITEBEAM" "$scratch/shelves.erl" || failures=$((failures + 1))
finish
