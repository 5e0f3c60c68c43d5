"""Drives the real program from here, as another program would (view --listen).

Run by hand: python3 tests/driving/check.py path/to/haloscope path/to/sample.hdf5 [NAME...]
NAME is a group (a test of ctest, driving_NAME) or a single check; without one all run.
Ends with 77 (skipped, for ctest) where the program has no window, of which the sessions are a part.
"""

import os
import subprocess
import sys
import tempfile
import time
import traceback

import garbage_checks
import socket_checks
import talk_checks
import task_checks
from client import Failed


def checks_of(module):
    return [value for name, value in vars(module).items()
            if name.startswith("check_") and value.__module__ == module.__name__]


# tests/CMakeLists.txt makes a test of each.
GROUPS = {"talk": checks_of(talk_checks), "sockets": checks_of(socket_checks),
          "garbage": checks_of(garbage_checks), "tasks": checks_of(task_checks)}


def chosen(names):
    by_name = {check.__name__: [check] for checks in GROUPS.values() for check in checks}
    by_name.update(GROUPS)
    for name in names:
        if name not in by_name:
            sys.exit(f"there is no check '{name}'; there are {', '.join(by_name)}")
    return [check for name in names or GROUPS for check in by_name[name]]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, snapshot = map(os.path.abspath, sys.argv[1:3])
    if "--listen" not in subprocess.run([program, "view", "--help"], capture_output=True,
                                        text=True, check=True).stdout:
        print("skipped: the program has no window")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as root:
        for check in chosen(sys.argv[3:]):
            folder = os.path.join(root, check.__name__)
            os.mkdir(folder)
            begin, fault = time.time(), ""
            try:
                check(program, snapshot, folder)
            except Failed as found:
                fault = str(found)
            except Exception:  # an answer without what is looked for; the other checks run too
                fault = traceback.format_exc()
            print(f"{check.__name__}: {fault or 'good'} ({time.time() - begin:.0f} s)", flush=True)
            failed += bool(fault)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
