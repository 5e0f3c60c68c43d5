"""Searches in a snapshot that is open."""

import os
import random
import struct
import time

from driver import PICTURE, Window, need, xdotool

BOX = 10.0
CENTERS = ((2, 2, 2), (5, 7, 3), (8, 4, 8))
POSITIONS = 4 + 256 + 4 + 4  # where they begin in a file of GADGET's first format


def write_clusters(path):
    """Three clusters of 50 particles of one mass in a box of background."""
    random.seed(5)
    points = [random.gauss(x, 0.05) for center in CENTERS for _ in range(50) for x in center]
    points += [random.uniform(0, BOX) for _ in range(3 * 300)]
    count = len(points) // 3
    header = struct.pack("<6i6d2d2i6i2i4d", 0, count, 0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0.0, 0,
                         0, 0, count, 0, 0, 0, 0, 0, 1, BOX, 0.3, 0.7, 0.7).ljust(256, b"\0")
    blocks = [header, struct.pack(f"<{len(points)}f", *points), bytes(12 * count),
              struct.pack(f"<{count}I", *range(count))]
    with open(path, "wb") as file:
        for block in blocks:
            size = struct.pack("<I", len(block))
            file.write(size + block + size)
    return 12 * count


def check_find_reads_no_positions(program, snapshot, folder):
    """Halos are searched for among the particles that are drawn: their positions are not read again,
    though nothing tells the program that there are others in the file now."""
    path = f"{folder}/clusters"
    size = write_clusters(path)
    window = Window(program, path, folder)
    window.settle()
    times = os.stat(path)
    with open(path, "r+b") as file:
        file.seek(POSITIONS)
        file.write(bytes(size))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    window.move(*PICTURE)
    window.key("grave")
    window.expect("panel commands", "the key of the line for commands")
    for line in ("find halos epsilon=0.1 min_members=20", "export halos found.csv"):
        xdotool("type", "--delay", "20", line)
        xdotool("key", "--delay", "20", "Return")
        window.expect(line.split()[0], "a line that was typed")
    end = time.time() + 20
    while time.time() < end and not os.path.exists(f"{folder}/found.csv"):
        time.sleep(0.1)
    need(os.path.exists(f"{folder}/found.csv"), "no catalog was written: " + window.said())
    window.settle()
    with open(f"{folder}/found.csv") as file:
        rows = [line for line in file if line[:1].isdigit()]
    need(len(rows) == len(CENTERS), f"{len(rows)} halos were found in place of {len(CENTERS)}")
    window.quit()
