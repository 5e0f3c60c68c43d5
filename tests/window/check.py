"""Drives the real window with a mouse and keys on a display of its own (Xvfb, xdotool).

Run by hand: python3 tests/window/check.py path/to/haloscope path/to/sample.hdf5 [NAME...]
NAME is a group (a test of ctest, window_NAME) or a single check; without one all run.
What is dragged, rolled, pressed and clicked must stand in the recording, the window must survive any
size, cost nothing while nothing happens, and end when it is told to. Ends with 77 (skipped, for
ctest) where Xvfb or xdotool are missing, or the program has no window. Runs of several groups at once
share nothing: each has its display, its settings and its cache.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

from driver import LOOSE_ENDS, Failed, end, start_display
from driving_checks import check_driven_window, check_window_goes_on
from end_checks import (check_close_during_search, check_interrupt, check_removed_file,
                        check_without_display)
from find_checks import check_find_reads_no_positions
from frame_checks import check_fast_mouse, check_frame, check_size_at_scale
from key_checks import (check_command_line, check_fast_typing, check_keys_behind_a_path,
                        check_panel_keys, check_settings, check_typing_ahead)
from mouse_checks import check_click_on_halo, check_idle, check_mouse_and_keys
from series_checks import check_series_and_folder
from set_checks import check_sets
from undo_checks import check_undo

# tests/CMakeLists.txt makes a test of each.
GROUPS = {
    "mouse": [check_mouse_and_keys, check_click_on_halo],
    "idle": [check_idle],
    "undo": [check_undo],
    "typing": [check_fast_typing, check_typing_ahead, check_keys_behind_a_path],
    "commands": [check_command_line, check_settings],
    "keys": [check_panel_keys],
    "find": [check_find_reads_no_positions],
    "frame": [check_frame, check_fast_mouse, check_size_at_scale],
    "series": [check_series_and_folder],
    "sets": [check_sets],
    "driving": [check_driven_window, check_window_goes_on],
    "end": [check_without_display, check_removed_file, check_close_during_search, check_interrupt],
}
# ctest counts 77 as skipped; 1 where HALOSCOPE_REQUIRE asks for the window.
SKIPPED = 1 if "window" in os.environ.get("HALOSCOPE_REQUIRE", "").split(",") else 77


def chosen(names):
    by_name = {check.__name__: [check] for checks in GROUPS.values() for check in checks}
    by_name.update(GROUPS)
    for name in names:
        if name not in by_name:
            sys.exit(f"there is no check '{name}'; there are {', '.join(by_name)}")
    return [check for name in names or GROUPS for check in by_name[name]]


def run(check, program, snapshot, folder):
    """The sentence that tells what failed, or nothing."""
    os.mkdir(folder)
    begin = time.time()
    fault = ""
    try:
        check(program, snapshot, folder)
    except (Failed, subprocess.TimeoutExpired) as failed:
        fault = str(failed)
    print(f"{check.__name__}: {fault or 'good'} ({time.time() - begin:.0f} s)", flush=True)
    while len(LOOSE_ENDS) > 1:  # the display stays
        end(LOOSE_ENDS.pop())
    return fault


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, snapshot = map(os.path.abspath, sys.argv[1:3])
    checks = chosen(sys.argv[3:])
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return SKIPPED
    failed = 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CONFIG_HOME"] = folder + "/config"
            os.environ["XDG_CACHE_HOME"] = folder + "/cache"
            os.environ["DISPLAY"] = start_display()
            for check in checks:
                fault = run(check, program, snapshot, f"{folder}/{check.__name__}")
                if "built without its window" in fault:
                    print("skipped: the program was built without its window")
                    return SKIPPED
                failed += bool(fault)
    finally:
        while LOOSE_ENDS:
            end(LOOSE_ENDS.pop())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
