"""What the loads say of a server: its processor time and memory, by /proc; and how they say it."""
import os, re


def processor_time(pid):
    """Of all its threads, in milliseconds."""
    fields = open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf('SC_CLK_TCK')


def memory(pid, what):
    """VmRSS or VmHWM, in megabytes."""
    return int(re.search(what + r':\s+(\d+)', open(f'/proc/{pid}/status').read()).group(1)) / 1024


def say(name, value, unit):
    print(f'{name} {value:.2f} {unit}', flush=True)
