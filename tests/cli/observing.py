"""The observer's protocol (docs/observer-protocol.md) and the checks that tests of it share.

The scripts in test_observe*.sh find it by `observed` of check.sh, benchmarks beside their own path."""
import json, os, socket, struct, subprocess, sys, time


def frame(body): return struct.pack('>I', len(body)) + body


class Observer:
    """A connection to the machine that listens at `path`, or comes to in `patience` seconds."""

    def __init__(self, path, patience=0, timeout=60):
        end = time.monotonic() + patience
        while True:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(timeout)
            try: return self.socket.connect(path)
            except OSError:
                self.socket.close()
                if time.monotonic() >= end: raise
                time.sleep(0.1)

    def send(self, raw): self.socket.sendall(raw)
    def close(self): self.socket.close()

    def answer(self): return json.loads(self.get(struct.unpack('>I', self.get(4))[0]))
    def get(self, n):
        b = b''
        while len(b) < n:
            part = self.socket.recv(n - len(b))
            if not part: raise ConnectionError('the machine has hung up')
            b += part
        return b

    def ask(self, **request):
        """The whole answer: ok, data or error."""
        self.send(frame(json.dumps(request).encode()))
        return self.answer()
    def data(self, **request):
        answer = self.ask(**request)
        assert answer['ok'], (request, answer)
        return answer['data']
    def told(self, **request):
        """The data, or the text that says why there is none."""
        answer = self.ask(**request)
        return answer['data'] if answer['ok'] else answer['error']


class Machine:
    """A program that says `ready` when it is, and `done` or anything else on a line for each line it reads."""

    def __init__(self, vm, program, *options, arguments=()):
        self.process = subprocess.Popen([vm, 'run', *options, program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.path = f"{os.environ['XDG_RUNTIME_DIR']}/whitebeam/{self.process.pid}.sock"
        assert self.process.stdout.readline() == b'ready\n'

    def observer(self): return Observer(self.path, patience=30)
    def command(self, text):
        self.process.stdin.write(text.encode() + b'\n')
        self.process.stdin.flush()
        return self.process.stdout.readline().decode().strip()


failures = 0


def check(what, ok, seen=None):
    global failures
    if ok: return
    failures += 1
    print('FAILED:', what, '' if seen is None else str(seen)[:2000], flush=True)


def until(what, f, seconds=60):
    """Checks that f() comes to hold."""
    for _ in range(int(seconds * 10)):
        if f(): return
        time.sleep(0.1)
    check(what, False)


def finish(): sys.exit(1 if failures else 0)
