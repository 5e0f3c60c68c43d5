#!/usr/bin/env python3
"""Checks that tests which cannot run are told as skipped, and that none of them hides a fault.

Usage: check_skips.py HALOSCOPE_TESTS MARK     exit status 1 and one line per offence, or 0
"""
import re
import subprocess
import sys

CASES = [
    # Name, whether it fails, whether ctest shall see the mark.
    ("a test that is always skipped", False, True),
    ("a test that is skipped in part and fails", True, False),
    ("a test that lacks what is required fails", True, False),
    ("a word that nobody knows in what is required fails", True, False),
    ("what is not required is not asked for", False, False),
]


def main():
    program, mark = sys.argv[1:]
    wrong = 0
    for name, fails, marked in CASES:
        run = subprocess.run([program, name], capture_output=True, text=True, check=False)
        seen = (run.returncode != 0, re.search(mark, run.stdout) is not None)
        if seen != (fails, marked):
            wrong += 1
            print(f"{name}: failed and marked are {seen}, not {(fails, marked)}")
    return min(wrong, 1)


sys.exit(main())
