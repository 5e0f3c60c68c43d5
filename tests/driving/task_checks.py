"""The tasks of an astronomer's day, each by as few commands as it shall take.

Commands that are waits, and keys of a path, do not count. What came of each task is looked at.
"""

import os
import struct

from client import Program, need


class Task:
    """A session of its own that counts its commands."""

    def __init__(self, program, folder, snapshots):
        self.program = Program(program, folder, snapshots)
        self.folder = folder
        self.commands = 0

    def __enter__(self):
        self.program.__enter__()
        self.client = self.program.client()
        return self

    def __exit__(self, *what):
        self.client.close()
        self.program.__exit__(*what)

    def do(self, line, counts=True):
        self.commands += counts
        return self.client.done(line)

    def wrote(self, name, least=100):
        path = os.path.join(self.folder, name)
        need(os.path.exists(path), f"{name} is not there")
        need(os.path.getsize(path) >= least, f"{name} holds {os.path.getsize(path)} bytes")

    def within(self, most):
        need(self.commands <= most, f"it took {self.commands} commands, and may take {most}")


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def series_of(snapshot, folder):
    """The snapshot three times, each later than the one before: its time is replaced."""
    with open(snapshot, "rb") as file:
        content = file.read()
    scale_factor, redshift = (struct.pack("<d", x) for x in (0.9999999999999999, 2**-52))
    for stored in (scale_factor, redshift):
        need(content.count(stored) == 1, "the sample has another time")
    names = []
    for k, factor in enumerate((0.8, 0.9, 1.0)):
        names.append(os.path.join(folder, f"snapshot_{k:03d}.hdf5"))
        with open(names[-1], "wb") as file:
            file.write(content.replace(scale_factor, struct.pack("<d", factor))
                       .replace(redshift, struct.pack("<d", 1 / factor - 1)))
    return names


def check_task_still_of_the_biggest_halo(program, snapshot, folder):
    with Task(program, folder, [snapshot]) as task:
        found = task.do("find halos")["values"]
        need(found["count"] > 100, f"only {found['count']} halos")
        task.do("fly_to halos 0")
        task.do("show_look gas")
        task.do("limits gas 1e4 1e7")
        task.do("screenshot still.png overlays 3840x2160")
        task.do("save_state still.toml")
        task.wrote("still.png", 100000)
        need(png_size(os.path.join(folder, "still.png")) == (3840, 2160), "it is not 3840x2160")
        task.wrote("still.toml")
        with open(os.path.join(folder, "still.toml")) as file:
            state = file.read()
        need("10000" in state and "10000000" in state, "the state lacks the limits")
        task.within(6)


def check_task_two_searches_compared(program, snapshot, folder):
    with Task(program, folder, [snapshot]) as task:
        task.do("find halos")
        said = task.do("compare halos linking_length=0.15")["said"]
        need(any("Pairs" in line for line in said), f"it told {said}")
        task.do("export_plot compared_counts counts.svg")
        task.do("export_plot mass_ratios pairs.csv")
        task.wrote("counts.svg")
        task.wrote("pairs.csv")
        task.within(5)


def check_task_film_through_three_snapshots(program, snapshot, folder):
    with Task(program, folder, series_of(snapshot, folder)) as task:
        for key in range(5):
            # Between the keys the camera turns, and the series goes on.
            if key > 0:
                task.do("orbit 20 0", counts=False)
            if key in (2, 4):
                task.do("next_snapshot", counts=False)
            task.do(f"add_key {key / 4}", counts=False)
        task.do("preview_path")
        os.mkdir(os.path.join(folder, "frames"))
        task.do("export_frames frames/%03d.png 4 5 160x120")
        for frame in range(5):
            task.wrote(f"frames/{frame:03d}.png")
        task.within(6)


def check_task_members_followed(program, snapshot, folder):
    with Task(program, folder, series_of(snapshot, folder)) as task:
        task.do("find halos")
        task.do("select_members 0 followed")
        task.do("show_sets highlight")
        here = task.do("tell selection", counts=False)["values"]
        task.do("next_snapshot", counts=False)
        there = task.do("tell selection", counts=False)["values"]
        need(there["ids_found"] == here["count"], f"{here} became {there}")
        task.within(3)


def check_task_a_distance_a_density_and_a_profile(program, snapshot, folder):
    with Task(program, folder, [snapshot]) as task:
        said = task.do("ruler 1000 1000 1000 4000 5000 1000")["said"]
        need(any("5000" in line for line in said), f"the ruler told {said}")
        task.within(4)
        task.commands = 0
        task.do("map gas")
        task.do("projection orthographic")
        task.do("screenshot density.exr bare 320x240")
        task.wrote("density.exr")
        task.within(4)
        task.commands = 0
        task.do("find halos")
        task.do("profile halos 0")
        task.do("export_plot profile_density profile.csv")
        task.wrote("profile.csv")
        task.within(4)
