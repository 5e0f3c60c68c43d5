"""Regions, samples, kernels whose lengths are searched for, and grids whose x is the fastest: by several
ranks and by one process."""
import array
from pathlib import Path

import made
from jobs import CHECKS, run, same_for_all

SAMPLE = str(Path(__file__).resolve().parents[2] / "assets" / "sample.hdf5")
PLAIN = ["--no-cache", "--size", "120x91", "--device", "cpu"]
MIDDLE = "5000,5000,5000,12000,11000,13000"  # of the sample
CORNER = "9000,9000,9000,1500,1500,1500"  # of the universe, over its edges
FEW = "9990,9990,9990,25,20,15"


def name_of(snapshot):
    return Path(snapshot).name


def check_pictures(universe):
    def draw(snapshot, region, *words, output="out.png", **more):
        return same_for_all(["render", str(snapshot), "-o", output, "--region", region, *PLAIN, *words], [output],
                            f"a region of {name_of(snapshot)} {' '.join(words)} to {output}", **more)

    one = draw(SAMPLE, MIDDLE, "--deterministic")
    CHECKS.that("gas particles lie in the region" in one.stdout, one.stdout)
    draw(SAMPLE, MIDDLE, "--map", "surface-density", output="map.hdf5")
    draw(SAMPLE, MIDDLE, "--map", "mean:Temperature", output="map.hdf5", numbers=(3,))
    draw(SAMPLE, MIDDLE, "--deterministic", "--types", "gas", "--color", "LocalDensity", numbers=(2, 4))
    draw(universe, CORNER, "--deterministic")
    draw(universe, CORNER, "--map", "surface-density", output="map.hdf5", numbers=(4,))
    # Without a box the domain hangs on the region's particles; in the last one some ranks have none.
    draw(universe, "500,500,500,8000,7000,9000", "--deterministic", "--periodic", "no")
    draw(universe, FEW, "--deterministic", "--color", "Speed")
    draw(SAMPLE, MIDDLE, "--deterministic", "--max-particles", "5000")


def check_samples(universe):
    for snapshot, words in ((SAMPLE, ["--every", "7"]), (SAMPLE, ["--max-particles", "1000"]),
                            (universe, ["--every", "50", "--periodic", "no"]),
                            (universe, ["--max-particles", "3"]), (universe, ["--every", "1000000"])):
        one = same_for_all(["render", str(snapshot), "-o", "out.png", "--deterministic", *PLAIN, *words],
                           ["out.png"], f"a sample of {name_of(snapshot)} {' '.join(words)}")
        CHECKS.that("A sample of " in one.stdout, one.stdout)
    same_for_all(["render", SAMPLE, "-o", "map.hdf5", "--map", "surface-density", *PLAIN, "--every", "3"],
                 ["map.hdf5"], "a map of a sample")


def check_grids(universe):
    def grid(snapshot, region, *words, output="grid.hdf5", **more):
        same_for_all(["grid", str(snapshot), "-o", output, "--region", region, *words], [output],
                     f"grid of a region of {name_of(snapshot)} {' '.join(words)}", **more)

    grid(universe, CORNER, "--size", "24")
    grid(universe, CORNER, "--size", "13,7,5", "--assign", "tsc", "--smooth", "1cells", "--overdensity",
         output="grid.npy")
    grid(universe, "0,2000,0,10000,7000,10000", "--size", "16", "--smooth", "1cells", output="grid.vti")
    grid(universe, "500,500,500,8000,7000,9000", "--periodic", "no", "--size", "2,20,9", "--smooth", "700")
    grid(SAMPLE, MIDDLE, "--size", "32", "--types", "gas", "--field", "Temperature", "--smooth", "1cells",
         numbers=(2, 4))
    grid(SAMPLE, MIDDLE, "--size", "24", "--types", "gas", "--assign", "kernel", "--smooth", "1cells")
    # Lengths that the file lacks.
    grid(universe, CORNER, "--size", "20", "--assign", "kernel")
    for words in ([], ["--periodic", "no"], ["--types", "gas", "--field", "InternalEnergy"]):
        same_for_all(["grid", str(universe), "-o", "grid.hdf5", "--size", "20", "--assign", "kernel", *words],
                     ["grid.hdf5"], f"kernels whose lengths are searched {' '.join(words)}")
    same_for_all(["grid", SAMPLE, "-o", "grid.hdf5", "--size", "16", "--types", "gas,stars", "--assign", "kernel"],
                 ["grid.hdf5"], "kernels, of one type with lengths in the file", numbers=(2, 3))


def check_kept(folder):
    """Lengths that a picture has kept are read for a grid."""
    many = folder / "many"
    made.many(many, 70000, seed=1)
    raw = ["--raw", "Coordinates:u4x3", "--box", "4294967296"]
    drawn = run(1, ["render", str(many), *raw, "-o", str(folder / "kept.png"), "--size", "64x64"], folder)
    CHECKS.that("Kept the smoothing lengths" in drawn.stdout, f"{drawn.stdout} {drawn.stderr}")
    one = same_for_all(["grid", str(many), *raw, "-o", "grid.hdf5", "--size", "16", "--assign", "kernel"],
                       ["grid.hdf5"], "kernels by kept lengths", numbers=(3,))
    CHECKS.that("as kept in" in one.stdout, one.stdout)


def check_peaks(universe):
    outputs = ["all.hdf5", "peaks.csv", "cells.npy", "cells.vti"]

    def peaks(snapshot, *words, **more):
        said = [word for name in outputs for word in ("-o", name)]
        return same_for_all(["topology", str(snapshot), *said, "--pairs", "pairs.npy", *words],
                            [*outputs, "pairs.npy"], f"topology of {name_of(snapshot)} {' '.join(words)}", **more)

    one = peaks(universe, "--region", CORNER, "--grid", "32", "--persistence", "mean:5")
    CHECKS.that("peaks of" in one.stdout, f"peaks of a region: {one.stdout}")
    peaks(universe, "--region", FEW, "--grid", "6", "--assign", "tsc")
    peaks(universe, "--region", "500,500,500,8000,7000,9000", "--periodic", "no", "--grid", "2,20,24",
          "--smooth", "1cells", "--persistence", "mean:2", numbers=(3,))
    peaks(SAMPLE, "--region", MIDDLE, "--types", "gas", "--assign", "kernel", "--grid", "24", "--persistence",
          "ratio:3", numbers=(2, 4))
    peaks(universe, "--assign", "kernel", "--grid", "20", "--persistence", "mean:5")


def turned(path, kind, cells):
    """Values in Fortran's order without a head."""
    count = cells[0] * cells[1] * cells[2]
    path.write_bytes(array.array(kind, ((n * 7919) % 1009 for n in range(count))).tobytes())


def check_turned(folder):
    """Each rank takes its planes out of lines along x, short ones and long ones."""
    for cells, kind, code in (((13, 11, 12), "f", "f4"), ((9000, 3, 2), "d", "f8"), ((3, 8, 9), "h", "i2")):
        path = folder / f"turned{cells[0]}"
        turned(path, kind, cells)
        shape = "x".join(str(n) for n in cells)
        same_for_all(["topology", str(path), "--raw-grid", f"{code}:{shape};order=fortran", "-o", "all.hdf5",
                      "-o", "cells.npy"], ["all.hdf5", "cells.npy"], f"a turned grid of {shape}")
        if kind != "f":
            continue
        path.with_suffix(".npy").write_bytes(
            b"\x93NUMPY\x01\x00\x76\x00" +
            (f"{{'descr': '<f4', 'fortran_order': True, 'shape': {cells}, }}".ljust(117) + "\n").encode() +
            path.read_bytes())
        same_for_all(["topology", str(path.with_suffix(".npy")), "-o", "all.hdf5"], ["all.hdf5"],
                     f"a turned array of {shape}")


def check(folder):
    universe = folder / "universe"
    made.universe(universe)
    check_pictures(universe)
    check_samples(universe)
    check_grids(universe)
    check_kept(folder)
    check_peaks(universe)
    check_turned(folder)
