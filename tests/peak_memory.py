"""Runs a command and writes its peak resident memory, MiB: peak_memory.py SECONDS FILE COMMAND …

Ends as the command does, with 128 and the signal's number where one ended it, as a shell says it,
and with 124, as timeout does, where it had to be ended after SECONDS.
"""

import resource
import subprocess
import sys


def run(seconds, command):
    try:
        ended = subprocess.run(command, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return 124
    return ended.returncode if ended.returncode >= 0 else 128 - ended.returncode


if __name__ == "__main__":
    status = run(float(sys.argv[1]), sys.argv[3:])
    with open(sys.argv[2], "w") as file:
        file.write(f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024}\n")
    sys.exit(status)
