# quick
# The old shell asks a port of descriptors how large the window is; rows that are full in the new one.
cat > window.py <<'END'
import fcntl, os, pty, select, struct, sys, termios, time
def session(command, rows, columns, lines):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ['TERM'] = 'xterm'
        os.execvp(command[0], command)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
    out = b''
    def until(text, seconds=30):
        nonlocal out
        end = time.time() + seconds
        while text not in out and time.time() < end:
            if select.select([fd], [], [], 0.1)[0]:
                try: out += os.read(fd, 4096)
                except OSError: return
        out = out.split(text, 1)[1] if text in out else out
    until(b'1> ')
    said = []
    for n, line in enumerate(lines):
        out = b''
        os.write(fd, line + b'\n')
        until(b'nothing', 1)
        said.append(out)
    os.write(fd, b'halt().\n')
    os.waitpid(pid, 0)
    return said
for rows, columns in ((0, 0), (40, 90), (0, 70)):
    for said in session(['erl', '-oldshell'], rows, columns, [b'io:columns().', b'io:rows().']):
        print(rows, columns, [l for l in said.replace(b'\r', b'').split(b'\n') if l.startswith(b'{')])
for said in session(['erl'], 40, 20, [b'io:format("~s",[lists:duplicate(20,"a")]).',
                                     b'io:format("~s~n~s",[lists:duplicate(20,"a"),lists:duplicate(20,"b")]).']):
    print(said)
END
python3 window.py
