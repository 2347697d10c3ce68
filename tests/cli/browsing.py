"""The observer's page over HTTP and WebSocket, without a browser: sys.argv[1] is its address. For test_web*.sh, which find
it by `observed` of check.sh."""
import json, os, socket, struct, sys, urllib.parse

url = urllib.parse.urlparse(sys.argv[1])
port, token = url.port, urllib.parse.parse_qs(url.query)['token'][0]
here = f'127.0.0.1:{port}'

def check(what, ok):
    if not ok: print('FAILED:', what); sys.exit(1)
def send(raw):
    s = socket.create_connection(('127.0.0.1', port), 20)
    s.sendall(raw)
    return s
def http(path, host=here, method='GET', **headers):
    lines = [f'{method} {path} HTTP/1.1'] + ([f'Host: {host}'] if host else [])
    lines += [f'{k.replace("_", "-")}: {v}' for k, v in headers.items()]
    return ('\r\n'.join(lines) + '\r\n\r\n').encode()
def whole(raw):
    s = send(raw)
    answer = b''
    try:
        while part := s.recv(65536): answer += part
    except ConnectionError: pass
    return answer
def status(*a, **k):
    answer = whole(http(*a, **k))
    return int(answer.split()[1]) if answer else 0
upgrade = dict(Connection='Upgrade', Upgrade='websocket', Sec_WebSocket_Version='13', Sec_WebSocket_Key='AAAAAAAAAAAAAAAAAAAAAA==')

class Socket:
    def __init__(self, query='', **headers):
        self.s = send(http(f'/ws?token={token}{query}', **{**upgrade, **headers}))
        head = b''
        while not head.endswith(b'\r\n\r\n'):
            part = self.s.recv(1)
            if not part: break
            head += part
        self.status = int(head.split()[1])
    def frame(self, body, opcode=1, final=True):
        n = len(body)
        size = bytes([0x80 | n]) if n < 126 else b'\xfe' + struct.pack('>H', n) if n < 65536 else b'\xff' + struct.pack('>Q', n)
        mask = os.urandom(4)
        self.s.sendall(bytes([opcode | (0x80 if final else 0)]) + size + mask + bytes(b ^ mask[k % 4] for k, b in enumerate(body)))
    def get(self, n):
        b = b''
        while len(b) < n:
            part = self.s.recv(n - len(b))
            if not part: raise EOFError
            b += part
        return b
    def answer(self):
        while True:
            opcode, n = self.get(2)
            if n == 126: n = struct.unpack('>H', self.get(2))[0]
            elif n == 127: n = struct.unpack('>Q', self.get(8))[0]
            body = self.get(n)
            if opcode & 15 == 1: return json.loads(body)
            if opcode & 15 == 8: raise EOFError
    def raw(self, text):
        self.frame(text if isinstance(text, bytes) else text.encode())
        return self.answer()
    def ask(self, **request): return self.raw(json.dumps(request))
