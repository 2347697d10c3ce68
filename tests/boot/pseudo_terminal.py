#!/usr/bin/env python3
"""Runs a program at a pseudo terminal: pseudo_terminal.py PROGRAM [ARGUMENT...] -- [STEP...]

A step is `?REGEX`, which waits until that is on the terminal behind what the step before has met, `@SECONDS`, or text to
be typed (with Python's escapes). Prints all that came, then how the program ended (`alive`: it had to be killed).
"""
import os
import pty
import re
import select
import signal
import sys
import time

PATIENCE = 20


class Terminal:
    def __init__(self, command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", COLUMNS="80", LINES="40")
            os.execvp(command[0], command)
        self.text, self.met = "", 0

    def read(self, seconds):
        """False: the program has let go of the terminal."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.text += data.decode("utf-8", "replace").replace("\r", "")
        return bool(data)

    def wait_for(self, pattern):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if found := re.compile(pattern, re.M).search(self.text, self.met):
                self.met = found.end()
                return
            if not self.read(0.1):
                break
        if found := re.compile(pattern, re.M).search(self.text, self.met):
            self.met = found.end()
        else:
            self.text += f"\n[no {pattern}]\n"

    def read_for(self, seconds):
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not self.read(left):
                return time.sleep(left)

    def end(self):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            self.read(0.05)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return "alive"


def main():
    at = sys.argv.index("--")
    terminal = Terminal(sys.argv[1:at])
    for step in sys.argv[at + 1:]:
        if step.startswith("?"):
            terminal.wait_for(step[1:])
        elif step.startswith("@"):
            terminal.read_for(float(step[1:]))
        else:
            os.write(terminal.fd, step.encode().decode("unicode_escape").encode())
    status = terminal.end()
    print(terminal.text)
    print(f"[{status}]")


main()
