"""Load for an XMPP server: users register, log in, and write to each other.

  xmpp_load.py PORT COUNT PID

Prints lines `name value unit`. COUNT messages of 100 bytes go from 20 users to 20 others, a window of 20 for each pair. PID: the
server's, for its processor time and memory. Stanzas are made here: a client library would be what is measured.
"""
import base64, select, socket, sys, time
from measured import memory, processor_time, say

PAIRS, WINDOW, CONNECTIONS = 20, 20, 1000
port, count, pid = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
HEAD = b"<?xml version='1.0'?><stream:stream to='localhost' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>"


class User:
    def __init__(self, name):
        self.name = name
        self.socket = socket.create_connection(('localhost', port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b''
        self.socket.sendall(HEAD)
        self.until(b'</stream:features>')

    def until(self, what):
        while what not in self.bytes:
            more = self.socket.recv(65536)
            assert more, f'the server has closed the connection after {self.bytes[-300:]}'
            self.bytes += more
        before, _, self.bytes = self.bytes.partition(what)
        return before

    def register(self):
        self.socket.sendall(f"<iq type='set' id='r'><query xmlns='jabber:iq:register'><username>{self.name}</username>"
                            f"<password>secret</password></query></iq>".encode())
        self.until(b"id='r'")
        self.socket.close()

    def login(self, resource='r'):
        credentials = base64.b64encode(f'\0{self.name}\0secret'.encode()).decode()
        self.socket.sendall(f"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{credentials}</auth>".encode())
        self.until(b'<success')
        self.bytes = b''
        self.socket.sendall(HEAD)
        self.until(b'</stream:features>')
        self.socket.sendall(f"<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>{resource}</resource></bind></iq>".encode())
        self.until(b'</iq>')
        return self

    def appear(self):
        self.socket.sendall(b'<presence/>')
        self.until(b'<presence')
        return self


def messages(n):
    """n messages from the first users to the others; the time of each from send to receipt."""
    pairs = [tuple(User(f'u{j}').login().appear() for j in (k, k + PAIRS)) for k in range(PAIRS)]
    time.sleep(1)
    for a, b in pairs:
        for u in (a, b):
            u.socket.setblocking(False)
            try:
                while u.socket.recv(65536):
                    pass
            except BlockingIOError:
                pass
            u.bytes = b''
    message = [f"<message to='u{k + PAIRS}@localhost/r' type='chat'><body>{'x' * 100}</body></message>".encode() for k in range(PAIRS)]
    share = n // PAIRS
    sent, got, since, times = [0] * PAIRS, [0] * PAIRS, [[] for _ in range(PAIRS)], []
    by_socket = {b.socket: k for k, (_, b) in enumerate(pairs)}
    while sum(got) < share * PAIRS:
        for k, (a, _) in enumerate(pairs):
            some = min(share - sent[k], WINDOW - (sent[k] - got[k]))
            if some >= WINDOW // 2 or (some and sent[k] + some == share):
                a.socket.setblocking(True)
                since[k] += [time.monotonic()] * some
                a.socket.sendall(message[k] * some)
                sent[k] += some
        ready, _, _ = select.select(list(by_socket), [], [], 30)
        assert ready, f'{sum(got)} of {n} messages have come'
        now = time.monotonic()
        for s in ready:
            k, user = by_socket[s], pairs[by_socket[s]][1]
            user.bytes += s.recv(262144)
            here = user.bytes.count(b'</message>')
            user.bytes = user.bytes[user.bytes.rfind(b'</message>') + 10:] if here else user.bytes
            times += [now - t for t in since[k][got[k]:got[k] + here]]
            got[k] += here
    return sorted(times)


for k in range(2 * PAIRS):
    User(f'u{k}').register()
logins = 300
before, since = processor_time(pid), time.monotonic()
for k in range(logins):
    User(f'u{k % (2 * PAIRS)}').login().appear().socket.close()
say('login', (time.monotonic() - since) * 1000 / logins, 'ms')
say('login_processor', (processor_time(pid) - before) / logins, 'ms')
messages(PAIRS * 100)
time.sleep(1)
before, since = processor_time(pid), time.monotonic()
times = messages(count)
took = time.monotonic() - since - 1
say('message', took * 1e6 / count, 'us')
say('message_processor', (processor_time(pid) - before) * 1000 / count, 'us')
say('message_p99', times[len(times) * 99 // 100] * 1000, 'ms')
say('memory_peak', memory(pid, 'VmHWM'), 'MB')
held = [User(f'u{k % (2 * PAIRS)}').login(f'c{k}') for k in range(CONNECTIONS)]
time.sleep(2)
say(f'memory_{CONNECTIONS}_connections', memory(pid, 'VmRSS'), 'MB')
