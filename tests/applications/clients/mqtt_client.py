# A client of MQTT 3.1.1: subscribes, publishes a hundred messages that are to be acknowledged, and gets them in order.
import socket, struct


def exchange(host, port, user, password, timeout):
    def text(s): return struct.pack('>H', len(s)) + s
    def packet(kind, body): return bytes([kind, len(body)]) + body
    s = socket.create_connection((host, port), timeout=timeout)
    s.sendall(packet(0x10, text(b'MQTT') + b'\x04\xc2\x00\x3c' + text(b'one') + text(user) + text(password)))
    assert s.recv(4) == b'\x20\x02\x00\x00', 'no CONNACK'
    s.sendall(packet(0x82, b'\x00\x01' + text(b'a/b') + b'\x01'))
    assert s.recv(5) == b'\x90\x03\x00\x01\x01', 'no SUBACK'
    for k in range(100):
        s.sendall(packet(0x32, text(b'a/b') + struct.pack('>H', k + 2) + b'text %02d' % k))
    got, acks, data = [], 0, b''
    while len(got) < 100 or acks < 100:
        data += s.recv(4096)
        while len(data) >= 2 and len(data) >= 2 + data[1]:
            kind, body, data = data[0] >> 4, data[2:2 + data[1]], data[2 + data[1]:]
            if kind == 3:
                got.append(body[7:])
                s.sendall(packet(0x40, body[5:7]))
            else:
                acks += 1
    assert got == [b'text %02d' % k for k in range(100)], got
