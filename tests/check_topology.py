#!/usr/bin/env python3
"""Compares `haloscope topology` of grids with GUDHI.

Usage: check_topology.py path/to/haloscope [DEVICE]
Grids: smooth Gaussian random fields, white noise, eight levels as whole numbers, counts with empty
cells, constant fields, grids of one cell along an axis, single peaks on corners, edges and faces,
and values with infinite, negative and signed zeros; open and periodic, in float32, float64 and whole
numbers. For each, with 6, 14, 18 and 26 neighbors, by both methods, from above and from below:
- persistence pairs are GUDHI's byte for byte in the grid's own type: of the graph of neighbors
  (SimplexTree), and for 26 of the cubical complex whose cells of the highest dimension they are;
- cells that pairs name hold their values, and no two pairs share a maximum;
- both segmentations have as many segments as there are pairs that persist, each its own maximum;
- the arcs of the tree join all nodes downwards, and form a tree.
Ends with 77 (skipped, for ctest) where GUDHI, h5py or numpy is missing, with 1 if anything differs.
"""
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import Checks

try:
    import gudhi
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


CHECKS = Checks()
NEIGHBORS = (6, 14, 18, 26)


def smooth_field(random, shape, width):
    field = random.normal(size=shape)
    wave = np.zeros(shape)
    for axis, cells in enumerate(shape):
        k = np.fft.fftfreq(cells) * 2 * np.pi
        wave = wave + (k ** 2).reshape([-1 if a == axis else 1 for a in range(3)])
    return np.fft.ifftn(np.fft.fftn(field) * np.exp(-wave * width ** 2 / 2)).real


def one_peak(shape, cell):
    field = np.zeros(shape, np.float32)
    field[cell] = 3
    return field


def grids():
    random = np.random.default_rng(14)
    yield "smooth", smooth_field(random, (14, 12, 13), 1).astype(np.float32)
    yield "smooth float64", smooth_field(random, (8, 15, 11), 1.5)
    yield "noise", random.normal(size=(9, 12, 11)).astype(np.float32)
    yield "eight levels", random.integers(8, size=(11, 9, 12)).astype(np.uint8)
    yield "eight levels below 0", (random.integers(8, size=(7, 9, 8)) - 4).astype(np.int16)
    yield "eight levels float32", random.integers(8, size=(9, 8, 11)).astype(np.float32)
    yield "64 bits", random.integers(2 ** 62, 2 ** 63 - 1, size=(6, 7, 8)).astype(np.int64)
    yield "empty cells", random.poisson(0.4, size=(12, 11, 10)).astype(np.float32)
    yield "constant", np.full((5, 6, 7), 2.5, np.float32)
    yield "one cell", np.full((1, 1, 1), 4, np.float32)
    yield "flat", random.normal(size=(1, 19, 23)).astype(np.float32)
    yield "flat along z", random.integers(5, size=(17, 15)).astype(np.int32)
    yield "a line", random.normal(size=(1, 1, 50)).astype(np.float32)
    yield "two cells", random.normal(size=(2, 9, 8)).astype(np.float32)
    for cell in ((0, 0, 0), (5, 4, 6), (0, 4, 0), (0, 2, 3)):
        yield f"peak at {cell}", one_peak((6, 5, 7), cell)
    zeros = random.choice(np.array([-1, -0.0, 0.0, 1], np.float32), size=(6, 6, 6))
    yield "signed zeros", zeros
    yield "logarithms", np.where(random.random((7, 8, 6)) < 0.2, -np.inf,
                                 random.normal(size=(7, 8, 6))).astype(np.float32)


def edges(shape, neighbors, periodic):
    """The two cells of each edge between neighbors, as flat indices."""
    place = np.arange(int(np.prod(shape))).reshape(shape)
    found = set()
    for step in itertools.product((-1, 0, 1), repeat=3):
        axes = sum(abs(x) for x in step)
        if axes == 0 or (neighbors == 6 and axes > 1) or (neighbors == 18 and axes > 2):
            continue
        if neighbors == 14 and min(step) < 0 < max(step):
            continue
        shifted = np.roll(place, [-x for x in step], (0, 1, 2))
        inside = np.ones(shape, bool)
        if not periodic:
            for axis, x in enumerate(step):
                if x:
                    last = [slice(None)] * 3
                    last[axis] = -1 if x > 0 else 0
                    inside[tuple(last)] = False
        a, b = place[inside], shifted[inside]
        found |= set(zip(np.minimum(a, b)[a != b].tolist(), np.maximum(a, b)[a != b].tolist()))
    return np.array(sorted(found), np.int32).reshape(-1, 2)


def of_graph(values, neighbors, periodic):
    """Pairs of {f <= level}, of the graph."""
    flat = values.ravel()
    ends = edges(values.shape, neighbors, periodic)
    tree = gudhi.SimplexTree()
    # Edges first: a batch of vertices alone does not keep its values (GUDHI 3.13).
    if len(ends):
        tree.insert_batch(np.ascontiguousarray(ends.T),
                          np.maximum(flat[ends[:, 0]], flat[ends[:, 1]]))
    for vertex, value in enumerate(flat.tolist()):
        tree.insert([vertex], value)
    tree.compute_persistence(persistence_dim_max=True)
    return tree.persistence_intervals_in_dimension(0)


def of_cubes(values, periodic):
    complex_of = gudhi.CubicalComplex(top_dimensional_cells=values)
    if periodic:
        complex_of = gudhi.PeriodicCubicalComplex(top_dimensional_cells=values,
                                                  periodic_dimensions=[True] * 3)
    complex_of.compute_persistence()
    return complex_of.persistence_intervals_in_dimension(0)


def as_written(pairs, grid, sublevels):
    """In the grid's own type, what never ends as our files have it, sorted."""
    if not sublevels:
        pairs = -pairs
    kind = grid.dtype.type
    birth = pairs[:, 0].astype(kind)
    if np.issubdtype(kind, np.floating):
        death = pairs[:, 1].astype(kind)
    else:
        never = np.iinfo(kind).max if sublevels else np.iinfo(kind).min
        death = np.array([never if np.isinf(d) else kind(d) for d in pairs[:, 1]], kind)
    return in_order(birth + kind(0), death + kind(0))


def in_order(birth, death):
    order = np.lexsort((death, birth))
    return birth[order], death[order]


class Ours:
    """What one run of the program wrote."""

    def __init__(self, program, device, folder, path, options):
        output = folder / "peaks.hdf5"
        words = [program, "topology", path, "-o", output, "--device", device, "--quiet",
                 "--overwrite", *options]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
        with h5py.File(output) as file:
            self.pairs = {name: file["Pairs"][name][:] for name in file["Pairs"]}
            self.tree = {name: file["Tree"][name][:] for name in
                         ("VertexId", "Scalar", "CriticalType", "upNodeId", "downNodeId")}
            self.segments = {name: file["Segmentation"][name][:] for name in file["Segmentation"]}
            self.peak = file["Group/GroupPeakValue"][:]


def check_pairs(ours, grid, expected, words):
    birth, death = ours.pairs["birth"], ours.pairs["death"]
    CHECKS.that(birth.dtype == grid.dtype and death.dtype == grid.dtype, f"{words}: types")
    for mine, theirs in zip(in_order(birth, death), expected):
        CHECKS.that(mine.tobytes() == theirs.tobytes(),
                    f"{words}: {len(mine)} pairs, expected {len(theirs)}")


def check_cells(ours, grid, words):
    flat = grid.ravel()
    births, deaths = ours.pairs["birth_index"], ours.pairs["death_index"]
    ends = deaths != np.uint64(2 ** 64 - 1)
    CHECKS.that(np.array_equal(flat[births], ours.pairs["birth"]), f"{words}: cells of births")
    CHECKS.that(np.array_equal(flat[deaths[ends]], ours.pairs["death"][ends]),
                f"{words}: cells of deaths")
    CHECKS.that(len(set(births.tolist())) == len(births), f"{words}: maxima twice")
    CHECKS.that(np.count_nonzero(~ends) == 1, f"{words}: one pair never ends")


def check_segments(ours, sublevels, least, words):
    birth, death = (ours.pairs[name].astype(float) for name in ("birth", "death"))
    with np.errstate(invalid="ignore"):
        lasts = death - birth if sublevels else birth - death
    lasts[ours.pairs["death_index"] == np.uint64(2 ** 64 - 1)] = np.inf
    count = np.count_nonzero(lasts >= least)
    CHECKS.that(len(ours.peak) == count, f"{words}: {len(ours.peak)} peaks of {count}")
    cells = ours.pairs["birth_index"][lasts >= least]
    for name, label in ours.segments.items():
        CHECKS.that(label.min() == 0 and label.max() == count - 1, f"{words}: {name} segments")
        CHECKS.that(np.array_equal(label.ravel()[cells], np.arange(count)),
                    f"{words}: {name} of the maxima")


def check_arcs(ours, words):
    tree = ours.tree
    up, down, scalar = tree["upNodeId"], tree["downNodeId"], tree["Scalar"]
    CHECKS.that(np.all(scalar[up] >= scalar[down]), f"{words}: arcs that go up")
    CHECKS.that(len(up) == len(scalar) - 1, f"{words}: {len(up)} arcs of {len(scalar)} nodes")
    root = np.arange(len(scalar))

    def find(node):
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for a, b in zip(up, down):
        root[find(a)] = find(b)
    CHECKS.that(len({find(node) for node in range(len(scalar))}) == 1, f"{words}: one tree")


def check_grid(program, device, folder, name, grid):
    path = folder / "grid.npy"
    np.save(path, grid)
    box = grid.reshape(grid.shape + (1,) * (3 - grid.ndim))
    values = box.astype(np.float64)
    exact = np.array_equal(values.astype(grid.dtype), box)
    for periodic, neighbors in itertools.product((False, True), NEIGHBORS):
        for sublevels in (False, True):
            signed = values if sublevels else -values
            words = f"{name}, {neighbors} neighbors{', periodic' * periodic}{', sub' * sublevels}"
            expected = as_written(of_graph(signed, neighbors, periodic), grid, sublevels)
            options = ["--neighbors", neighbors, "--periodic", "yes" if periodic else "no",
                       "--levels", "sub" if sublevels else "super"]
            ours = Ours(program, device, folder, path, options)
            # The cubes of GUDHI know no infinite cells, and need three along an axis to close.
            is_whole = np.isfinite(values).all() and (not periodic or min(box.shape) > 2)
            if neighbors == 26 and is_whole:
                cubes = as_written(of_cubes(signed, periodic), grid, sublevels)
                CHECKS.that(all(a.tobytes() == b.tobytes() for a, b in zip(cubes, expected)),
                            f"{words}: cubes and graph of GUDHI")
            if exact:
                check_pairs(ours, grid, expected, words)
            check_cells(ours, grid, words)
            check_segments(ours, sublevels, 0, words)
            check_arcs(ours, words)
            by_triplets = Ours(program, device, folder, path, options + ["--method", "triplet"])
            CHECKS.that(all(np.array_equal(ours.pairs[key], by_triplets.pairs[key])
                            for key in ours.pairs), f"{words}: triplet and reduced")
            CHECKS.that(np.array_equal(ours.segments["Branch"], by_triplets.segments["Branch"]),
                        f"{words}: branches of triplets")
    least = 0.5 if exact else 2 ** 55
    ours = Ours(program, device, folder, path, ["--persistence", f"abs:{least}"])
    check_segments(ours, False, least, f"{name}, persistence")


def main():
    program = sys.argv[1]
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    with tempfile.TemporaryDirectory() as folder:
        for name, grid in grids():
            check_grid(program, device, Path(folder), name, grid)
    print(f"{CHECKS.done} checks, {CHECKS.wrong} wrong")
    return 1 if CHECKS.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
