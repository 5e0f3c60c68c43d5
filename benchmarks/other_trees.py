#!/usr/bin/env python3
"""Times what other packages make of the sets of haloscope_bench_topology.

Usage: other_trees.py path/to/haloscope_bench_topology [--sets gaussian,image8,image16] [--size N]
                      [--image-size N] [--threads N] [--repeat N] [--repeat-others N]
                      [--limit SECONDS]
- gaussian: persistence of GUDHI's cubical complex whose vertices are the cells (6 neighbors). It
  makes all dimensions; haloscope makes dimension 0 alone.
- image8, image16: scikit-image's max_tree (4 and 8 neighbors in the plane, haloscope's 6 and 26). It
  has a parent for each pixel, as the triplets do; `reduced` has branches and basins.
haloscope measures each set first, in the same run, and writes it. Both figures are of one grid.
Core-seconds are those of the whole process. A package that is missing is skipped with a sentence.
"""
import argparse
import multiprocessing
import subprocess
import tempfile
import time
from pathlib import Path

IMAGES = ("image8", "image16")


def measure(name, cells, given, run):
    """measure_here() in a process that ends after given.limit seconds: compiled code has no ear for
    anything else."""
    child = multiprocessing.get_context("fork").Process(
        target=measure_here, args=(name, cells, given.repeat_others, run))
    child.start()
    child.join(given.limit)
    if child.is_alive():
        child.terminate()
        child.join()
        print(f"{name}: did not end in {given.limit:.0f} s", flush=True)


def measure_here(name, cells, repeats, run):
    """Prints the median of the wall time, its spread and the core-seconds of run()."""
    samples = []
    for _ in range(repeats):
        wall, cores = time.perf_counter(), time.process_time()
        found = run()
        samples.append((time.perf_counter() - wall, time.process_time() - cores))
    seconds = sorted(wall for wall, _ in samples)
    cores = sorted(cores for _, cores in samples)[len(samples) // 2]
    print(f"{name}: {1e3 * seconds[len(seconds) // 2]:.0f} ms ({1e3 * seconds[0]:.0f} to "
          f"{1e3 * seconds[-1]:.0f}), {cores:.2f} core-seconds, "
          f"{cells / 1e6 / cores:.2f} Mvoxel per core-second; {found}", flush=True)


def time_gudhi(values, given):
    try:
        import gudhi
    except ImportError:
        print("GUDHI is skipped: there is no package gudhi here")
        return
    levels = -values.astype("float64")  # sublevels of it are superlevels of the grid

    def run():
        made = gudhi.CubicalComplex(vertices=levels)
        made.compute_persistence()
        return f"{len(made.persistence_intervals_in_dimension(0))} pairs"

    measure(f"GUDHI {gudhi.__version__}, 6 neighbors", values.size, given, run)


def time_max_tree(values, given):
    try:
        import skimage
        from skimage.morphology import max_tree
    except ImportError:
        print("max_tree is skipped: there is no package scikit-image here")
        return
    for connectivity in (1, 2):
        measure(f"scikit-image {skimage.__version__} max_tree, {4 * connectivity} neighbors",
                values.size, given,
                lambda: f"{max_tree(values, connectivity=connectivity)[0].size} pixels")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench")
    parser.add_argument("--sets", default="gaussian,image8,image16")
    parser.add_argument("--size", type=int, default=256, help="cells along each axis of gaussian")
    parser.add_argument("--image-size", type=int, default=8192)
    parser.add_argument("--threads", type=int, default=2, help="of haloscope")
    parser.add_argument("--repeat", type=int, default=3, help="runs of haloscope")
    parser.add_argument("--repeat-others", type=int, default=1)
    parser.add_argument("--limit", type=float, default=600, help="seconds of a set in a package")
    given = parser.parse_args()
    try:
        import numpy
    except ImportError:
        print("all is skipped: there is no package numpy here")
        return
    for name in given.sets.split(","):
        size = given.image_size if name in IMAGES else given.size
        neighbors = ["6", "26"] if name in IMAGES else ["6"]
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / f"{name}.npy")
            subprocess.run([given.bench, "--device", "cpu", "--set", name, "--size", str(size),
                            "--threads", str(given.threads), "--repeat", str(given.repeat),
                            "--write", path, "--neighbors", *neighbors], check=True)
            values = numpy.load(path)
        if name in IMAGES:
            time_max_tree(values, given)
        else:
            time_gudhi(values, given)


if __name__ == "__main__":
    main()
