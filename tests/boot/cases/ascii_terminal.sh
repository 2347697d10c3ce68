# quick
# A terminal whose locale knows ASCII only: what is typed is Latin-1, and UTF-8 once the program says so.
cat > typed.py <<'END'
import os, pty, select, signal, time
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM='xterm', COLUMNS='80', LINES='40', LC_ALL='C')
    os.execvp('erl', ['erl'])
out = b''
def until(text):
    global out
    end = time.time() + 20
    while text not in out and time.time() < end:
        if select.select([fd], [], [], 0.1)[0]:
            out += os.read(fd, 4096)
    before, met, out = out.partition(text)
    return before + met if met else b'NOTHING: ' + before
until(b'1> ')
for typed, answer in ((b'X = io:get_line("P>").\r', b'\r\nP>'), (b'\xe5\xe4\xf6\r', b'2> '), (b'io:format("~ts~n", [[1024]]).\r', b'3> '),
                      (b'io:setopts([unicode]).\r', b'4> '), (b'Y = io:get_line("P>").\r', b'\r\nP>'), (b'\xc3\xa5\xd0\x80\r', b'5> '),
                      (b'io:format("~ts~n", [[1024]]).\r', b'6> '), (b'io:setopts([{encoding, latin1}]).\r', b'7> '),
                      (b'Z = io:get_line("P>").\r', b'\r\nP>'), (b'\xe5\xe4\xf6\r', b'8> '), (b'{X, Y, Z} =:= {[229, 228, 246, 10], [229, 1024, 10], X}.\r', b'9> ')):
    os.write(fd, typed)
    print(until(answer))
os.kill(pid, signal.SIGKILL)
END
python3 typed.py
