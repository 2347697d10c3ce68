"""Load for a broker of AMQP 0-9-1: publishes messages with confirms and takes them again.

  amqp_load.py PORT KIND COUNT PID [CERTIFICATE]   KIND: classic, quorum or stream; CERTIFICATE: over TLS
  amqp_load.py PORT connections COUNT PID

Prints lines `name value unit`: PID's processor time for 100,000 messages of 100 bytes that go in and out (a stream: in), the
99th percentile of the time from a message to its confirm, one at a time and with 500 under way, and memory. The frames are made
here: a client library would be what is measured.
"""
import socket, ssl, struct, sys, time
from measured import memory, processor_time, say

WINDOW = 500
BODY = b'x' * 100
port, kind, count, pid = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]


def short(s):
    return bytes([len(s)]) + s.encode()


def table(**entries):
    body = b''.join(short(k.replace('_', '-')) + b'S' + struct.pack('>I', len(v)) + v.encode() for k, v in entries.items())
    return struct.pack('>I', len(body)) + body


def frame(kind, channel, payload):
    return struct.pack('>BHI', kind, channel, len(payload)) + payload + b'\xce'


class Connection:
    def __init__(self, certificate=None):
        self.socket = socket.create_connection(('localhost', port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if certificate:
            self.socket = ssl.create_default_context(cafile=certificate).wrap_socket(self.socket, server_hostname='localhost')
        self.bytes = bytearray()
        self.at = 0
        self.socket.sendall(b'AMQP\0\0\x09\x01')
        self.expect(10, 10)
        self.method(0, 10, 11, table() + short('PLAIN') + struct.pack('>I', 12) + b'\0guest\0guest' + short('en_US'))
        self.expect(10, 30)
        self.method(0, 10, 31, struct.pack('>HIH', 2047, 131072, 0))
        self.method(0, 10, 40, short('/') + b'\0\0')
        self.expect(10, 41)
        self.method(1, 20, 10, b'\0')
        self.expect(20, 11)

    def method(self, channel, family, number, arguments=b''):
        self.socket.sendall(frame(1, channel, struct.pack('>HH', family, number) + arguments))

    def call(self, family, number, arguments=b''):
        self.method(1, family, number, arguments)
        return self.expect(family, number + 1)

    def next(self):
        """The next frame: its kind and payload."""
        while True:
            if len(self.bytes) - self.at >= 7:
                kind, _, size = struct.unpack_from('>BHI', self.bytes, self.at)
                if len(self.bytes) - self.at >= size + 8:
                    payload = bytes(self.bytes[self.at + 7:self.at + 7 + size])
                    self.at += size + 8
                    return kind, payload
            del self.bytes[:self.at]
            self.at = 0
            more = self.socket.recv(262144)
            assert more, 'the broker has closed the connection'
            self.bytes += more

    def expect(self, family, number):
        while True:
            kind, payload = self.next()
            if kind == 1 and struct.unpack_from('>HH', payload) == (family, number):
                return payload
            assert kind != 1 or payload[:4] not in (b'\0\x0a\0\x32', b'\0\x14\0\x28'), payload


def publication(queue):
    properties = struct.pack('>HHQHB', 60, 0, len(BODY), 0x1000, 2)  # to be kept
    return (frame(1, 1, struct.pack('>HH', 60, 40) + b'\0\0' + short('') + short(queue) + b'\0') + frame(2, 1, properties) +
            frame(3, 1, BODY))


def publish(c, queue, n, window):
    """Sends n messages, at most `window` of them unconfirmed; the times of their confirms, in order."""
    message, sent, confirmed, since, times = publication(queue), 0, 0, {}, []
    while confirmed < n:
        some = min(n - sent, window - (sent - confirmed))
        if some > 0 and (some >= window // 2 or sent + some == n):
            now = time.monotonic()
            for k in range(sent + 1, sent + some + 1):
                since[c.tag + k] = now
            c.socket.sendall(message * some)
            sent += some
        payload = c.expect(60, 80)
        tag, several = struct.unpack_from('>QB', payload, 4)
        now = time.monotonic()
        for k in range(c.tag + confirmed + 1, tag + 1) if several else [tag]:
            start = since.pop(k, None)
            if start is not None:
                times.append(now - start)
        confirmed = len(times)
    c.tag += n
    return sorted(times)


def consume(c, queue, n):
    c.call(60, 10, struct.pack('>IHB', 0, WINDOW, 0))
    c.call(60, 20, b'\0\0' + short(queue) + short('us') + b'\0' + table())
    got = 0
    while got < n:
        kind, payload = c.next()
        if kind == 1 and payload[:4] == b'\0\x3c\0\x3c':
            got += 1
            if got % 100 == 0 or got == n:
                name = payload[4]
                tag, = struct.unpack_from('>Q', payload, 5 + name)
                c.method(1, 60, 80, struct.pack('>QB', tag, 1))
    c.call(60, 30, short('us') + b'\0')


def load(certificate):
    name = kind + ('_tls' if certificate else '')
    c = Connection(certificate)
    queue = f'load_{name}'
    c.call(50, 10, b'\0\0' + short(queue) + b'\x02' + table(x_queue_type=kind))
    c.call(85, 10, b'\0')
    c.tag = 0
    publish(c, queue, 2000, WINDOW)  # to warm up
    before = processor_time(pid)
    crowded = publish(c, queue, count, WINDOW)
    if kind != 'stream':
        consume(c, queue, count + 2000)
    say(name, (processor_time(pid) - before) * 100000 / count, 'ms')
    alone = publish(c, queue, 1000, 1)
    say(name + '_confirm_p99', alone[len(alone) * 99 // 100] * 1000, 'ms')
    say(name + '_confirm_of_500_p99', crowded[len(crowded) * 99 // 100] * 1000, 'ms')
    c.call(50, 40, b'\0\0' + short(queue) + b'\0')


if kind == 'connections':
    say('memory_peak', memory(pid, 'VmHWM'), 'MB')
    open(f'/proc/{pid}/clear_refs', 'w').write('5')
    held = [Connection() for _ in range(count)]
    time.sleep(2)
    say(f'memory_{count}_connections', memory(pid, 'VmRSS'), 'MB')
else:
    load(sys.argv[5] if len(sys.argv) > 5 else None)
