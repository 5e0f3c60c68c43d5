"""The series' bar and the folder's list in the top bar."""

import shutil
import time

from driver import IDLE, IDLE_COST, PRESS, TOAST, Window, need, xdotool


def check_series_and_folder(program, snapshot, folder):
    """The series' bar, dragged and rolled, and a snapshot opened from the list of its folder."""
    for name in ("snap_1.hdf5", "snap_2.hdf5", "snap_3.hdf5"):
        shutil.copy(snapshot, f"{folder}/{name}")
    window = Window(program, f"{folder}/snap_1.hdf5", folder,
                    "open snap_1.hdf5 snap_2.hdf5 snap_3.hdf5\n")
    window.settle()
    window.move(345, 14)
    time.sleep(PRESS)
    xdotool("mousedown", 1)
    for x in range(345, 800, 10):
        window.move(x, 14)
        time.sleep(0.05)
    xdotool("mouseup", 1)
    window.expect("show_snapshot 2", "a drag along the series' bar")
    window.move(500, 14)
    time.sleep(PRESS)
    xdotool("click", 5)
    window.expect("show_snapshot 1", "the wheel over the series' bar")
    window.key("ctrl+z")
    window.expect("undo", "Ctrl+Z")
    window.key("ctrl+Left")
    window.expect("show_snapshot 0", "Ctrl+Left")
    window.click(40, 14)
    window.expect("panel file", "the snapshot's name")
    # ../, commands.txt, ready.toml, record.txt, the series, its files, stderr.txt: one of the files,
    # whichever, for letters are not of one height everywhere.
    window.click(40, 70 + 18 * 6)
    window.expect(f"open {folder}/snap_", "a row of the folder's list")
    time.sleep(TOAST)
    before = window.cpu()
    time.sleep(IDLE)
    cost = window.cpu() - before
    need(cost < IDLE_COST, f"beside an open list it takes {cost:.2f} s of CPU time in {IDLE} s")
    window.quit()
    need("warning" not in window.said(), "it warns: " + window.said())
