"""What goes wrong or is broken off: a file that is gone, no display, a search, Ctrl+C."""

import os
import shutil
import signal
import subprocess
import time

from driver import PATIENCE, Failed, Window, ask_to_close, need, xdotool


def check_removed_file(program, snapshot, folder):
    copy = f"{folder}/copy.hdf5"
    shutil.copy(snapshot, copy)
    window = Window(program, copy, folder)
    window.settle()
    os.remove(copy)
    window.drag(1, 60, 20)
    window.expect("orbit", "a drag after the file was removed")
    # Fields that were not read before cannot be read now: a sentence, and the window stays.
    window.key("grave")
    window.settle()
    xdotool("type", "find_halos")
    window.settle()
    window.key("Return")
    window.expect("find_halos", "a command that is typed")
    window.quit()
    need(copy in window.said(), "nothing is said of the file that is gone: " + window.said())


def check_close_during_search(program, snapshot, folder):
    # Each another one: what was found is kept.
    searches = "".join(f"find_halos {0.4 + k / 1000:.3f} 2\n" for k in range(300))
    window = Window(program, snapshot, folder, searches)
    time.sleep(4)
    before = window.cpu()
    time.sleep(0.5)
    need(window.cpu() > before, "no search runs that could be interrupted")
    ask_to_close(int(window.id))
    print(f"closed during a search: ended after {window.wait_end():.1f} s")


def check_interrupt(program, snapshot, folder):
    window = Window(program, snapshot, folder)
    window.settle()
    window.process.send_signal(signal.SIGINT)
    window.wait_end(130)
    need("nothing was written" not in window.said(), "it says: " + window.said())


def check_without_display(program, snapshot, folder):
    nowhere = {key: value for key, value in os.environ.items()
               if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    ended = subprocess.run([program, "view", snapshot], cwd=folder, env=nowhere, text=True,
                           capture_output=True, timeout=PATIENCE)
    need("built without its window" not in ended.stderr, ended.stderr)
    need(ended.returncode == 2, f"without a display it ends with {ended.returncode}")
    need("--headless" in ended.stderr, "without a display it says: " + ended.stderr)
    ended = subprocess.run([program, "no_such.hdf5"], cwd=folder, env=nowhere, text=True,
                           capture_output=True, timeout=PATIENCE)
    need(ended.returncode == 2 and "there is no such file" in ended.stderr,
         "of a file that is not there it says: " + ended.stderr)
