#!/bin/bash
# The observer's page: who may have it, who may not, what hostile pages can ask, machines that go and come.
. "$(dirname "$0")/check.sh"
need python3
observed

program shop <<'EOP'
-module(shop).
-export([main/0]).
main() ->
    [register(Name, spawn(fun() -> receive stop -> ok end end)) || Name <- [victim, other]],
    io:format("ready~n"),
    receive stop -> ok end.
EOP
expect 2 'no machine runs' "$WHITEBEAM" observe --web
(umask 077; echo 0123456789abcdef0123456789abcdef >"$scratch/token"; echo short >"$scratch/short"; echo 'sixteen letters or more!' >"$scratch/signs")
(umask 022; cp "$scratch/token" "$scratch/everybodys" && chmod 644 "$scratch/everybodys")
machine shop
expect 2 'No such file' "$WHITEBEAM" observe --web --token-file "$scratch/none"
expect 2 'nobody else can read' "$WHITEBEAM" observe --web --token-file "$scratch/everybodys"
expect 2 'nobody else can read' "$WHITEBEAM" observe --web --token-file "$scratch"
for t in short signs; do expect 2 'a token is 16 to 63' "$WHITEBEAM" observe --web --token-file "$scratch/$t"; done
page --token-file "$scratch/token"
case $url in *token=0123456789abcdef0123456789abcdef) ;; *) echo "FAILED: not the file's token"; failures=$((failures + 1)) ;; esac
kill $server
wait $server 2>/dev/null
page
cat >"$scratch/access.py" <<'EOP'
import random
from browsing import *
good = f'/?token={token}'
wrong = '/?token=' + ('0' if token[0] != '0' else '1') + token[1:]
check('the page', status(good) == 200)
check('by another name of ours', status(good, host=f'localhost:{port}') == 200)
check('its own origin', status(good, Origin=f'http://{here}') == 200)
for path in ['/', '/?token=', wrong, '/?token=' + token[:-1], good + '0', '/ws', '/favicon.ico', '/#token=' + token]:
    check('no token: ' + path, status(path) == 401)
check('no token for a WebSocket', status('/ws', **upgrade) == 401)
for host in ['evil.example', f'evil.example:{port}', '127.0.0.1', '127.0.0.1:1', f'127.0.0.1.evil.example:{port}', f'[::1]:{port}', '', f'@{here}', f'localhost:{port}.evil']:
    check('a foreign host: ' + host, status(good, host=host) in (400, 403))
for origin in ['http://evil.example', 'null', f'https://{here}', 'http://127.0.0.1:1', f'http://{here}.evil.example', f'http://evil@{here}', 'file://', here]:
    check('a foreign origin: ' + origin, status(good, Origin=origin) == 403)
    check('and by WebSocket: ' + origin, Socket(Origin=origin).status == 403)
check('only GET', status(good, method='POST') == 405 and status(good, method='DELETE') == 405)
for path in ['/etc/passwd', '/../../etc/passwd', '/%2e%2e/etc/passwd', '/index.html', '/ws/']:
    check('nothing else: ' + path, status(path + f'?token={token}') in (400, 404))
for machine in ['/etc/passwd', '..', '-1', '1x', '%2fetc%2fpasswd', '1234567890', '0x10', '%31%2f']:
    check('no machine: ' + machine, status(good + '&machine=' + machine) == 404 and status(f'/metrics?token={token}&machine={machine}') == 404 and Socket(query='&machine=' + machine).status == 404)
check('a machine that is none', 'no machine of yours' in Socket(query='&machine=1').ask(do='hello')['error'] and status(f'/metrics?token={token}&machine=1') == 503)
check('one of ours', Socket(query='&machine=' + sys.argv[2]).ask(do='hello')['data']['pid'] == int(sys.argv[2]) and status(f'/metrics?token={token}&machine={sys.argv[2]}') == 200)
check('the list of those that run', [m['pid'] for m in Socket().ask(do='machines')['data']['machines']] == [int(sys.argv[2])])
page = whole(http(good)).decode()
check('its policy', "default-src 'none'; script-src 'sha256-" in page and 'Cache-Control: no-store' in page)
listening = [l.split()[1] for l in open('/proc/net/tcp') if l.split()[3] == '0A']
check('loopback only', f'0100007F:{port:04X}' in listening and f'00000000:{port:04X}' not in listening)

# counters for Prometheus
for headers in [{}, dict(Authorization='Bearer '), dict(Authorization='Bearer ' + '0' * 32), dict(Authorization='Basic ' + token)]:
    check('no counters without the token', status('/metrics', **headers) == 401)
metrics = whole(http('/metrics', Authorization='Bearer ' + token)).decode()
check('counters', 'application/openmetrics-text' in metrics and metrics.endswith('# EOF\n'))
check('by the address, too', status(f'/metrics?token={token}') == 200)
for wanted in ['whitebeam_abnormal_exits_total ', 'whitebeam_memory_bytes{kind="total"} ', 'whitebeam_run_queue_wait_seconds_bucket{le="+Inf"} ',
               'whitebeam_collection_seconds_count ', 'whitebeam_top_process_memory_bytes{pid="<0.', 'name="victim"} ', 'whitebeam_warnings{kind="call_cycle"} 0']:
    check('there is ' + wanted, wanted in metrics)
families = [l.split()[2] for l in metrics.splitlines() if l.startswith('# TYPE')]
check('each family once', len(families) == len(set(families)))
import re
dashboard = open(sys.argv[3]).read()
json.loads(dashboard)
for name in set(re.findall(r'whitebeam_\w+', dashboard)):
    check('the dashboard asks for what there is: ' + name, re.search(rf'^{name}[ {{]', metrics, re.M))

# what is no HTTP
for raw in [b'\0' * 100, b'GET', b'GET / HTTP/9.9\r\n\r\n', b'GET ' + b'a' * 100000 + b' HTTP/1.1\r\n\r\n', b'\x16\x03\x01\x02\0\x01',
            b'GET / HTTP/1.1\r\n' + b'X: y\r\n' * 5000 + b'\r\n', http(good, Content_Length='-1'), http(good)[:-2] + b'Host: evil.example\r\n\r\n']:
    s = send(raw)
    try: s.shutdown(socket.SHUT_WR)
    except OSError: pass  # it has hung up already
    try: s.recv(100000)
    except OSError: pass
    s.close()

# a page that may only look
s = Socket()
check('a WebSocket', s.status == 101)
hello = s.ask(id=1, do='hello')
check('hello', hello['ok'] and hello['id'] == 1 and hello['data']['pid'] == int(sys.argv[2]) and not hello['data']['actions'])
check('large numbers arrive as they are', s.ask(id=2**40 + 1, do='jit')['id'] == 2**40 + 1)
for text in ['{"do":"hello","actions":true}', '{"do":"hello","actions":1}', '{"do":"hello","actions":"true"}',
             '{"do":"home","do":"hello","actions":true}', '{"actions":false,"do":"hello","actions":true}',
             '{"do":"act","pid":"victim","what":"kill"}', '{"do":"home","do":"act","pid":"victim","what":"kill"}',
             '{"d\\u006f":"act","pid":"victim","what":"kill"}', '{"do":"a\\u0063t","pid":"victim","what":"kill"}']:
    s.raw(text)
check('it does not act', not s.ask(do='act', pid='victim', what='kill')['ok'])
check('nor has anything', s.ask(do='process', pid='victim')['ok'])
for text in ['', 'x', '[]', '{}', '1', '{"do":1}', '{"do":"nothing"}', '{"do":{"do":"act"}}', '[' * 50000, '{"do":"home","x":' + '9' * 400 + '}', b'\xff\xfe', b'{"do":"home"}\0', '{"do":"' + 'x' * 60000 + '"}']:
    check('a refusal: ' + str(text)[:40], not s.raw(text)['ok'])
check('too long', not s.raw('{"do":"home","x":"' + 'y' * 70000 + '"}')['ok'])
rng = random.Random(3)
for _ in range(300):
    body = bytearray(b'{"id":7,"do":"processes","by":"msgq","filter":"msgq>1","limit":3}')
    for _ in range(rng.randrange(1, 8)): body[rng.randrange(len(body))] = rng.randrange(256)
    check('an answer', 'ok' in s.raw(bytes(body)))
s.frame(b'', opcode=9)
check('a ping does no harm', s.ask(do='home')['ok'])
for opcode, final in [(2, True), (1, False), (0, True), (3, True), (11, True)]:
    t = Socket()
    t.frame(b'{"do":"home"}', opcode, final)
    t.s.settimeout(5)
    try: t.answer()
    except (EOFError, OSError): pass
    t.s.close()
for k in range(30):  # half a frame, then gone
    t = Socket(); t.s.sendall(b'\x81\xfe\xff' [:k % 4]); t.s.close()
check('still there', status(good) == 200 and s.ask(do='home')['ok'])
many = [Socket() for _ in range(8)]
check('several pages', all(m.ask(do='home')['ok'] for m in many))
EOP
timeout 100 python3 "$scratch/access.py" "$url" "$vm" tools/observer/grafana.json || failures=$((failures + 1))

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ -x /usr/bin/python3 ]; then  # another user, who sees the port but not the token
  expect 0 '^401$' setpriv --reuid 65534 --clear-groups /usr/bin/python3 -c '
import sys, urllib.request, urllib.error
try: urllib.request.urlopen(sys.argv[1])
except urllib.error.HTTPError as e: print(e.code)' "${url%%\?*}"
fi
port=${url#http://127.0.0.1:}; port=${port%%/*}
expect 2 "port $port" "$WHITEBEAM" observe --web --port "$port"

# The machine goes; another comes; the page stays.
cat >"$scratch/goes.py" <<'EOP'
import time
from browsing import *
s = Socket()
check('it is there', s.ask(do='hello')['ok'])
os.kill(int(sys.argv[2]), 15)
for _ in range(200):
    answer = s.ask(id=5, do='home')
    if not answer['ok']: break
    time.sleep(0.05)
check('it is gone', answer['gone'] and answer['id'] == 5)
check('and still', s.ask(do='home')['gone'])
open(sys.argv[3], 'w').close()
for _ in range(600):
    answer = s.ask(do='hello')
    if answer['ok']: break
    time.sleep(0.1)
check('another has come', answer['ok'] and answer['data']['pid'] != int(sys.argv[2]))
EOP
timeout 100 python3 "$scratch/goes.py" "$url" "$vm" "$scratch/gone" &
checking=$!
for _ in $(seq 600); do [ -e "$scratch/gone" ] && break; sleep 0.1; done
machine shop
wait $checking || failures=$((failures + 1))

kill -TERM $server
wait $server || { echo "FAILED: ended by SIGTERM with $?"; failures=$((failures + 1)); }

# A page that may act.
page --allow-actions --interval 0.5 --filter 'msgq>1 & fn~x'
[[ $url == *'&interval=0.5&filter=msgq%3e1%20%26%20fn~x' ]] || { echo "FAILED: address $url"; failures=$((failures + 1)); }
cat >"$scratch/acts.py" <<'EOP'
import time
from browsing import *
s = Socket()
check('it may act', s.ask(do='hello')['data']['actions'])
check('no second field gets by', s.raw('{"do":"hello","actions":false}')['data']['actions'])
check('kill', s.ask(do='act', pid='victim', what='kill')['ok'])
for _ in range(100):
    if not s.ask(do='process', pid='victim')['ok']: break
    time.sleep(0.1)
check('is dead', not s.ask(do='process', pid='victim')['ok'])
check('suspend', s.ask(do='act', pid='other', what='suspend')['ok'])
s.s.close()
s = Socket()
for _ in range(100):
    if s.ask(do='process', pid='other')['data']['waits_for'] == 'message': break
    time.sleep(0.1)
check('goes on when the page is closed', s.ask(do='process', pid='other')['data']['waits_for'] == 'message')
EOP
timeout 100 python3 "$scratch/acts.py" "$url" || failures=$((failures + 1))

# A program with its page.
program brief <<'EOP'
-module(brief).
-export([main/1]).
main([File | Args]) -> wait_for(File), io:format("~p~n", [Args]), halt(3).
wait_for(File) -> filelib:is_regular(File) orelse begin timer:sleep(100), wait_for(File) end.
EOP
"$WHITEBEAM" run --observe-web "$scratch/brief.erl" main "$scratch/leave" a b >"$scratch/brief.out" 2>"$scratch/brief.err" &
brief=$!
for _ in $(seq 300); do url=$(grep -o 'http://.*' "$scratch/brief.err") && break; sleep 0.1; done
cat >"$scratch/own.py" <<'EOP'
from browsing import *
check('its own page', Socket().ask(do='hello')['data']['pid'] == int(sys.argv[2]))
check('which is of no other', status(f'/?token={token}&machine=1') == 404 and 'of one machine' in Socket().ask(do='machines')['error'])
EOP
timeout 100 python3 "$scratch/own.py" "$url" $brief || failures=$((failures + 1))
touch "$scratch/leave"
wait $brief
[ $? = 3 ] && grep -qF '["a","b"]' "$scratch/brief.out" || { echo "FAILED: run --observe-web"; failures=$((failures + 1)); }
expect 1 'refused' python3 -c '
import socket, sys, time
for _ in range(100): socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close(); time.sleep(0.1)' \
  "$(sed 's|.*1:\([0-9]*\)/.*|\1|' <<<"$url")"
expect 2 'nothing can be observed' "$WHITEBEAM" run --observe --no-observe "$scratch/brief.erl"
finish
