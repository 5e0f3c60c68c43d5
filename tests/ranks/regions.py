"""Regions and samples, by several ranks and by one process."""
from pathlib import Path

import made
from jobs import CHECKS, same_for_all

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


def check(folder):
    universe = folder / "universe"
    made.universe(universe)
    check_pictures(universe)
    check_samples(universe)
