#!/bin/bash
# The observer shows native libraries, resources by type, drivers, and what dirty threads run.
. "$(dirname "$0")/check.sh"
need python3
need erlc
observed
nifs=$(dirname "$WHITEBEAM")/../nif
[ -f "$nifs/nif_things.so" ] || { echo "skipped: no $nifs/nif_things.so"; exit 77; }
export WB_NIFS=$(realpath "$nifs")
erlc -o "$scratch" tests/erl/nif_things.erl || exit 1
program natives <<'END'
-module(natives).
-export([main/1]).
main(_) ->
    Kept = [nif_things:make(self(), N) || N <- lists:seq(1, 50)],
    ok = erl_ddll:load(os:getenv("WB_NIFS"), "drv_things"),
    Port = open_port({spawn, "drv_things"}, []),
    spawn(fun() -> nif_things:sleep_dirty(60000) end),
    timer:sleep(300),
    io:format("ready~n"),
    receive stop -> {Kept, Port} end.
END
machine natives -pa "$scratch"
checks natives "$socket" <<'EOF2'
import sys
from observing import *
data = Observer(sys.argv[1], timeout=60).ask(do='natives')['data']
def row(kind, name):
    return next((r for r in data['rows'] if r['kind'] == kind and r['name'] == name), None)
library = row('library', 'nif_things')
check('the library', library and library['functions'] > 30 and 0 < library['dirty_functions'] < library['functions']
      and not library['old'] and library['path'].endswith('nif_things.so'), library)
types = [r for r in data['rows'] if r['kind'] == 'resource' and r['name'].startswith('nif_things:')]
check('its resources', any(r['objects'] >= 50 and r['bytes'] > 0 and r['open'] for r in types), types)
driver = row('driver', 'drv_things')
check('the driver', driver and driver['ports'] == 1 and driver['users'] == 1 and driver['state'] == 'loaded', driver)
dirty = data['dirty']
check('the dirty thread', [d['fn'] for d in dirty] == ['nif_things:sleep_dirty/1'] and dirty[0]['thread'] == 'io'
      and dirty[0]['ns'] > 100_000_000, dirty)
check('counters', data['loaded'] >= 1 and data['dirty_calls'] >= 1 and data['total'] >= 3, data)
limited = Observer(sys.argv[1], timeout=60).ask(do='natives', limit=1)['data']
check('a limit', sum(r['kind'] == 'resource' for r in limited['rows']) == 1, limited['rows'])
finish()
EOF2
finish
