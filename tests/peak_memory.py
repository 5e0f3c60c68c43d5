"""Runs a command and writes its resident memory: peak_memory.py SECONDS FILE COMMAND …

One line, MiB: the peak, then the median in each quarter of its time, which rises from quarter to
quarter where memory leaks. Ends as the command does, with 128 and the signal's number where one
ended it, as a shell says it, and with 124, as timeout does, where it had to be ended after SECONDS.
"""

import resource
import statistics
import subprocess
import sys
import time

INTERVAL = 0.1  # s


def resident(process):
    """MiB; None once it has ended."""
    try:
        with open(f"/proc/{process.pid}/statm") as file:
            pages = int(file.read().split()[1])
    except OSError:
        return None
    return pages * resource.getpagesize() / 2**20


def run(seconds, command):
    """The exit status, and what was resident every INTERVAL."""
    process = subprocess.Popen(command)
    end = time.monotonic() + seconds
    samples = []
    while process.poll() is None:
        if time.monotonic() > end:
            process.kill()
            process.wait()
            return 124, samples
        samples.append(resident(process))
        time.sleep(INTERVAL)
    status = process.returncode
    return (status if status >= 0 else 128 - status), samples


def quarters(samples):
    samples = [s for s in samples if s]
    bounds = [len(samples) * k // 4 for k in range(5)]
    return [round(statistics.median(samples[a:b])) for a, b in zip(bounds, bounds[1:]) if b > a]


if __name__ == "__main__":
    status, samples = run(float(sys.argv[1]), sys.argv[3:])
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    with open(sys.argv[2], "w") as file:
        print(peak, *quarters(samples), file=file)
    sys.exit(status)
