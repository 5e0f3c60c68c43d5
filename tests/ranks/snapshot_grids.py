"""Grids of a snapshot's particles, and peaks on them, by several ranks and by one process."""
import os
from pathlib import Path

import made
from jobs import CHECKS, RANKS, same_for_all

SAMPLE = str(Path(__file__).resolve().parents[2] / "assets" / "sample.hdf5")


def check_grids(folder):
    """`haloscope grid`: each way to share out particles, each quantity, each format."""
    universe, lone = folder / "universe", folder / "lone"
    made.universe(universe)
    made.gadget(lone, [], [(1.0, 2.0, 3.0)])

    def grid(snapshot, *words, output="grid.hdf5", **more):
        same_for_all(["grid", str(snapshot), "-o", output, *words], [output],
                     f"grid of {Path(snapshot).name} {' '.join(words)}", **more)

    grid(universe, "--size", "24")
    grid(universe, "--size", "13,7,5", "--assign", "tsc", "--smooth", "1cells", "--overdensity", output="grid.npy")
    grid(universe, "--size", "3,40,9", "--assign", "ngp", "--quantity", "count", "--log", output="grid.vti")
    grid(universe, "--size", "1", numbers=(3,))
    grid(universe, "--size", "9", "--types", "gas", "--field", "InternalEnergy", "--smooth", "2cells")
    grid(universe, "--size", "9", "--types", "gas", "--field", "InternalEnergy", "--quantity", "sum")
    # Many cells, so that sums over them run over several stretches.
    grid(universe, "--size", "70", "--quantity", "density", "--overdensity", numbers=(3, 4))
    # Not periodic: the grid is put around the particles of all ranks.
    grid(universe, "--size", "20", "--periodic", "no", "--assign", "tsc", "--smooth", "500")
    grid(SAMPLE, "--size", "32", "--types", "gas", "--assign", "kernel", "--quantity", "density")
    grid(SAMPLE, "--size", "16", "--types", "gas", "--field", "Temperature", "--assign", "kernel", numbers=(4,))
    grid(lone, "--size", "8", numbers=(4,))


def check_peaks(folder):
    """`haloscope topology` of snapshots: all files of their peaks."""
    universe, lone = folder / "universe", folder / "lone"
    made.universe(universe)
    made.gadget(lone, [], [(1.0, 2.0, 3.0)])

    def peaks(snapshot, *words, outputs=("all.hdf5", "peaks.csv", "cells.npy", "cells.vti"),
              pairs=("pairs.csv", "pairs.npy", "pairs.vtu"), plots=("persistence_diagram.svg",), **more):
        said = [word for name in outputs for word in ("-o", name)]
        said += [word for name in pairs for word in ("--pairs", name)]
        said += [word for name in plots for word in ("--plot", f"{Path(name).stem}={name}")]
        return same_for_all(["topology", str(snapshot), *said, *words], [*outputs, *pairs, *plots],
                            f"topology of {Path(snapshot).name} {' '.join(words)}", **more)

    one = peaks(universe, "--grid", "32", "--persistence", "mean:20")
    CHECKS.that("peaks of" in one.stdout, f"peaks of a made universe: {one.stdout}")
    peaks(universe, "--grid", "40", "--halos", "82,200", "--types", "gas,dm", plots=())
    peaks(universe, "--grid", "20", "--voids", "0.2,0.2", "--assign", "tsc")
    peaks(universe, "--grid", "24", "--segments", "branch", "--neighbors", "6", "--threshold", "mean:3",
          "--softening", "5", numbers=(3,))
    peaks(universe, "--grid", "24", "--types", "gas", "--field", "InternalEnergy", "--smooth", "3cells",
          numbers=(2, 4))
    peaks(universe, "--grid", "24", "--periodic", "no", "--smooth", "1cells", "--log", "--persistence", "abs:1",
          plots=())
    peaks(universe, "--grid", "16", outputs=("peaks.csv",), pairs=(), plots=())
    peaks(universe, outputs=(), plots=(), numbers=(3,))
    few = folder / "few_gas"
    made.universe(few, gas_particles=3)
    peaks(few, "--types", "gas,dm", "--grid", "30", "--persistence", "mean:10", numbers=(4,))
    peaks(lone, "--grid", "4", plots=(), numbers=RANKS)
    peaks(SAMPLE, "--persistence", "mean:30", numbers=(2, 3))
    peaks(SAMPLE, "--types", "gas", "--assign", "kernel", "--grid", "48", "--persistence", "ratio:3", numbers=(4,))


def check_shared(folder, snapshots):
    """Peaks of the shared snapshots, each in its own format."""
    for snapshot, numbers in snapshots:
        same_for_all(["topology", str(snapshot), "-o", "peaks.hdf5", "--persistence", "mean:20", "--grid", "64"],
                     ["peaks.hdf5"], "topology of " + "/".join(snapshot.parts[-2:]), numbers[-1:])


def check(folder, snapshots):
    for name, work in (("grids", check_grids), ("peaks", check_peaks)):
        place = folder / name
        os.mkdir(place)
        work(place)
    check_shared(folder, snapshots)
